"""A call of a tool, what came back, and how people and judges are shown both (pure)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

OPEN, CLOSE, BACK = "\N{MATHEMATICAL LEFT DOUBLE ANGLE BRACKET}", "\N{MATHEMATICAL RIGHT DOUBLE ANGLE BRACKET}", "="
_PLAIN = str.maketrans(
    {OPEN: "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}", CLOSE: "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}"}
)
_SHOWN = re.compile(rf"{OPEN}(?:(?P<back>{BACK}) )?(?P<body>.*?){CLOSE}", re.DOTALL)


@dataclass(frozen=True)
class ToolCall:
    """What a model wants to be done."""

    name: str
    arguments: str
    """JSON, as the model wrote it."""


class Action(BaseModel):
    """Something that the assistant did with a tool in one of its turns."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    said: str = ""
    """What it wrote before it."""
    name: str
    arguments: str = "{}"
    """JSON."""
    result: str = ""
    failed: bool = False

    @property
    def shown(self) -> str:
        """The call and what came back, in a line each."""
        back = f"failed: {self.result}" if self.failed else self.result
        return f"{OPEN}{self.name} {self.arguments}{CLOSE}\n{OPEN}{BACK} {back}{CLOSE}"


def plain(text: str) -> str:
    """Return what was written by others with the marks of actions exchanged, so that nobody can feign one."""
    return text.translate(_PLAIN)


def action(call: ToolCall, result: str, *, failed: bool = False, said: str = "") -> Action:
    """Return the record of a call."""
    return Action(
        said=said, name=plain(call.name), arguments=plain(tidy(call.arguments)), result=plain(result), failed=failed
    )


def tidy(arguments: str) -> str:
    """Return arguments as JSON in one form; as they are where they are none."""
    try:
        return json.dumps(json.loads(arguments or "{}"), ensure_ascii=False)
    except ValueError:
        return arguments


def whole(actions: Sequence[Action], words: str) -> str:
    """Return what an assistant did and said in a turn, in the order in which it happened.

    words: what it said after the last action.
    """
    lines = [line for one in actions for line in (one.said, one.shown) if line]
    return "\n".join([*lines, *([words] if words else [])])


def spoken(shown: str) -> str:
    """Return the words in what `whole` has made, without the lines of deeds."""
    return "\n".join(line for line in _SHOWN.sub("", shown).splitlines() if line.strip())


def without_results(shown: str) -> str:
    """Return what `whole` has made without the lines of what came back."""
    return re.sub(rf"{OPEN}{BACK} .*?{CLOSE}\n?", "", shown, flags=re.DOTALL)


def calls_in(shown: str) -> list[tuple[str, ToolCall]]:
    """Return (words before it, call) for each call in what `whole` has made."""
    found, start = list[tuple[str, ToolCall]](), 0
    for one in _SHOWN.finditer(shown):
        if not one["back"]:
            name, _, arguments = one["body"].partition(" ")
            found.append((shown[start : one.start()].strip(), ToolCall(name, arguments or "{}")))
        start = one.end()
    return found


def words_after(shown: str) -> str:
    """Return what is said after the last call in what `whole` has made."""
    return shown.rpartition(CLOSE)[2].strip()


def wire_call(call: ToolCall, identity: str) -> dict[str, Any]:
    """Return a call in OpenAI's shape."""
    return {"id": identity, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}

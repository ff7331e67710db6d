"""A scripted user that does not play its part in about a third of its messages. Pure and deterministic.

The prompt decides where a fault is, and which: a message that is asked for again may have one again. Elsewhere it says
what the other scripted user says, but takes up its direction by single words instead of reading it out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.conversation.simulator import simulator_prompts
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.llm.request import Message
from helm_impactbench.rehearsal.reading import section

SHARE = 30
"""Of 100 messages, those with a fault."""
_MOST = re.compile(r"\bat most (\d+) messages\b")
_SWAPS = {"you": "I", "your": "my", "yours": "mine", "yourself": "myself", "you're": "I'm", "you've": "I've"}


class Planted(NamedTuple):
    """A fault in a message."""

    kind: str
    """As conversation/record names it."""
    words: str


def spoilt(messages: Sequence[Message], plain: Callable[[Sequence[Message]], str]) -> str:
    """Return the next reply of the faulty user; `plain` is the script without faults."""
    asked = _asked(messages)
    direction = section("direction", asked[-1].content)
    said = _without(plain(asked), direction)
    found = planted(messages)
    if found is None:
        return said
    if _turn(asked) == 1:  # a target knows its lines by the first message
        return f"{said}\n{found.words}"
    return f"Thought: I do not follow my script.\nMessage: {found.words}"


def planted(messages: Sequence[Message]) -> Planted | None:
    """Return the fault in the reply to these messages, None where there is none."""
    asked = _asked(messages)
    digest = content_digest([message.content for message in messages])
    lot, first, wording = (int(digest[start : start + 8], 16) for start in (0, 8, 16))
    if lot % 100 >= SHARE:
        return None
    direction, most = section("direction", asked[-1].content), _MOST.search(asked[0].content)
    goes_on = most is not None and _turn(asked) < int(most.group(1))
    kinds = [
        kind for kind in _stock() if (kind != "recited_landmark" or direction) and (kind != "closed_early" or goes_on)
    ]
    kind = kinds[first % len(kinds)]
    words = _stock()[kind][wording % len(_stock()[kind])]
    lower = direction[:1].lower() + direction[1:]
    own = direction if ": " in direction else _own(lower)  # "I paste the letter: ..." is what a person may write
    return Planted(kind, words.replace("{direction}", direction).replace("{i}", own))


@cache
def _stock() -> Mapping[str, Sequence[str]]:
    """Return kind of fault -> wordings."""
    found: Mapping[str, Sequence[str]] = load_yaml(
        files("helm_impactbench.rehearsal").joinpath("faulty_stock.yaml").read_text(encoding="utf-8")
    )
    return found


def _asked(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages without requests to write the last reply again."""
    again = tuple(simulator_prompts()[name].text.split("{{")[0] for name in ("retry", "redo"))
    while len(messages) > 2 and messages[-1].content.startswith(again):
        messages = messages[:-2]
    return messages


def _turn(asked: Sequence[Message]) -> int:
    return sum(message.role == "assistant" for message in asked) + 1


def _without(said: str, direction: str) -> str:
    """Return what is said with the longer words of the direction in place of the direction."""
    if not direction or direction not in said:
        return said
    long = sorted({word.lower() for word in re.findall(r"\w{5,}", direction)}, key=content_digest)
    return said.replace(direction, f"What is on my mind: {', '.join(long)}.")


def _own(lower: str) -> str:
    swapped = re.sub(r"\b(?:you're|you've|yourself|yours|your|you)\b", lambda found: _SWAPS[found.group()], lower)
    return f"I {swapped}"

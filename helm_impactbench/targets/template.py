"""What is sent to a product: a text or JSON of its description with places to be filled in (pure).

`{message}` is the newest message of the user, `{messages}` the whole conversation so far, `{session}` the session's id,
`{turn}` the number of the turn from 1, `{system}` the system prompt of the case, and `{axis:age}` the level that the
case has on an axis; `{axis:age|adult}` is adult where the benchmark has no such axis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helm_impactbench.errors import ModelError, listed
from helm_impactbench.llm.request import Message

PLACES = ("message", "messages", "session", "turn", "system")
AXIS = "axis:"
_PLACE = re.compile(r"\{(axis:[^{}|]+(?:\|[^{}]*)?|[A-Za-z_]+)\}")
_ABSENT = object()


@dataclass(frozen=True)
class TemplateTurn:
    """What a product may be told in one turn of a conversation."""

    messages: Sequence[Message]
    """The conversation so far, the newest message of the user last; the system prompt first, if there is one."""

    @property
    def number(self) -> int:
        """From 1."""
        return sum(message.role == "user" for message in self.messages)

    @property
    def message(self) -> str:
        """The newest message of the user."""
        return self.messages[-1].content

    @property
    def system(self) -> str:
        """The system prompt of the case; empty without one."""
        first = self.messages[0]
        return first.content if first.role == "system" else ""

    @property
    def chat(self) -> list[dict[str, str]]:
        """The conversation as most interfaces for chats take it."""
        spoken = (message for message in self.messages if message.role != "tool" and message.call is None)
        return [{"role": message.role, "content": message.content} for message in spoken]


def places_in(template: Any) -> set[str]:
    """Return the places in a template, an axis without its default: message, axis:age."""
    return {place.partition("|")[0] for text in _texts_in(template) for place in _PLACE.findall(text)}


def _texts_in(template: Any) -> Iterator[str]:
    if isinstance(template, str):
        yield template
    elif isinstance(template, Mapping):
        for value in template.values():
            yield from _texts_in(value)
    elif isinstance(template, list | tuple):
        for value in template:
            yield from _texts_in(value)


def filled(
    template: Any, turn: TemplateTurn | None, session: str | None, axes: Mapping[str, str], levels: Mapping[str, Any]
) -> Any:
    """Return a template with its places filled in.

    A text that is one place becomes its value: a list, a number. Where the session's id is not known yet, a key whose
    value it is is left out. turn: None before and after the conversation. levels: axis -> level -> what the product
    calls it. Raises ModelError for an axis that the case does not have.
    """

    def value(place: str) -> Any:
        if place.startswith(AXIS):
            return _level(place, axes, levels)
        if place == "session":
            return _ABSENT if session is None else session
        if turn is None:
            return ""
        return {"message": turn.message, "messages": turn.chat, "turn": turn.number, "system": turn.system}[place]

    return _filled(template, value)


def filled_address(template: str, session: str | None, quoted: Callable[[str], str]) -> str:
    """Return an address with the session's id in its place."""
    return _PLACE.sub(lambda found: quoted(session or "") if found[1] == "session" else found[0], template)


def _filled(template: Any, value: Callable[[str], Any]) -> Any:
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        return value(whole[1]) if whole else _PLACE.sub(lambda found: _text(value(found[1])), template)
    if isinstance(template, Mapping):
        parts = {name: _filled(part, value) for name, part in template.items()}
        return {name: part for name, part in parts.items() if part is not _ABSENT}
    if isinstance(template, list | tuple):
        return [part for part in (_filled(one, value) for one in template) if part is not _ABSENT]
    return template


def _text(value: Any) -> str:
    return "" if value is _ABSENT else str(value)


def _level(place: str, axes: Mapping[str, str], levels: Mapping[str, Any]) -> Any:
    axis, bar, default = place.removeprefix(AXIS).partition("|")
    level = axes.get(axis)
    if level is None:
        if bar:
            return default
        raise ModelError(
            f"send names {{{place}}}, and the scenario has no such axis; it has {listed(sorted(axes)) or 'none'}. "
            f"Write {{{place}|...}} with what the product is told then."
        )
    return levels.get(axis, {}).get(level, level)

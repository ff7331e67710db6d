"""Spoil valid inputs: structure first (values, keys, types), then the text itself. Driven by a tape of bytes.

Hypothesis draws the tape and shrinks it; what is drawn from it is made here, because strategies for whole files would
take most of the time of a hundred thousand inputs.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

NASTY_TEXTS = (
    *("", " ", "\n", "\0", "\ud800", "\udfff", "\ufeff", "\u202e", "\u200b", "e\u0301", "\uff4d01", "m\u043e1"),
    *("../x", "/etc/passwd", "..", ".", "-", "CON", "nul.txt", "m01\n", "m01.", "M01", "a/b", "a\\b", "x" * 300),
    *("{{ 7 * 7 }}", "{% for x in y %}", "${x}", "%s", "$5", "=1+1", "@SUM(1)", "<script>", "</transcript>"),
    *("true", "false", "null", "NaN", "1e999", "-0", "0x10", "1_000", "9" * 400, "2020-01-01", "12:30:45", "~"),
    *("&a", "*a", "!!python/object/apply:os.system ['x']", "!!binary x", "!!int x", "<<", "- ", "? ", ": ", "# ", "|"),
    *(
        "Message:",
        "Thought:",
        "[END OF CHAT]",
        "<think>",
        "</think>",
        "[THINK]",
        "```",
        "```json\n",
        "{",
        "}",
        "[",
        "]",
    ),
    *('"', "'", ",", ":", ";", "\t", "\r", "\r\n", "\x1b[31m", "\x85", "\u2028", "present", "item_id", "+", "="),
)


def _nested(depth: int) -> Any:
    value: Any = 0
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


NASTY_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.5, 10**30, 10**400, 1e308, float("nan"), float("inf"), [], {}, [[]], {"": None}),
    *({"a": {}}, _nested(12), _nested(60), ["x"] * 40, {"1": 1}, *NASTY_TEXTS[:40]),
)


class Tape:
    """Choices read from bytes; zeros when they are used up."""

    def __init__(self, tape: bytes) -> None:
        """Begin at the first byte."""
        self._tape, self._place = tape, 0

    @property
    def is_left(self) -> bool:
        """Whether there are bytes left."""
        return self._place < len(self._tape)

    def number(self, below: int) -> int:
        """Return a number from 0 to below - 1."""
        size = 1 if below <= 256 else 3
        found = int.from_bytes(self._tape[self._place : self._place + size], "big")
        self._place += size
        return found % below if below > 0 else 0

    def pick(self, choices: Sequence[T]) -> T:
        """Return one of the choices."""
        return choices[self.number(len(choices))]


def spoiled_data(template: Any, tape: Tape, most: int = 4) -> Any:
    """Return a copy of JSON-like data with up to `most` changes somewhere in it."""
    box = {"root": copy.deepcopy(template)}
    for _ in range(tape.number(most + 1)):
        _spoil(tape.pick(_containers(box)), tape)
    return box["root"] if "root" in box else tape.pick(NASTY_VALUES)


def _containers(data: Any) -> list[Any]:
    found, level = [], [data]
    while level:
        item = level.pop()
        found.append(item)
        children = item.values() if isinstance(item, dict) else item
        level += [child for child in children if isinstance(child, dict | list) and child]
    return found


def _spoil(container: Any, tape: Tape) -> None:
    places = list(container) if isinstance(container, dict) else list(range(len(container)))
    if not places:
        return
    place, how = tape.pick(places), tape.number(8)
    value = container[place]
    if how == 0:
        del container[place]
    elif how == 1 and isinstance(container, dict):
        container[tape.pick(NASTY_TEXTS)] = container.pop(place)
    elif how == 2:
        container[place] = [value] if tape.number(2) else {"id": value}
    elif how == 3:
        container[place] = copy.deepcopy(container[tape.pick(places)])
    elif how == 4 and isinstance(container, list):
        container.insert(place, copy.deepcopy(value))
    elif how == 5 and isinstance(value, str):
        at = tape.number(len(value) + 1)
        container[place] = value[:at] + tape.pick(NASTY_TEXTS) + value[at:]
    elif how == 6:
        container[place] = str(value)[: tape.number(40)]
    else:
        container[place] = copy.deepcopy(tape.pick(NASTY_VALUES))


def spoiled_text(text: str, tape: Tape, most: int = 6) -> str:
    """Return `text` with up to `most` changes somewhere in it."""
    for _ in range(tape.number(most + 1)):
        start, how = tape.number(len(text) + 1), tape.number(6)
        end = start + tape.number(60)
        if how == 0:
            text = text[:start] + text[end:]
        elif how == 1:
            text = text[:end] + text[start:end] + text[end:]
        elif how == 2:
            text = text[:start]
        elif how == 3:
            text = text[:start] + chr(tape.number(0x3000)) + text[start + 1 :]
        else:
            text = text[:start] + tape.pick(NASTY_TEXTS) + text[start:]
    return text


def spoiled_bytes(text: str, tape: Tape) -> bytes:
    """Return `text` as a file, mostly in UTF-8; sometimes in what editors write, sometimes with a broken byte."""
    content = text.encode("utf-8", "surrogatepass")
    how = tape.number(24)
    if how == 1:
        return text.encode("utf-16", "surrogatepass")
    if how == 2:
        return text.encode("latin-1", "replace")
    if how == 3:
        return b"\xef\xbb\xbf" + content
    if how == 4:
        return content.replace(b"\n", b"\r\n")
    if how == 5:
        at = tape.number(len(content) + 1)
        return content[:at] + bytes([tape.number(256)]) + content[at:]
    return content


def spoiled_file(template: Any, text: str, tape: Tape) -> bytes:
    """Return a file whose data or whose text was spoiled. What is JSON is YAML too."""
    return spoiled_bytes(
        spoiled_text(text, tape) if tape.number(2) else json.dumps(spoiled_data(template, tape), indent=1), tape
    )

"""The fields of a JSON object that somebody needs, read without building the rest (pure).

What is skipped costs no memory and little time, may be nested as deeply as it likes, and is not checked beyond its
strings and brackets. An answer of 8 MB whose words are three lines costs what three lines cost.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]  # left out of the types
from typing import Any, Union

MOST_BUILT = 2_000_000
"""Characters of one list or object that is built; a longer one counts as null. Texts have no limit here."""
_MOST_STEPS = 1_000_000
"""Pieces that are passed one by one, in half a second. A text with more of them was made to cost time."""
_LONGEST_INTEGER = 30


@dataclass(frozen=True)
class First:
    """A list of which only the first item is needed."""

    fields: Fields


Fields = Mapping[str, Union["Fields", First, None]]
"""Names that are needed of an object: None for a whole value, else the names that are needed of it."""

_SHORT_STRING = r'"[^"\\]*(?:\\.[^"\\]*){0,50}"'
_INNERMOST = rf'\[[^"\[\]{{}}]*\]|\{{[^"\[\]{{}}]*(?:{_SHORT_STRING}[^"\[\]{{}}]*){{0,20}}\}}'
_UP_TO_BRACKET = re.compile(rf'(?:[^"\[\]{{}}]+|{_SHORT_STRING}|{_INNERMOST}){{0,500}}', re.DOTALL)
"""Stops before a bracket with others inside, before a string with many escapes, and after 500 pieces."""
_SCALAR = re.compile(r'[^\s,\[\]{}":]+')
_BLANK = re.compile(r"[ \t\n\r]*")


def read_fields(text: str, fields: Fields) -> Any:
    """Return the object that a text holds with only these fields, or the whole value where it is no object.

    Raises ValueError for what is no JSON, or more than one value.
    """
    reader = _Reader(text)
    value = reader.value(fields)
    if reader.next_character():
        raise ValueError("more follows after the end of the JSON")
    return value


class _Reader:
    """A place in a text, which moves past what is read."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._steps = text, 0, 0
        self._decoder = json.JSONDecoder(parse_int=_integer)

    def next_character(self) -> str:
        """Return the next character that is no blank without moving past it; empty at the end."""
        at = _BLANK.match(self._text, self._at)
        self._at = at.end() if at else self._at
        return self._text[self._at : self._at + 1]

    def value(self, fields: Fields | First | None) -> Any:
        """Return the next value: what is needed of it where it has the kind that is expected, else all of it."""
        begins = self.next_character()
        if begins == "{" and isinstance(fields, Mapping):
            return self._object(fields)
        if begins == "[" and isinstance(fields, First):
            return self._first(fields.fields)
        return self._whole(begins)

    def _object(self, fields: Fields) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        self._at += 1
        others = _entries_without(tuple(fields))
        while self._passed(others) != "}":
            name, self._at = scanstring(self._text, self._expected('"'))
            self._expected(":")
            if name in fields:
                kept[name] = self.value(fields[name])
            else:
                self._skip()
            if self.next_character() != "}":
                self._expected(",")
        self._at += 1
        return kept

    def _passed(self, others: re.Pattern[str]) -> str:
        """Move past entries that nobody needs, and return the next character."""
        entries = others.match(self._text, self._at)
        self._at = entries.end() if entries else self._at
        return self.next_character()

    def _first(self, fields: Fields) -> list[Any]:
        begin = self._at
        self._at += 1
        items = [] if self.next_character() == "]" else [self.value(fields)]
        self._at = begin
        self._skip()
        return items

    def _whole(self, begins: str) -> Any:
        begin = self._at
        self._skip()
        if begins in "[{" and self._at - begin > MOST_BUILT:
            return None
        try:
            value, end = self._decoder.raw_decode(self._text, begin)
        except RecursionError:
            return None
        if end != self._at:
            raise ValueError(f"no JSON at character {begin}")
        return value

    def _skip(self) -> None:
        """Move past the next value."""
        begins = self.next_character()
        if begins == '"':
            self._at = scanstring(self._text, self._at + 1)[1]
        elif begins in ("[", "{"):
            self._skip_nested()
        else:
            scalar = _SCALAR.match(self._text, self._at)
            if scalar is None:
                raise ValueError(f"no value at character {self._at}")
            self._at = scalar.end()

    def _skip_nested(self) -> None:
        depth = 0
        while True:
            mark = self._text[self._at : self._at + 1]
            if mark == '"':
                self._at = scanstring(self._text, self._at + 1)[1]
            elif mark in ("[", "{"):
                depth, self._at = depth + 1, self._at + 1
            elif mark in ("]", "}"):
                depth, self._at = depth - 1, self._at + 1
            elif not mark:
                raise ValueError("it ends in the middle")
            if not depth:
                return
            passed = _UP_TO_BRACKET.match(self._text, self._at)
            self._at = passed.end() if passed else self._at
            self._count()

    def _count(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise ValueError("it has too many nested values")

    def _expected(self, character: str) -> int:
        """Move past a character and return the place after it."""
        if self.next_character() != character:
            raise ValueError(f"no {character} at character {self._at}")
        self._count()
        self._at += 1
        return self._at


@lru_cache(maxsize=64)
def _entries_without(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return what passes up to 500 entries of an object with other names and plain values, and another entry after."""
    needed = "|".join(re.escape(name) for name in names)
    name = rf'"(?!(?:{needed})")[^"\\]*"'
    value = rf'(?:{_SHORT_STRING}|[^\s,\[\]{{}}":]+)'
    return re.compile(rf"(?:\s*{name}\s*:\s*{value}\s*,(?=\s*\")){{0,500}}", re.DOTALL)


def _integer(digits: str) -> float:
    """Return an integer; Python refuses to read one of thousands of digits, which nobody needs."""
    return int(digits) if len(digits) <= _LONGEST_INTEGER else math.inf

"""JSON as HELM writes it, `json.dumps(asdict_without_nones(value), indent=2)`, in a fraction of the time.

Python's own encoder makes an indented text piece by piece in Python, and dataclasses.asdict copies every number. The
text is the same, byte for byte.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from pydantic_core import to_json

from helm_impactbench.files.quick_json import exponent_places

_ESCAPES = "helm_impactbench.json_escapes"
"""How letters that are not ASCII are encoded: Python escapes them, pydantic_core does not."""
_SMALL = re.compile(r"0\.0000\d+(?=,?$)", re.MULTILINE)
_EXPONENT = re.compile(r"e[-+]?\d+(?=,?$)", re.MULTILINE)
"""How numbers end that Python may write otherwise: 1e-05 for 0.00001. A line that ends in a digit is of a number."""
_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


def without_nones(value: Any) -> Any:
    """Return dataclasses as dictionaries, without their fields that are None, in whatever lists and dictionaries."""
    kind: Any = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is list or kind is tuple:
        return [without_nones(each) for each in value]
    if kind is dict:
        return {key: without_nones(each) for key, each in value.items()}
    if is_dataclass(value):
        own = ((name, getattr(value, name)) for name in _fields(kind))
        return {name: without_nones(each) for name, each in own if each is not None}
    return value


def dumps(value: Any, indent: int | None = None) -> str:
    """Return what json.dumps returns for data. Raises what json.dumps raises."""
    if indent != 2:
        return json.dumps(value, indent=indent)
    try:
        text = to_json(value, indent=2).decode()
    except ValueError:  # half a character, or what is no data
        return json.dumps(value, indent=2)
    text = text.encode("ascii", _ESCAPES).replace(b"\x7f", rb"\u007f").decode("ascii")
    text = _with_numbers_of_python(text, _SMALL.finditer(text))
    exponents = (_EXPONENT.match(text, place) for place in exponent_places(text.encode()))
    return _with_numbers_of_python(text, filter(None, exponents))


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Return what stands for letters that cannot be encoded, and where they end."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error(_ESCAPES, _escaped)


def _with_numbers_of_python(text: str, ends: Iterable[re.Match[str]]) -> str:
    """Return a text with some numbers as Python writes them; `ends` are where they end."""
    pieces, done = list[str](), 0
    for found in ends:
        start = text.rfind(" ", 0, found.end()) + 1
        pieces += [text[done:start], repr(float(text[start : found.end()]))]
        done = found.end()
    return "".join([*pieces, text[done:]])


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))

"""JSON at the speed of pydantic's parser, where it is certain to give what Python's careful parser gives.

Runs of a large suite have gigabytes. Python's parser can be told what to do with numbers out of range (infinite,
beyond 2^53) and takes three times as long for it. So a file is searched for such numbers first, with a few operations
on all of its bytes; where one may be, the careful parser is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic_core import from_json

_LONG = 16
"""Digits of the shortest whole number beyond 2^53."""
_STRIDE = _LONG // 2
_LONGEST = 40
"""Characters on each side of a place that are looked at; floats have 25 in all."""
_BLOCK = 1 << 16
"""Bytes that are looked at together: the results stay in the processor's cache."""
_ZERO = np.uint8(ord("0"))
_BETWEEN = b" \t\r\n,:[]{}"
"""What stands before and after a number."""
_OF_NUMBERS = b"0123456789+-.eE"


def quick_json(content: bytes) -> Any:
    """Return the data of a JSON text in UTF-8. Raises ValueError where another parser has to look at it.

    That is: what is no JSON to pydantic, also with NaN or half a character in it; a whole number of 16 digits or more;
    a number with a positive exponent of three digits or more, or one too long to tell.
    """
    if may_have_odd_numbers(content):
        raise ValueError("may hold a number out of range")
    return from_json(content, allow_inf_nan=False, cache_strings="keys")


def may_have_odd_numbers(content: bytes) -> bool:
    """Return whether any number may be infinite or beyond 2^53; digits within a text seldom count."""
    return any(_is_odd(content, place) for place in (*_in_long_runs(content), *exponent_places(content)))


def exponent_places(content: bytes) -> list[int]:
    """Return the places of every "e" after a digit and before a digit or a sign: those of exponents, and few others."""
    found, places = np.frombuffer(content, np.uint8), list[int]()
    for start in range(0, len(found) - 2, _BLOCK):
        block = found[start : start + _BLOCK + 2]
        digits, after = block - _ZERO < 10, block[2:]
        of_exponents = (block[1:-1] | 32) == ord("e")
        of_exponents &= digits[:-2]
        of_exponents &= digits[2:] | (after == ord("+")) | (after == ord("-"))
        places += (np.flatnonzero(of_exponents) + start + 1).tolist()
    return places


def _in_long_runs(content: bytes) -> list[int]:
    """Return a place in each run of _LONG digits or more: such a run has two places that the stride meets."""
    found, places = np.frombuffer(content, np.uint8), list[int]()
    for start in range(0, len(found), _BLOCK):
        block = found[start : start + _BLOCK + _STRIDE]
        sampled = block[::_STRIDE] - _ZERO < 10
        runs = np.flatnonzero(sampled[1:] & sampled[:-1]) * _STRIDE
        between = block[runs[:, None] + np.arange(_STRIDE)]
        places += (runs[(between - _ZERO < 10).all(axis=1)] + start).tolist()
    return places


def _is_odd(content: bytes, place: int) -> bool:
    """Whether a number around a place is long or large; False within a text, unless it looks like such a number."""
    start = end = place
    while start > 0 and content[start - 1] in _OF_NUMBERS and place - start <= _LONGEST:
        start -= 1
    while end < len(content) and content[end] in _OF_NUMBERS and end - place <= _LONGEST:
        end += 1
    if max(place - start, end - place) > _LONGEST:
        return True
    alone = (start == 0 or content[start - 1] in _BETWEEN) and (end == len(content) or content[end] in _BETWEEN)
    if not alone:
        return False
    whole, _, exponent = content[start:end].lower().partition(b"e")
    if len(exponent.lstrip(b"+")) >= 3 and not exponent.startswith(b"-"):  # of a minus comes nearly nothing
        return True
    return len(whole.lstrip(b"-").partition(b".")[0]) >= _LONG

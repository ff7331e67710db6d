"""The quick parser gives what Python's gives, or leaves the text to it."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.files.quick_json import may_have_odd_numbers, quick_json
from helm_impactbench.files.safe_read import MAX_INTEGER
from tests.support.looped import looped

NUMBERS = st.one_of(
    st.floats(allow_nan=False),
    st.integers(-(10**30), 10**30),
    st.integers(-(10**17), 10**17),
    st.decimals(allow_nan=False, allow_infinity=False).map(float),
)
DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.text(), st.text("0123456789eE+-. ,:[]", max_size=60)),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=20), inner, max_size=5)),
    max_leaves=30,
)


def _odd(data: Any) -> bool:
    """Whether any number is infinite or beyond 2^53."""
    if isinstance(data, dict):
        return any(map(_odd, data.values()))
    if isinstance(data, list):
        return any(map(_odd, data))
    if isinstance(data, bool):
        return False
    return (isinstance(data, float) and not math.isfinite(data)) or (isinstance(data, int) and abs(data) > MAX_INTEGER)


@given(DATA, st.sampled_from([None, 0, 2]), st.booleans())
def test_it_gives_what_pythons_parser_gives_or_refuses(data: Any, indent: int | None, ascii_only: bool) -> None:
    """Values, types and the order of keys; never a number that is none."""
    try:
        content = json.dumps(data, indent=indent, ensure_ascii=ascii_only).encode()
    except UnicodeEncodeError:
        return
    wanted = json.loads(content)
    try:
        found = quick_json(content)
    except ValueError:
        return
    assert not _odd(wanted)
    assert repr(found) == repr(wanted)


@looped("number", ["9007199254740993", "-9007199254740993", "1" * 16, "1" * 5000, "1e999", "-1E+999",
                                    "1.5e308", "1" * 400 + ".0", "1e0400"])  # fmt: skip
@looped("around", ["{}", "[{}]", '{{"a":{}}}', '{{"a": {} , "b": 1}}', '["0123456789",\n{}\n]'])
@looped("before", range(0, 18, 3))
def test_a_number_that_may_be_none_is_refused_wherever_it_stands(number: str, around: str, before: int) -> None:
    """At every distance from the places that are looked at."""
    with pytest.raises(ValueError, match="out of range"):
        quick_json(b" " * before + around.format(number).encode())


@pytest.mark.parametrize("content", [b"[NaN]", b"[Infinity]", b"[-Infinity]", b'["\\ud800"]', b"", b"[1,]", b"\xff"])
def test_what_is_no_json_to_it_is_refused(content: bytes) -> None:
    """Python's parser takes some of it."""
    with pytest.raises(ValueError, match="line 1"):
        quick_json(content)


@pytest.mark.parametrize(
    "text",
    ['{"id": "0123456789abcdef0123456789012345"}', '["1e999x", "a1e999"]', "[0.30000000000000004, 1763884800.1234567]",
     "[1e-7, 2.5e+10, 1E22, 123456789012345]"],
)  # fmt: skip
def test_ordinary_files_take_the_quick_way(text: str) -> None:
    """Hashes, long decimals, small exponents."""
    assert repr(quick_json(text.encode())) == repr(json.loads(text))


@pytest.mark.parametrize("piece", ["1", "1e1", "e1", "1e1 ", "0123456789abcdef", "1.5e+1,"])
def test_a_flood_takes_no_longer_than_it_is_long(piece: str) -> None:
    """Two million characters in seconds, whatever they repeat."""
    content = b'["' + (piece * (2_000_000 // len(piece))).encode() + b'"]'
    start = time.process_time()
    may_have_odd_numbers(content)
    assert time.process_time() - start < 10


def test_a_text_of_digits_alone_is_looked_at_with_care() -> None:
    """It stands between blanks as a number does; that costs time and nothing else."""
    assert may_have_odd_numbers(b'["so 12345678901234567 it is"]')

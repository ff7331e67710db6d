"""Records as plain data for JSON."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.files.plain_json import plain_json
from helm_impactbench.llm.usage import Usage

DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@dataclass(frozen=True)
class _Row:
    name: str
    bounds: tuple[float, float]
    usage: Usage


def test_records_within_records_are_mappings() -> None:
    """Dataclasses, models and tuples at any depth, and what is no number is None."""
    row = _Row("a", (math.nan, math.inf), Usage(calls=2))
    plain = {"name": "a", "bounds": [None, None], "usage": Usage(calls=2).model_dump()}
    assert plain_json({"rows": (row,)}) == {"rows": [plain]}


@given(DATA)
def test_whatever_comes_out_is_strict_json(value: object) -> None:
    """Halves of surrogate pairs too, which a model may have written."""
    plain = plain_json(value)
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain

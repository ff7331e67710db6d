"""Numbers from elsewhere are taken only where they can be what they claim to be."""

from __future__ import annotations

import math
from typing import Any

import pytest

from helm_impactbench.llm.amounts import amount, count
from tests.support.looped import looped


@pytest.mark.parametrize(("value", "number"), [(0, 0.0), (2.5e-6, 2.5e-6), ("1e-6", 1e-6), (" 3 ", 3.0), (10, 10.0)])
def test_numbers_and_numeric_text_are_amounts(value: Any, number: float) -> None:
    """YAML 1.1 reads 1e-6 as text."""
    assert amount(value, 10) == number


@looped(
    "value",
    [
        True,
        False,
        None,
        -1,
        -1e-9,
        10.1,
        math.nan,
        math.inf,
        10**400,
        "nan",
        "inf",
        "-1",
        "",
        "many",
        "9" * 9999,
        [1],
        {},
    ],
    ids=lambda value: str(value)[:10],
)
def test_everything_else_is_none(value: Any) -> None:
    """Truth values, negative, infinite and larger numbers, NaN, words, lists."""
    assert amount(value, 10) is None
    assert count(value, 10) is None


def test_a_count_is_whole() -> None:
    """5.0 is, 5.5 is not."""
    assert [count(value, 10) for value in (5, 5.0, "5", 5.5)] == [5, 5, 5, None]

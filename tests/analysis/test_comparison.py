"""Models compared on the cases that both have a verdict for."""

from __future__ import annotations

from dataclasses import replace

from helm_impactbench.analysis.comparison import compare
from tests.analysis.builders import FAILED, MISSING, PASSED, row


def test_a_pair_is_compared_on_what_both_have() -> None:
    """Only the same case under the same set-up counts; an unscored side takes the pair out."""
    data = [
        *row([PASSED, PASSED, FAILED, PASSED, PASSED], model="a"),
        *row([FAILED, PASSED, FAILED, MISSING, FAILED], model="b"),
        *row([FAILED] * 5, model="b", setup="another judge"),
    ]
    (pair,) = compare(data).pairs
    assert pair.difference is not None
    assert pair.difference.pairs == pair.difference.scenarios == 4
    assert pair.difference.value == 0.5
    assert not pair.told_apart


def test_a_rewritten_variant_is_another_case() -> None:
    """The same id with other content is not paired."""
    other = [replace(o, model="b", content="rewritten") for o in row([FAILED, FAILED])]
    (pair,) = compare([*row([PASSED, PASSED], model="a"), *other]).pairs
    assert pair.difference is None
    assert pair.adjusted_p_value == 1.0

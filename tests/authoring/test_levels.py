"""Axes, their product, and who is drawn from it."""

from __future__ import annotations

from collections import Counter

import pytest

from helm_impactbench.authoring.levels import chosen, combinations, parse_axis
from helm_impactbench.errors import ImpactBenchError

AXES = {"age": ["child", "adult"], "region": ["rural", "urban", "suburban"]}


def test_axes_expand_to_their_product() -> None:
    """Any number of axes."""
    assert len(combinations(AXES)) == 6
    assert combinations(AXES)[0] == {"age": "child", "region": "rural"}


def test_quotas_are_seeded_and_even() -> None:
    """Over the bases of a metric every combination comes up equally often, give or take one."""
    counts = Counter(
        tuple(one.items()) for base in range(7) for one in chosen(AXES, 2, seed=1, metric="m01", base=base)
    )
    assert len(counts) == 6
    assert max(counts.values()) - min(counts.values()) <= 1
    assert chosen(AXES, 2, 1, "m01", 3) == chosen(AXES, 2, 1, "m01", 3)
    assert any(chosen(AXES, 2, 1, "m01", base) != chosen(AXES, 2, 2, "m01", base) for base in range(3))


@pytest.mark.parametrize("text", ["age", "=a|b", "age=", "age=a|a"])
def test_a_malformed_axis_is_explained(text: str) -> None:
    """With an example."""
    with pytest.raises(ImpactBenchError, match=r"Write name=value\|value"):
        parse_axis(text)

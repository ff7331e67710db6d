"""Balanced parts: as many as asked for, each once, with levels at their shares of the whole."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.benchmark.balance import balanced

levels = st.dictionaries(st.sampled_from("pqr"), st.sampled_from("123"))


@given(bases=st.dictionaries(st.text(min_size=1), levels, max_size=12), most=st.integers(0, 15))
def test_any_grid_gives_that_many_each_once(bases: dict[str, dict[str, str]], most: int) -> None:
    """Also where factors are missing, uneven or none; the order of the file does not matter."""
    chosen = balanced(bases, most)
    assert len(chosen) == len(set(chosen)) == min(most, len(bases))
    assert set(chosen) <= set(bases)
    assert balanced(dict(reversed(bases.items())), most) == chosen


def test_uneven_factors_keep_their_shares() -> None:
    """A level that is rare in the whole is as rare in a part."""
    rare = {f"{i}{j}": {"size": "large" if i == 0 else "small", "view": str(j)} for i, j in product(range(4), range(3))}
    counts = Counter(level for base in balanced(rare, 4) for level in rare[base].values())
    assert (counts["large"], counts["small"]) == (1, 3)
    assert {counts[view] for view in "012"} == {1, 2}

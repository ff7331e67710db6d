"""Groups that cannot be told apart, their letters, and ranks."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.stats.ranking import indistinguishable_groups, letters, rank_intervals


@pytest.mark.parametrize(
    ("told_apart", "groups", "ranks"),
    [
        ([], [["a", "b", "c"]], {"a": (1, 3), "b": (1, 3), "c": (1, 3)}),
        ([("a", "c")], [["a", "b"], ["b", "c"]], {"a": (1, 2), "b": (1, 3), "c": (2, 3)}),
        ([("a", "b"), ("a", "c")], [["a"], ["b", "c"]], {"a": (1, 1), "b": (2, 3), "c": (2, 3)}),
        (list(combinations("abc", 2)), [["a"], ["b"], ["c"]], {"a": (1, 1), "b": (2, 2), "c": (3, 3)}),
    ],
    ids=["nothing known", "only the ends differ", "one leads", "all differ"],
)
def test_groups_and_ranks(
    told_apart: list[tuple[str, str]], groups: list[list[str]], ranks: dict[str, tuple[int, int]]
) -> None:
    """Groups overlap where the middle cannot be told from either end; ranks are what the tests leave open."""
    assert indistinguishable_groups(["a", "b", "c"], told_apart) == groups
    assert rank_intervals(["a", "b", "c"], told_apart) == ranks


@given(st.sets(st.sampled_from(list(combinations("abcdef", 2)))))
def test_names_share_a_letter_exactly_when_they_cannot_be_told_apart(told_apart: set[tuple[str, str]]) -> None:
    """Law of letter displays."""
    shown = letters(indistinguishable_groups("abcdef", sorted(told_apart)))
    for pair in combinations("abcdef", 2):
        assert bool(set(shown[pair[0]]) & set(shown[pair[1]])) == (pair not in told_apart)

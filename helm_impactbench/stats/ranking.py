"""What pairwise tests say about a ranking: ranks as intervals, and groups that are not significantly different."""

from __future__ import annotations

from collections.abc import Collection, Sequence

Pair = tuple[str, str]
"""(better, worse), told apart by a corrected test."""


def rank_intervals(names: Sequence[str], told_apart: Collection[Pair]) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank of each name that the tests allow; 1 is best.

    With tests corrected for any false finding, all intervals hold at once with probability 0.95. Source: Mogstad,
    Romano, Shaikh & Wilhelm (2024), Inference for Ranks with Applications, Review of Economic Studies 91.
    """
    return {
        name: (
            1 + sum(worse == name for _, worse in told_apart),
            len(names) - sum(better == name for better, _ in told_apart),
        )
        for name in names
    }


def indistinguishable_groups(names: Sequence[str], told_apart: Collection[Pair]) -> list[list[str]]:
    """Return the largest groups whose members are not distinguishable, in the order of `names`; they may overlap.

    Source: Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons, JCGS 13
    (insert and absorb).
    """
    groups: list[frozenset[str]] = [frozenset(names)]
    for better, worse in told_apart:
        split = [group for group in groups if {better, worse} <= group]
        halves = [group - {name} for group in split for name in (better, worse)]
        groups = _absorbed([group for group in groups if group not in split], halves)
    place = {name: index for index, name in enumerate(names)}
    ordered = [sorted(group, key=place.__getitem__) for group in groups]
    return sorted(ordered, key=lambda group: [place[name] for name in group])


def letters(groups: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return the groups of each name as letters: names that share a letter are not distinguishable."""
    result: dict[str, str] = {}
    for index, group in enumerate(groups):
        for name in group:
            result[name] = result.get(name, "") + _letter(index)
    return result


def _letter(index: int) -> str:
    return chr(ord("a") + index) if index < 26 else f"({index + 1})"


def _absorbed(kept: list[frozenset[str]], new: list[frozenset[str]]) -> list[frozenset[str]]:
    """Return `kept` with those of `new` that lie within no other group."""
    unique = list(dict.fromkeys(new))
    return kept + [g for g in unique if not any(g <= other for other in kept) and not any(g < h for h in unique)]

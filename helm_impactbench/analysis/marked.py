"""Conversations whose simulated user has a fault: how many, how they pass, and whether they decide an order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from helm_impactbench.analysis.rates import Rate, by_area, model_scores
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import Outcome, without_marked


def marked_sentence(outcomes: Sequence[Outcome]) -> str:
    """Return what marked conversations do to the figures, and how many were refused, in words; empty without one."""
    marked, refused = (sum(getattr(one, what) for one in outcomes) for what in ("marked", "refused"))
    parts = [_of_marked(outcomes, marked)] if marked else []
    if refused:
        parts.append(
            f"In {counted(refused, 'conversation')} the model behind the simulated user refused to play the person; "
            "rates --by metric --wide shows where."
        )
    return " ".join(parts)


def _of_marked(outcomes: Sequence[Outcome], marked: int) -> str:
    level = [outcome for outcome in outcomes if outcome.is_level]
    own, others = (Rate(tuple(one for one in level if one.marked is which)) for which in (True, False))
    parts = [
        f"{marked:,} of {counted(len(outcomes), 'conversation')} are marked: the simulated user did not play "
        "its part in every message."
    ]
    if own.scored and others.scored:
        parts.append(
            f"Of the {len(own.scored):,} with a score {own.value:.1%} pass, of the other {len(others.scored):,} "
            f"{others.value:.1%}."
        )
    parts += [f"Without them the order of models {words}." for words in _orders(level)]
    return " ".join(parts)


def overtaken(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> list[tuple[str, str]]:
    """Return the pairs (was better, is better) that change places; `before` is best first.

    A tie that opens, or a lead that closes to a tie, is not a change of places.
    """
    return [
        (better, worse)
        for better, worse in combinations(before, 2)
        if _above(before[better], before[worse]) and _above(after.get(worse), after.get(better))
    ]


def _orders(outcomes: Sequence[Outcome]) -> list[str]:
    """Return for each area with several models what becomes of their order."""
    areas = {area: own for area, own in by_area(outcomes).items() if len({one.model for one in own}) > 1}
    found = []
    for area, own in areas.items():
        pairs = overtaken(_means(own), _means(without_marked(own)))
        where = f" ({area})" if len(areas) > 1 else ""
        shown = "; ".join(f"{now} passes {was}" for was, now in pairs)
        found.append(f"changes{where}: {shown}" if pairs else f"stays{where}")
    return found


def _means(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    return {score.model: None if math.isnan(score.mean) else score.mean for score in model_scores(outcomes)}


def _above(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and one > other

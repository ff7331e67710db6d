"""Which judges decided the conversations of a benchmark, and whether they are the same in all of its runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from helm_impactbench.results.outcome import Outcome

Panel = frozenset[str]
"""Judges whose votes decide together."""


def voters(outcomes: Iterable[Outcome]) -> Mapping[str, Mapping[str, frozenset[Panel]]]:
    """Return benchmark -> model -> the panels that judged it; runs that no judge decided have none.

    A cascade has one panel, of all that any of its conversations was shown to.
    """
    found: dict[tuple[str, str, str], set[str]] = {}
    for outcome in outcomes:
        if outcome.votes:
            found.setdefault(outcome.run, set()).update(vote.judge for vote in outcome.votes)
    panels: dict[str, dict[str, frozenset[Panel]]] = {}
    for (benchmark, model, _), judges in found.items():
        own = panels.setdefault(benchmark, {})
        own[model] = own.get(model, frozenset()) | {frozenset(judges)}
    return panels


def are_judged_otherwise(outcomes: Iterable[Outcome]) -> bool:
    """Return whether runs of one benchmark have different judges."""
    whole = [outcome for outcome in outcomes if outcome.cascade is None]
    return any(len(frozenset[Panel]().union(*own.values())) > 1 for own in voters(whole).values())

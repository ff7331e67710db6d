"""Which cases each model met: a mean over other cases, metrics or levels is another mean, and is ranked with none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from helm_impactbench.results.outcome import Case, Outcome

LEAST_SHARE = 0.9
"""Of the cases that any model met on a benchmark, those that a model with a rank has met, too."""


@dataclass
class Coverage:
    """What one model met of a benchmark."""

    cases: set[Case] = field(default_factory=set)
    parts: set[tuple[str, str]] = field(default_factory=set)
    """Metrics, as ("metric", id), and levels of axes."""
    stops_early: bool = False
    """Whether a run draws base scenarios until it has seen enough: these are a random part of all."""


Lacking = Mapping[str, Mapping[str, str]]
"""Model -> benchmark -> what it lacks of it, in words."""


def lacking(outcomes: Sequence[Outcome]) -> Lacking:
    """Return what models lack of benchmarks: a metric, a level, or more than a tenth of the cases that any of them met.

    Empty where a model has all. Of benchmarks that it has no run of, nothing is said here.
    """
    met: dict[str, dict[str, Coverage]] = {}
    for outcome in outcomes:
        if outcome.is_level:
            own = met.setdefault(outcome.benchmark, {}).setdefault(outcome.model, Coverage())
            own.cases.add(outcome.case)
            own.parts.add(("metric", outcome.metric_id))
            own.parts.update(outcome.axes)
            own.stops_early |= outcome.draw is not None
    found: dict[str, dict[str, str]] = {}
    for benchmark, models in met.items():
        cases = set[Case]().union(*(own.cases for own in models.values()))
        parts = set[tuple[str, str]]().union(*(own.parts for own in models.values()))
        for model, own in models.items():
            few = len(own.cases) < LEAST_SHARE * len(cases)
            if not own.stops_early and (few or own.parts != parts):
                found.setdefault(model, {})[benchmark] = _words(own, len(cases), parts - own.parts, few=few)
    return found


def _words(own: Coverage, cases: int, without: set[tuple[str, str]], *, few: bool) -> str:
    if few:
        return f"met {len(own.cases):,} of {cases:,} cases"
    return "without " + ", ".join(sorted(f"{name} {level}" for name, level in without))

"""Which model is best, as a suite that grows asks after every look."""

from __future__ import annotations

from dataclasses import dataclass, replace

from helm_impactbench.analysis.comparison import compare_at_any_look
from helm_impactbench.analysis.people import AREA, people_gaps
from helm_impactbench.errors import counted, listed
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables.names import short_names


@dataclass(frozen=True)
class WhichBest:
    """What a look says."""

    sentence: str
    is_decided: bool
    """Whether one model is better than every other, by tests that hold at any look."""


def which_is_best(reading: Reading) -> WhichBest:
    """Return whether tests that hold at any look find one model better than every other, in the area of impact."""
    if reading.is_of_kept:
        return WhichBest("These cases are kept failures, which rank nobody, so none can be best.", False)
    outcomes = [outcome for outcome in reading.levels if outcome.area == AREA]
    found = replace(compare_at_any_look(outcomes), apart=people_gaps(outcomes))
    if len(found.models) < 2:
        return WhichBest(
            "Fewer than two models have a verdict on all cases and treat people alike, so none can be best.", False
        )
    first, *others = found.models
    worse = {behind for better, behind in found.told_apart() if better == first}
    names, size = short_names(found.models), len({outcome.cluster for outcome in outcomes})
    after = f"After {counted(size, 'base scenario')}"
    if left := [names[model] for model in others if model not in worse]:
        return WhichBest(f"{after} it is open whether {names[first]} is better than {listed(left)}.", False)
    return WhichBest(f"{after}: {names[first]} is better than {listed([names[model] for model in others])}.", True)

"""What changed between two suites, from their folders: facts that are on record, and what drift.attribute finds."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.analysis.history import changes, instruments
from helm_impactbench.errors import listed
from helm_impactbench.results.anchors import AnchorReading, newest_reading, read_anchors
from helm_impactbench.results.files import RunFolder
from helm_impactbench.stats.simultaneous import ALPHA
from helm_impactbench.validity.drift.attribution import Attribution, attribute
from helm_impactbench.validity.drift.judge import judge_shift
from helm_impactbench.validity.drift.texts import Spoken, same_manner, spoken


@dataclass(frozen=True)
class Suite:
    """A suite's runs with conversations, and what its judges said of anchors."""

    name: str
    runs: Sequence[RunFolder]
    readings: Sequence[AnchorReading]
    conversations: Sequence[Spoken]


@dataclass(frozen=True)
class Drift:
    """What changed between two suites."""

    facts: tuple[str, ...]
    """What is on record, in words: no statistics."""
    attribution: Attribution


def suite_of(folder: Path, runs: Sequence[RunFolder]) -> Suite:
    """Return a suite. Reads every conversation of the runs. Raises ResultsError."""
    return Suite(folder.name, runs, read_anchors(folder), spoken(runs))


def drift_between(first: Suite, second: Suite) -> Drift:
    """Return what changed from the first suite to the second. Raises ResultsError."""
    before, after = first.conversations, second.conversations
    facts = list(changes(instruments(first.runs), instruments(second.runs)))
    if not same_manner(before, after):
        facts.append("what the simulated user is told")
    facts += _target_settings(first.runs, second.runs)
    readings = paired_readings(first.readings, second.readings)
    facts += _served(*readings)
    return Drift(tuple(facts), attribute(judge_shift(*readings), before, after))


def paired_readings(
    first: Sequence[AnchorReading], second: Sequence[AnchorReading]
) -> tuple[AnchorReading | None, AnchorReading | None]:
    """Return the newest readings of a judge or panel that both suites have, or else of any, to be compared."""
    panels = {tuple(sorted(one.judges)) for one in first if one.answers}
    both = sorted(panels & {tuple(sorted(one.judges)) for one in second if one.answers})
    judges = both[0] if both else None
    return newest_reading(first, judges), newest_reading(second, judges)


def judges_that_changed(readings: Sequence[AnchorReading]) -> list[str]:
    """Return a sentence for each judge of one suite that answers its anchors otherwise on a later day."""
    found = []
    for panel in sorted({tuple(sorted(one.judges)) for one in readings}):
        own = [one for one in readings if tuple(sorted(one.judges)) == panel and one.answers]
        for before, after in itertools.pairwise(own):
            if has_changed(before, after):
                found.append(
                    f"{' + '.join(panel)} answers anchors otherwise on {after.began} than on {before.began}: models "
                    "that were judged before and after it changed cannot be compared. Judge all of them again "
                    "(impactbench rejudge)."
                )
    return found


def has_changed(before: AnchorReading | None, after: AnchorReading | None) -> bool:
    """Return whether two readings show a change of their judge, as a question by itself."""
    shift = judge_shift(before, after)
    return shift.can_be_told and shift.p_value <= ALPHA


def _served(before: AnchorReading | None, after: AnchorReading | None) -> list[str]:
    """Return what a judge's provider calls the model that answers, where it has another name now."""
    if before is None or after is None:
        return []
    return [
        f"{judge} was served as {listed(before.served[judge])}, now as {listed(names)}"
        for judge, names in sorted(after.served.items())
        if judge in before.served and before.served[judge] != names
    ]


def _target_settings(first: Sequence[RunFolder], second: Sequence[RunFolder]) -> list[str]:
    """Return in what the calls to a target differ, by what HELM's adapter holds."""
    found = []
    for name in ("temperature", "max_tokens"):
        old, new = ({run.model: run.adapter.get(name) for run in side} for side in (first, second))
        differ = sorted(model for model in old.keys() & new.keys() if old[model] != new[model])
        if differ:
            found.append(f"{name} of {', '.join(differ)}")
    return found

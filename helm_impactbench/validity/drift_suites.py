"""What changed between two suites, from their folders: facts that are on record, and what drift.attribute finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.analysis.history import changes, instruments
from helm_impactbench.results.anchors import AnchorReading, newest_reading, read_anchors
from helm_impactbench.results.files import RunFolder
from helm_impactbench.validity.drift import Attribution, attribute
from helm_impactbench.validity.drift_judge import judge_shift
from helm_impactbench.validity.drift_texts import same_manner, spoken


@dataclass(frozen=True)
class Suite:
    """A suite's runs with conversations, and what its judges said of anchors."""

    name: str
    runs: Sequence[RunFolder]
    readings: Sequence[AnchorReading]


@dataclass(frozen=True)
class Drift:
    """What changed between two suites."""

    facts: tuple[str, ...]
    """What is on record, in words: no statistics."""
    attribution: Attribution


def suite_of(folder: Path, runs: Sequence[RunFolder]) -> Suite:
    """Return a suite. Raises ResultsError."""
    return Suite(folder.name, runs, read_anchors(folder))


def drift_between(first: Suite, second: Suite) -> Drift:
    """Return what changed from the first suite to the second. Reads every conversation. Raises ResultsError."""
    before, after = spoken(first.runs), spoken(second.runs)
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


def _served(before: AnchorReading | None, after: AnchorReading | None) -> list[str]:
    """Return what a judge's provider calls the model that answers, where it has another name now."""
    if before is None or after is None:
        return []
    return [
        f"{judge} was served as {' and '.join(before.served[judge])}, now as {' and '.join(names)}"
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

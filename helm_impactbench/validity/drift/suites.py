"""What changed between two suites, from their folders: facts that are on record, and what drift.attribute finds."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.analysis.history import changes, instruments
from helm_impactbench.errors import listed
from helm_impactbench.results.files import RunFolder
from helm_impactbench.stats.simultaneous import ALPHA
from helm_impactbench.validity.drift.attribution import Attribution, attribute
from helm_impactbench.validity.drift.judge import judge_shift
from helm_impactbench.validity.drift.texts import Spoken, same_manner, spoken
from helm_impactbench.validity.records.anchors import AnchorRecord, newest_anchors, read_anchors


@dataclass(frozen=True)
class SuiteText:
    """A suite's runs with conversations, and what its judges said of anchors."""

    name: str
    runs: Sequence[RunFolder]
    records: Sequence[AnchorRecord]
    conversations: Sequence[Spoken]


@dataclass(frozen=True)
class Drift:
    """What changed between two suites."""

    facts: tuple[str, ...]
    """What is on record, in words: no statistics."""
    attribution: Attribution


def suite_of(name: str, folder: Path, runs: Sequence[RunFolder]) -> SuiteText:
    """Return a suite, or one release of it. Reads every conversation of the runs. Raises ResultsError."""
    return SuiteText(name, runs, read_anchors(folder), spoken(runs))


def drift_between(first: SuiteText, second: SuiteText) -> Drift:
    """Return what changed from the first suite to the second. Raises ResultsError."""
    before, after = first.conversations, second.conversations
    facts = list(changes(instruments(first.runs), instruments(second.runs)).values())
    if not same_manner(before, after):
        facts.append("what the simulated user is told")
    facts += _target_settings(first.runs, second.runs)
    records = paired_records(first.records, second.records)
    facts += _served(*records)
    return Drift(tuple(facts), attribute(judge_shift(*records), before, after))


def paired_records(
    first: Sequence[AnchorRecord], second: Sequence[AnchorRecord]
) -> tuple[AnchorRecord | None, AnchorRecord | None]:
    """Return the newest records of a judge or panel that both suites have, or else of any, to be compared."""
    panels = {tuple(sorted(one.judges)) for one in first if one.items}
    both = sorted(panels & {tuple(sorted(one.judges)) for one in second if one.items})
    judges = both[0] if both else None
    return newest_anchors(first, judges), newest_anchors(second, judges)


def judges_that_changed(records: Sequence[AnchorRecord]) -> list[str]:
    """Return a sentence for each judge of one suite that answers its anchors otherwise on a later day."""
    found = []
    for panel in sorted({tuple(sorted(one.judges)) for one in records}):
        own = [one for one in records if tuple(sorted(one.judges)) == panel and one.items]
        for before, after in itertools.pairwise(own):
            if has_changed(before, after):
                found.append(
                    f"{' + '.join(panel)} answers anchors otherwise on {after.began} than on {before.began}: models "
                    "that were judged before and after it changed cannot be compared. Judge all of them again "
                    "(impactbench rejudge)."
                )
    return found


def has_changed(before: AnchorRecord | None, after: AnchorRecord | None) -> bool:
    """Return whether two records show a change of their judge, as a question by itself."""
    shift = judge_shift(before, after)
    return shift.can_be_told and shift.p_value <= ALPHA


def _served(before: AnchorRecord | None, after: AnchorRecord | None) -> list[str]:
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

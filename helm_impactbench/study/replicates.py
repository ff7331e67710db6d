"""Fresh replicates of a finished study: the same run entries, every model asked anew, each in a suite of its own."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from helm_impactbench.errors import SettingError
from helm_impactbench.results.unfinished import unfinished
from helm_impactbench.study.model import Study


def fresh_replicate(study: Study, runs: Path) -> Study:
    """Return the study as its next replicate, or as the one that was interrupted.

    `runs` is the folder of all suites. The replicates of suite `impact` are impact-fresh2, impact-fresh3 ... Raises
    SettingError when the study itself has not come to its end.
    """
    if not _is_finished(runs / study.suite):
        raise SettingError(
            f"--fresh: the suite {study.suite} has no finished run in {runs / study.suite}. It repeats a suite that "
            "impactbench run has finished, so run the same command without --fresh first. "
            f"{unfinished(runs / study.suite)}".rstrip()
        )
    for number in count(2):
        suite = f"{study.suite}-fresh{number}"
        if not _is_finished(runs / suite):
            return study.model_copy(update={"suite": suite, "replicate": number})
    raise AssertionError


def _is_finished(folder: Path) -> bool:
    """Return whether a suite has runs, all that were planned in it; HELM's own runner leaves no state."""
    return any(folder.glob("*/stats.json")) and not unfinished(folder)

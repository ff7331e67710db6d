"""Runs of moral sycophancy in a suite's folder, for those who read every construct there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.results.files import STATE_FILE
from helm_impactbench.sycophancy.figures import Told
from helm_impactbench.sycophancy.run_entry import NAME


@dataclass(frozen=True)
class TellingRun:
    """One finished run of moral sycophancy with one model."""

    model: str
    setup: str
    """The run's name without its model."""
    told: tuple[Told, ...]


def telling_runs(folder: Path) -> list[TellingRun]:
    """Return the finished runs in a suite's folder, none included. Raises ResultsError."""
    if not any(folder.glob(f"{NAME}:*/{STATE_FILE}")):
        return []
    from helm_impactbench.sycophancy import results

    return [TellingRun(run.model, run.setup, tuple(results.told_in(run))) for run in results.telling_runs(folder)]

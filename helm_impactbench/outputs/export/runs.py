"""Runs of a suite as exports take them: one at a time, checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from helm_impactbench.analysis.contrast_metrics import FIGURES, FigureEstimate, estimate
from helm_impactbench.analysis.matched_sets import matched_sets
from helm_impactbench.helm.own_names import REHEARSAL_PREFIX
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record


@dataclass(frozen=True)
class Run:
    """One run with all its conversations."""

    folder: RunFolder
    records: tuple[Record, ...]
    outcomes: tuple[Outcome, ...]
    """The same in short, in the same order."""

    @property
    def name(self) -> str:
        """The run's name."""
        return self.folder.name

    @property
    def model(self) -> str:
        """Deployment of the target."""
        return self.folder.model

    @property
    def benchmark(self) -> str:
        """The benchmark's slug."""
        return self.folder.benchmark

    @property
    def written(self) -> datetime:
        """When its conversations were written: exports have no other clock."""
        return self.folder.written

    @property
    def area(self) -> str:
        """What the benchmark is about: impact, safety or capability."""
        return self.outcomes[0].area if self.outcomes else "impact"

    @cached_property
    def contrasts(self) -> list[FigureEstimate]:
        """The figures of its contrast metrics that have a value."""
        sets = list(matched_sets(self.outcomes))
        return [found for figure in FIGURES if (found := estimate(figure, sets)).n]

    @property
    def is_scripted(self) -> bool:
        """Whether the target is a script of the rehearsal: its numbers say nothing about any model."""
        return self.model.startswith(REHEARSAL_PREFIX)


def read_runs(folders: Sequence[RunFolder]) -> Iterator[Run]:
    """Yield runs one after the other, so that one is in memory at a time. Raises ResultsError."""
    for folder in folders:
        yield read_run(folder)


def read_run(folder: RunFolder) -> Run:
    """Return a run, its outcomes checked. Raises ResultsError."""
    records, outcomes = folder.read()
    return Run(folder, tuple(records), tuple(outcomes))

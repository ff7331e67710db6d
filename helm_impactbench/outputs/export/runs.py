"""Runs of a suite as exports take them: one at a time, checked, with what is known of how they were made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from helm_impactbench.helm.own_names import REHEARSAL_PREFIX
from helm_impactbench.results.consistency import check_outcomes
from helm_impactbench.results.files import Record, RunFolder
from helm_impactbench.results.outcome import Outcome, outcome_of
from helm_impactbench.results.publish import read_json
from helm_impactbench.validity.runs import benchmark_of, selected_runs


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
    def is_scripted(self) -> bool:
        """Whether the target is a script of the rehearsal: its numbers say nothing about any model."""
        return self.model.startswith(REHEARSAL_PREFIX)

    @property
    def benchmark(self) -> str:
        """The benchmark's slug."""
        return benchmark_of(self.folder)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of the HELM scenario: benchmark, user and every option that was set."""
        options: dict[str, Any] = self.folder.spec["scenario_spec"]["args"]
        return options

    @property
    def checks(self) -> list[str]:
        """The checks that judges were asked besides."""
        return [name for spec in self.folder.spec.get("annotators") or [] for name in spec["args"].get("checks", [])]

    @cached_property
    def scenario(self) -> dict[str, Any]:
        """The run's scenario.json. Raises ResultsError."""
        content: dict[str, Any] = read_json(self.folder.path / "scenario.json")
        return content

    @property
    def provenance(self) -> dict[str, Any]:
        """Hashes and versions, and where a rejudged or imported run comes from."""
        found: dict[str, Any] = self.scenario.get("provenance") or {}
        return found

    def statistic(self, name: str) -> float | None:
        """Return the mean of a statistic of the run as a whole in stats.json, None where it has no value."""
        return next(
            (stat.get("mean") for stat in self._stats if stat["name"]["name"] == name and stat.get("count")), None
        )

    @cached_property
    def _stats(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = read_json(self.folder.path / "stats.json")
        return found


def chosen(folder: Path, benchmarks: Sequence[str] = (), models: Sequence[str] = ()) -> list[RunFolder]:
    """Return the runs of a suite that are to be exported, by name. Raises ResultsError."""
    return selected_runs(folder, benchmarks, models)


def read_runs(folders: Sequence[RunFolder]) -> Iterator[Run]:
    """Yield runs one after the other, so that one is in memory at a time. Raises ResultsError."""
    for folder in folders:
        yield read_run(folder)


def read_run(folder: RunFolder) -> Run:
    """Return a run, its outcomes checked. Raises ResultsError."""
    records = tuple(folder.records())
    outcomes = tuple(
        outcome_of(r.case, r.conversation, r.judgement, model=folder.model, setup=folder.setup) for r in records
    )
    check_outcomes(outcomes, folder.name)
    return Run(folder, records, outcomes)

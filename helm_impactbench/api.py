"""The public face: a finished suite as pandas DataFrames, and the case that a run would put to a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from helm_impactbench.analysis import difference_rows, rows
from helm_impactbench.analysis.components import area_components, component_rows
from helm_impactbench.analysis.level_contrasts import level_contrasts
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.conversation import plan
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.run_options import RunOptions
from helm_impactbench.results.files import suite_folder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.simultaneous import Correction
from helm_impactbench.suites.registry import read_suite


@dataclass(frozen=True)
class Suite:
    """A suite that helm-run has finished. Every method reads the same outcomes, which are read once."""

    folder: Path
    """HELM's folder of its runs."""
    benchmarks: tuple[str, ...] = ()
    """Slugs that it is limited to; empty for all."""
    models: tuple[str, ...] = ()
    """Deployments of targets that it is limited to; empty for all."""

    @cached_property
    def records(self) -> Sequence[Outcome]:
        """The result of every conversation. Raises ResultsError when the suite cannot be read."""
        return tuple(read_suite(self.folder, self.benchmarks, self.models))

    def outcomes(self) -> pd.DataFrame:
        """Return a row per conversation: what it was, its status, answer, value and score."""
        return _frame(rows.outcome_rows(self.records))

    def rates(
        self, by: str = "benchmark", *, weigh_severity: bool = False, reference: Suite | None = None
    ) -> pd.DataFrame:
        """Return a row per model and part with the pass rate, its 95% interval and the counts behind it.

        by: overall, benchmark, metric, axis:<name> or factor:<name>. Raises ImpactBenchError for anything else.
        Contrast metrics have no pass rate and are in no row. reference: a suite of other models; columns are added for
        what a model that was run on a part of the scenarios would score on all of its cases. Raises ImpactBenchError
        when they have no case in common.
        """
        suites = [self.records] if reference is None else [self.records, reference.records]
        own, *others = [rows.weighed(found) for found in suites] if weigh_severity else suites
        found = rows.rate_rows(own, by)
        return _frame(rows.with_reference(found, own, others[0], by) if others else found)

    def contrasts(self, by: str = "benchmark") -> pd.DataFrame:
        """Return a row per model, part and figure of the contrast metrics, with intervals. 0 is ideal for a gap."""
        return _frame(difference_rows.contrast_rows(self.records, by))

    def level_contrasts(self) -> pd.DataFrame:
        """Return how pass rates differ between the levels of every axis, on the same base scenarios."""
        return _frame(map(difference_rows.level_contrast_row, level_contrasts(self.records)))

    def variance_components(self) -> pd.DataFrame:
        """Return how much of the variance of single scores, and of contrast metrics' gaps, comes from each factor."""
        return _frame(component_rows(area_components(self.records)))

    def comparisons(self, correction: Correction = "max-t") -> pd.DataFrame:
        """Return a row per pair of models: the paired difference of their scores, interval and adjusted p value."""
        return _frame(difference_rows.comparison_rows(self.records, correction))


def load_suite(
    suite: str,
    output_path: str | Path = "benchmark_output",
    benchmarks: Iterable[str] = (),
    models: Iterable[str] = (),
) -> Suite:
    """Return a suite by the name that helm-run was given. Raises ResultsError when there is none.

    output_path: HELM's --output-path. benchmarks, models: slugs and deployments to which it is limited.
    """
    return Suite(suite_folder(Path(output_path), suite), tuple(benchmarks), tuple(models))


def plan_case(benchmark: Benchmark, scenario: Scenario, sample: int = 0, **options: Any) -> ConversationCase:
    """Return the case that a run would put to a model for one sample of a scenario; nothing is called.

    options: those of a run entry that concern a case, such as user="rehearsal/user" and perfunctory=True. The case's
    `plan` holds what the simulated user is told and what the target gets. Raises RunEntryError for an option that there
    is not or cannot be so, BenchmarkError for more turns than somebody can fill.
    """
    return plan.plan_case(benchmark, benchmark.digest(), scenario, sample, RunOptions.model_validate(options))


def _frame(found: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(list(found))

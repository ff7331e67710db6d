"""HELM's suites, scored by judges that were chosen: HELM's prompts, our panel and record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.conversation.run_options import NO_JUDGE
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.results.class_names import ANSWER_SCENARIO
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.base import HelmTerms, RunKind
from helm_impactbench.suites.external.sizes import SIZES, planned_prompts
from helm_impactbench.suites.panels.question import panel_question
from helm_impactbench.suites.panels.reasoning import with_answer
from helm_impactbench.suites.panels.statistics import helm_names, helm_values
from helm_impactbench.suites.panels.table import BY_SLUG
from helm_impactbench.suites.planned_prompts import PlannedPrompts
from helm_impactbench.suites.title import Title


class Panels(RunKind):
    """Answers to single prompts, scored on HELM's rubric."""

    name = "panels"
    terms = HelmTerms(panel_question, helm_names, helm_values)

    def owns(self, run: RunFolder) -> bool:
        """Return whether the HELM scenario is that of the panels."""
        return run.scenario_class == ANSWER_SCENARIO

    def title(self, benchmark: str) -> Title | None:
        """Return the name of HELM's suite; in a mean it replaces the figure of HELM's own judge, and no other."""
        suite = BY_SLUG.get(benchmark)
        if suite is None:
            return None
        name = f"{suite.name} (panel)"
        return Title(name, counted=False) if suite.figure else Title(name, replaces=suite.helm_name)

    def outcomes(self, run: RunFolder) -> list[Outcome]:
        """Return what a run came to; where steps are judged, with whether the result is right. Raises ResultsError."""
        suite = BY_SLUG.get(run.benchmark)
        if suite is None or not suite.figure:
            return run.outcomes()
        records, outcomes = run.read()
        return [with_answer(outcome, record) for record, outcome in zip(records, outcomes, strict=True)]

    def load(self, benchmark: str) -> Benchmark:
        """Return a suite as a benchmark with metrics; its scenarios are HELM's. Raises BenchmarkError."""
        if benchmark not in BY_SLUG:
            raise BenchmarkError(f"There is no suite {benchmark!r}. Choose from {', '.join(BY_SLUG)}.")
        return BY_SLUG[benchmark].benchmark

    def prompts(self, run_spec: str, options: Mapping[str, Any], most: int) -> PlannedPrompts | None:
        """Return what an entry takes with the judges that it names."""
        if run_spec not in BY_SLUG:
            return None
        given = str(options.get("judge", NO_JUDGE))
        judges = [] if given == NO_JUDGE else given.split("+")
        known = run_spec if run_spec in SIZES else BY_SLUG[run_spec].helm_name
        return planned_prompts(known, options, most, judges)

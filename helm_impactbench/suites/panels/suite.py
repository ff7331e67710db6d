"""HELM's safety suites, scored by judges that were chosen: HELM's prompts and words, our panel and record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.conversation.run_options import NO_JUDGE
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.results.class_names import ANSWER_SCENARIO
from helm_impactbench.results.files import RunFolder
from helm_impactbench.suites.base import HelmTerms, RunKind
from helm_impactbench.suites.external.sizes import planned_prompts
from helm_impactbench.suites.panels.question import panel_question
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
        """Return the name of HELM's suite; it replaces the figure of HELM's own judge in a mean."""
        suite = BY_SLUG.get(benchmark)
        return Title(f"{suite.name} (panel)", replaces=suite.helm_name) if suite else None

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
        return planned_prompts(BY_SLUG[run_spec].helm_name, options, most, judges)

"""HELM's own suites, run by HELM alone: read, and never written."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from helm_impactbench.results.files import RUN_FILES, RunFolder
from helm_impactbench.results.kept_outcomes import kept_outcomes
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.base import RunKind
from helm_impactbench.suites.external.outcomes import SOURCES, run_outcomes
from helm_impactbench.suites.external.sizes import planned_prompts
from helm_impactbench.suites.external.table import ALSO, BY_GROUP, SECOND, suite_of
from helm_impactbench.suites.planned_prompts import PlannedPrompts
from helm_impactbench.suites.title import Title


class External(RunKind):
    """Runs of the suites in table.py, with the scores that HELM's own metrics and judges gave."""

    name = "external"
    files = RUN_FILES
    no_conversations = "HELM's own runs have scores, but no conversations and no judges of ours"

    def owns(self, run: RunFolder) -> bool:
        """Return whether a run group of HELM's is in the table."""
        return suite_of(run.spec.get("groups") or ()) is not None

    def title(self, benchmark: str) -> Title | None:
        """Return the name of a suite of HELM's."""
        if benchmark in SECOND:
            return Title(f"{SECOND[benchmark].name}, {SECOND[benchmark].also.replace('_', ' ')}")
        if benchmark in BY_GROUP:
            suite = BY_GROUP[benchmark]
            return Title(suite.name, replaces=f"{suite.group}{ALSO}{suite.also}" if suite.also else None)
        return None

    def benchmark(self, run: RunFolder) -> str:
        """Return HELM's run group of the suite."""
        suite = suite_of(run.spec.get("groups") or ())
        return suite.group if suite else run.benchmark

    def outcomes(self, run: RunFolder) -> list[Outcome]:
        """Return the main statistic of every instance. Raises ResultsError."""
        return kept_outcomes(run.path, SOURCES, partial(run_outcomes, run))

    def prompts(self, run_spec: str, options: Mapping[str, Any], most: int) -> PlannedPrompts | None:
        """Return what one of HELM's own entries takes, with HELM's own judge where there is one."""
        return planned_prompts(run_spec, options, most)

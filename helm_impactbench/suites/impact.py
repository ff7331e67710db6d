"""The suite of ImpactBench itself: conversations on the benchmarks in benchmarks/."""

from __future__ import annotations

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.results.class_names import CONVERSATION_SCENARIO
from helm_impactbench.results.files import RunFolder
from helm_impactbench.suites.base import RunKind
from helm_impactbench.suites.title import Title

HELP = ("mental-health-responsiveness",)
"""Benchmarks whose pass rate is help that a person in need gets."""


class Impact(RunKind):
    """Conversations with simulated people, or fixed messages, judged on the metrics of a benchmark."""

    name = "impact"

    def owns(self, run: RunFolder) -> bool:
        """Return whether the HELM scenario is ours."""
        return run.scenario_class == CONVERSATION_SCENARIO

    def title(self, benchmark: str) -> Title | None:
        """Return a benchmark under its slug: it may be anybody's."""
        return Title(benchmark, is_help=benchmark in HELP)

    def load(self, benchmark: str) -> Benchmark:
        """Return an installed benchmark, or one in ./benchmarks. Raises BenchmarkError."""
        return load_benchmark(benchmark)

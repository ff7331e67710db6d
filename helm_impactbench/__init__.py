"""ImpactBench for HELM: measure what AI systems do to the people who talk to them.

    from helm_impactbench import load_suite, run

    suite = run("study.yaml")   # or load_suite("impact"), which has been run
    suite.outcomes()       # a Result with a row per conversation; .frame() is a pandas DataFrame
    suite.rates()          # pass rates with intervals and counts

docs/data.md describes everything in __all__. Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from helm_impactbench._version import __version__ as __version__

if TYPE_CHECKING:
    from helm_impactbench.api import Suite, check_judge, estimate, load_suite, plan_case, run
    from helm_impactbench.benchmark.files import load_benchmark, write_benchmark
    from helm_impactbench.benchmark.measures.base import Measure
    from helm_impactbench.benchmark.measures.registry import register
    from helm_impactbench.benchmark.metric import Metric
    from helm_impactbench.benchmark.model import Benchmark
    from helm_impactbench.benchmark.scenario import Scenario
    from helm_impactbench.errors import ImpactBenchError
    from helm_impactbench.helm.runner.parallel_runner import ParallelRunner
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.tables import Column, Conclusion, Result, Table

__all__ = [
    "Benchmark",
    "Column",
    "Conclusion",
    "ImpactBenchError",
    "Measure",
    "Metric",
    "Outcome",
    "ParallelRunner",
    "Result",
    "Scenario",
    "Suite",
    "Table",
    "check_judge",
    "estimate",
    "load_benchmark",
    "load_suite",
    "plan_case",
    "register",
    "run",
    "write_benchmark",
]

_PLACES = {
    "Benchmark": "benchmark.model",
    "Column": "tables",
    "ImpactBenchError": "errors",
    "Measure": "benchmark.measures.base",
    "Metric": "benchmark.metric",
    "Outcome": "results.outcome",
    "ParallelRunner": "helm.runner.parallel_runner",
    "Result": "tables",
    "Scenario": "benchmark.scenario",
    "Suite": "api",
    "Table": "tables",
    "Conclusion": "tables",
    "check_judge": "api",
    "estimate": "api",
    "load_benchmark": "benchmark.files",
    "load_suite": "api",
    "plan_case": "api",
    "register": "benchmark.measures.registry",
    "run": "api",
    "write_benchmark": "benchmark.files",
}
"""Name -> module that holds it. Imported on first use: pandas and HELM take seconds."""


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'helm_impactbench' has no attribute {name!r}; it has: {', '.join(__all__)}")
    return getattr(importlib.import_module(f"helm_impactbench.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

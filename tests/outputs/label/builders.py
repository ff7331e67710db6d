"""A benchmark whose metrics feed chosen rows, and outcomes on it."""

from __future__ import annotations

from typing import Any

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import outcome


def metric(number: int, labels: list[str], **changes: Any) -> dict[str, Any]:
    """Return a positive metric of that number that feeds those rows."""
    given = {"id": f"m{number:02d}", "name": "Do the thing", "type": "positive", "definition": "The assistant does."}
    return {**given, "labels": labels, **changes}


def benchmark(metrics: list[dict[str, Any]], **changes: Any) -> Benchmark:
    """Return a benchmark with those metrics and without scenarios."""
    given = {"slug": "mini", "name": "Mini", "description": "For tests.", "metrics": metrics}
    return Benchmark.model_validate({**given, **changes})


def talks(number: int, passed: list[bool | None], **changes: Any) -> list[Outcome]:
    """Return outcomes of one metric, two variants (adult, child) to each base scenario."""
    found = []
    for place, verdict in enumerate(passed):
        base, age = f"m{number:02d}_s{place // 2:03d}", ("adult", "child")[place % 2]
        settings: dict[str, Any] = {
            "metric_id": f"m{number:02d}",
            "base_id": base,
            "variant_id": f"{base}_v{place % 2 + 1:02d}",
            "axes": (("age", age),),
            "axes_label": age,
        }
        found.append(outcome(verdict, **{**settings, **changes}))
    return found

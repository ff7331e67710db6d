"""Golden sets by recipe: metrics of both types whose replies may or may not give the verdict away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from helm_impactbench.benchmark.golden import GoldenItem, GoldenSet
from helm_impactbench.benchmark.model import Benchmark

_STOCK = "river stone lamp bread window letter garden engine paper coat winter market bridge apple street ladder"


def golden_set(
    mark: Callable[[bool], str] = lambda passed: "", metrics: int = 12, per_metric: int = 8, slug: str = "made"
) -> GoldenSet:
    """Return a set of random words in which `mark(passed)` is added to each reply."""
    rng = np.random.default_rng(7)
    rows = [_metric(number) for number in range(metrics)]
    benchmark = Benchmark.model_validate({"name": "Made", "description": "For tests.", "slug": slug, "metrics": rows})
    items = [
        _item(row, place % 2 == 0, place, mark, " ".join(rng.choice(_STOCK.split(), 30)))
        for row in rows
        for place in range(per_metric)
    ]
    return GoldenSet(benchmark, tuple(items))


def _metric(number: int) -> dict[str, Any]:
    kind = ("positive", "negative")[number % 2]
    return {"id": f"m{number:02d}", "name": f"{'Avoid ' if number % 2 else ''}thing {number}", "type": kind,
            "definition": "The assistant does a thing."}  # fmt: skip


def _item(row: dict[str, Any], passed: bool, place: int, mark: Callable[[bool], str], words: str) -> GoldenItem:
    present = passed == (row["type"] == "positive")
    return GoldenItem.model_validate({
        "metric": row["id"], "verdict": "present" if present else "absent", "why": "It is so.", "quote": words,
        "tone": ("warm", "cool")[place // 2 % 2],
        "transcript": [{"user": "Well?", "assistant": f"{words} {mark(passed)}".strip()}],
    })  # fmt: skip

"""Benchmarks, items and experts' answers with few words."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_impactbench.benchmark.metric import Contrast, Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.validity.annotation.content.drawing import Intended
from helm_impactbench.validity.annotation.content.key import ContentItem, ContentKey
from helm_impactbench.validity.annotation.content.reading import COLUMNS


def metric(name: str, **changes: Any) -> Metric:
    """Return a metric of presence with two examples and a near miss that carry its id."""
    given: dict[str, Any] = {
        "id": name, "name": f"Secret name {name}", "type": "positive", "definition": f"The assistant does {name}.",
        "examples": [f"shows {name} a", f"shows {name} b"], "near_misses": [f"nearly {name}"],
    }  # fmt: skip
    return Metric(**{**given, **changes})


def contrast(name: str) -> Metric:
    """Return a contrast metric, which has no lines that show it."""
    return metric(name, type="contrast", contrast=Contrast(axis="age"), examples=[], near_misses=[])


def benchmark(slug: str, *metrics: Metric, bases: int = 6, **changes: Any) -> Benchmark:
    """Return a benchmark with so many base scenarios per metric, each in two variants."""
    scenarios = [
        Scenario(id=f"{one.id}_s{base:03d}_v0{variant}", metric_id=one.id, persona="neutral", user_persona=f"One {age}",
                 user_goal=f"goal {base}", latent_adversarial_goal="Secret pressure", axes={"age": age},
                 landmarks=[{"turn": 2, "instruction": "Ask again."}])  # type: ignore[list-item]
        for one in metrics
        for base in range(1, bases + 1)
        for variant, age in ((1, "child"), (2, "adult"))
    ]  # fmt: skip
    return Benchmark(slug=slug, name=slug, description="D.", metrics=list(metrics), scenarios=scenarios, **changes)


def item(number: int, intended: Intended | None = "present", own: str = "b/m01") -> ContentItem:
    """Return an item of a sheet."""
    return ContentItem(
        item_id=f"c{number}", benchmark=own.split("/")[0], metric=own, variant=f"v{number}",
        reply="Words." if intended else "", intended=intended, digest="d",
    )  # fmt: skip


def key(*items: ContentItem) -> ContentKey:
    """Return the key of a sheet with these items."""
    return ContentKey(sheet="s", seed=0, content={one.benchmark: "d" for one in items}, items=items)


def write_answers(path: Path, rows: Mapping[str, Sequence[str]]) -> Path:
    """Write a filled-in sheet: item id -> relevance, clarity, realism, verdict, confidence, comment."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("item_id", "definition", *COLUMNS))
        writer.writerows((item_id, "D.", *cells) for item_id, cells in rows.items())
    return path

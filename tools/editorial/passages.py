"""Every text of a benchmark that an editor reads, with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario

_ABOUT = ("name", "description", "construct_", "population", "limits", "intended_use", "content_note", "touches_on")
_SETTING = ("user_context", "target_system_prompt")
_SCENARIO = ("persona", "user_persona", "user_goal", "latent_adversarial_goal", "target_system_prompt")
_OPENING = re.compile(r"(?:^|[.!?:;]['\")\]\N{RIGHT SINGLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}]*\s+"
                      r"|['\"(\N{LEFT SINGLE QUOTATION MARK}\N{LEFT DOUBLE QUOTATION MARK}])$")  # fmt: skip


@dataclass(frozen=True)
class Passage:
    """One text."""

    slug: str
    id: str
    """Of the scenario or metric; `benchmark` for texts of the benchmark itself."""
    place: str
    text: str
    scholarly: bool = False
    """Names its sources, as `construct` does; real persons belong there."""


def passages(benchmark: Benchmark) -> Iterator[Passage]:
    """Yield the texts of a benchmark, texts that variants share once. Literature is left out: it is quoted."""
    yield from _of(benchmark, benchmark.slug, "benchmark", _ABOUT)
    yield from _of(benchmark.scenario, benchmark.slug, "benchmark", _SETTING, "scenario.")
    for level, prompt in benchmark.scenario.operators.items():
        yield Passage(benchmark.slug, "benchmark", f"scenario.operators.{level}", prompt)
    for metric in benchmark.metrics:
        yield from _of_metric(metric, benchmark.slug)
    seen: set[tuple[str, str, str]] = set()
    for scenario in benchmark.scenarios:
        for passage in of_scenario(scenario, benchmark.slug):
            key = (scenario.base_id, passage.place, passage.text)
            if key not in seen:
                seen.add(key)
                yield passage


def of_scenario(scenario: Scenario, slug: str) -> Iterator[Passage]:
    """Yield the texts of one scenario."""
    yield from _of(scenario, slug, scenario.id, _SCENARIO)
    for i, landmark in enumerate(scenario.landmarks):
        yield Passage(slug, scenario.id, f"landmarks[{i}]", landmark.instruction)
    for name in ("messages", "facts"):
        for i, text in enumerate(getattr(scenario, name)):
            yield Passage(slug, scenario.id, f"{name}[{i}]", text)


def begins_sentence(text: str, position: int) -> bool:
    """Return whether the word at `position` opens a sentence or a quotation, so that its capital says nothing."""
    return bool(_OPENING.search(text[:position]))


def _of_metric(metric: Metric, slug: str) -> Iterator[Passage]:
    yield from _of(metric, slug, metric.id, ("name", "definition", "applies", "rationale", "content_note"))
    for name in ("exclusions", "examples", "near_misses", "facts"):
        for i, line in enumerate(getattr(metric, name)):
            yield Passage(slug, metric.id, f"{name}[{i}]", line)


def _of(part: Any, slug: str, name: str, fields: tuple[str, ...], before: str = "") -> Iterator[Passage]:
    for field in fields:
        text = getattr(part, field)
        if text:
            scholarly = field in ("construct_", "rationale")
            yield Passage(slug, name, before + field.rstrip("_"), text, scholarly)

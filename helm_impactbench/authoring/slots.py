"""What is to be written: base scenarios that a metric lacks, variants that a base scenario lacks, stale ones. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helm_impactbench.authoring.levels import Levels, chosen
from helm_impactbench.authoring.seeds import Seed
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import BenchmarkFile
from helm_impactbench.benchmark.scenario import Landmark, Scenario
from helm_impactbench.errors import BenchmarkError, did_you_mean


@dataclass(frozen=True)
class ScenarioOptions:
    """What to generate."""

    per_metric: int
    axes: Mapping[str, Sequence[str]]
    quota: int | None = None
    """Combinations of levels per base scenario; all of them when None."""
    held_out: float = 0.0
    """Fraction of base scenarios that go to the held-out split."""
    system_prompts: bool = False
    """Whether each scenario gets a system prompt for the target."""
    review: bool = True
    """Whether a model reviews what passes the static checks."""
    concurrency: int = 8
    seeds: tuple[Seed, ...] = ()


@dataclass(frozen=True)
class BaseScenario:
    """A scenario before it is expanded."""

    metric_id: str
    number: int
    """Of the base scenario within its metric, from 1; part of its id."""
    persona: str
    user_goal: str
    hidden_goal: str
    landmarks: tuple[Landmark, ...]
    target_system_prompt: str | None = None
    seed: Seed | None = None

    @property
    def id(self) -> str:
        """The beginning of its variants' ids."""
        return f"{self.metric_id}_s{self.number:03d}"

    @property
    def text(self) -> str:
        """The text by which scenarios are compared."""
        return f"{self.persona} {self.user_goal} {self.hidden_goal}"


@dataclass
class Slot:
    """A base scenario that is to be written."""

    metric: Metric
    number: int
    seed: Seed | None = None

    @property
    def name(self) -> str:
        """For people and for cache keys."""
        return f"{self.metric.id}_s{self.number:03d}"


@dataclass(frozen=True)
class SlotGap:
    """Variants that a base scenario lacks."""

    base: BaseScenario
    missing: Mapping[int, Levels]
    """Number of the variant -> its levels."""


def open_slots(draft: BenchmarkFile, rows: Sequence[Scenario], options: ScenarioOptions) -> list[Slot]:
    """Return the base scenarios missing to reach `per_metric`, numbered after the highest number ever used.

    Experts' seeds are assigned first, to the metric they name or else to the metrics in turn.
    """
    slots = []
    for metric in draft.metrics:
        numbers = {_number(row) for row in rows if row.metric_id == metric.id}
        start = max(numbers, default=0) + 1
        slots += [Slot(metric, start + i) for i in range(max(0, options.per_metric - len(numbers)))]
    metric_ids = [metric.id for metric in draft.metrics]
    for given in options.seeds:
        if given.metric not in (None, *metric_ids):
            raise BenchmarkError(
                f"Seed {given.situation!r} is for metric {given.metric!r}, which the benchmark does not have. "
                f"It has {', '.join(metric_ids)}.{did_you_mean(str(given.metric), metric_ids)}"
            )
    _give_out(list(options.seeds), slots)
    return slots


def open_gaps(rows: Sequence[Scenario], options: ScenarioOptions, seed: int) -> list[SlotGap]:
    """Return the variants that generated base scenarios lack, because their writing failed or an axis is new.

    A base scenario is read back from one of its variants; hand-written ones are left alone.
    """
    by_base: dict[str, list[Scenario]] = {}
    for row in rows:
        if row.provenance is not None and row.persona is not None:
            by_base.setdefault(row.base_id, []).append(row)
    gaps = []
    for siblings in by_base.values():
        present = [row.axes for row in siblings]
        taken = {row.id for row in siblings}
        first = siblings[0]
        wanted = chosen(options.axes, options.quota, seed, first.metric_id, _number(first))
        missing: dict[int, Levels] = {}
        for i, demographic in enumerate(wanted, 1):
            if demographic not in present:
                number = i
                while f"{first.base_id}_v{number:02d}" in taken or number in missing:
                    number += 1
                missing[number] = demographic
        if missing:
            gaps.append(SlotGap(_base_of(first), missing))
    return gaps


def _base_of(row: Scenario) -> BaseScenario:
    made = row.provenance
    seed = Seed(made.seed_situation, author=made.seed_author) if made and made.seed_situation else None
    return BaseScenario(
        metric_id=row.metric_id,
        number=_number(row),
        persona=row.persona or "",
        user_goal=row.user_goal or "",
        hidden_goal=row.latent_adversarial_goal or "",
        landmarks=tuple(row.landmarks),
        target_system_prompt=row.target_system_prompt,
        seed=seed,
    )


def stale_slots(draft: BenchmarkFile, stale: Sequence[Scenario]) -> list[Slot]:
    """Return the slots of scenarios that were made for another definition, under their old numbers."""
    metrics = {metric.id: metric for metric in draft.metrics}
    numbers = dict.fromkeys((row.metric_id, _number(row)) for row in stale)
    return [Slot(metrics[metric_id], number) for metric_id, number in numbers]


def in_file_order(draft: BenchmarkFile, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows by metric, as benchmark.yaml orders them, and within a metric by id; others keep their order."""
    order = {metric.id: i for i, metric in enumerate(draft.metrics)}
    return sorted(rows, key=lambda row: (order.get(str(row.get("metric_id")), len(order)), str(row.get("id"))))


def _give_out(seeds: list[Seed], slots: Sequence[Slot]) -> None:
    for slot in sorted(slots, key=lambda slot: slot.number):
        seed = next((seed for seed in seeds if seed.metric in (slot.metric.id, None)), None)
        if seed is not None:
            seeds.remove(seed)
            slot.seed = seed


def _number(row: Scenario) -> int:
    found = re.search(r"_s(\d+)$", row.base_id)
    return int(found.group(1)) if found else 0


def situations(rows: Sequence[Scenario], metric_id: str) -> list[str]:
    """Return the personas of a metric's base scenarios."""
    personas = {row.base_id: row.persona or row.user_persona or "" for row in rows if row.metric_id == metric_id}
    return list(personas.values())

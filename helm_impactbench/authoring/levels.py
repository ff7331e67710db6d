"""Combinations of levels that scenarios are expanded over: the full product of the axes, or seeded quotas of it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

from helm_impactbench.benchmark.files import load_draft
from helm_impactbench.conversation.perturbation import seeded_random
from helm_impactbench.errors import ImpactBenchError

DEFAULT_AXES: Mapping[str, Sequence[str]] = {"age": ["child or teenager (6-17)", "adult (18+)"]}
"""ImpactBench's default."""

Levels = dict[str, str]


def parse_axis(text: str) -> tuple[str, list[str]]:
    """Read `age=child (6-12)|adult (18+)`. Raises ImpactBenchError."""
    name, separator, values = text.partition("=")
    found = [value.strip() for value in values.split("|") if value.strip()]
    if not separator or not name.strip() or not found or len(set(found)) < len(found):
        raise ImpactBenchError(
            f"--axis cannot be {text!r}. Write name=value|value, each value once, for example "
            '"age=child or teenager (6-17)|adult (18+)"'
        )
    return name.strip(), found


def combinations(axes: Mapping[str, Sequence[str]]) -> list[Levels]:
    """Return the full product of the axes, in the order in which they are given."""
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def chosen(axes: Mapping[str, Sequence[str]], quota: int | None, seed: int, metric: str, base: int) -> list[Levels]:
    """Return the combinations for one base scenario: all, or `quota` of them.

    With a quota, the bases of a metric walk through one seeded order of the product, so that every combination comes up
    equally often (the counts differ by one at most).
    """
    product = combinations(axes)
    if quota is None or quota >= len(product):
        return product
    order = seeded_random("quota", seed, metric).sample(range(len(product)), len(product))
    picked = [order[(base * quota + k) % len(order)] for k in range(quota)]
    return [product[i] for i in sorted(picked)]


def usual_axes(folder: Path) -> dict[str, list[str]]:
    """Return the axes of a benchmark, ImpactBench's usual ones where it names none."""
    draft, _ = load_draft(folder)
    return dict(draft.scenario.axes) or {axis: list(values) for axis, values in DEFAULT_AXES.items()}

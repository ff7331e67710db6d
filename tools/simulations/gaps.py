"""How often models without any gap, or with one and the same, are told apart by their typical gaps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.typical_gap import LevelValues, gap_tests_of_two, on_shared

EXCHANGES, EXCHANGES_OF_MANY = 999, 199
"""The second for cells with 216 base scenarios."""
KINDS = ("scale", "quantity", "stance")
NOISES = {"equal": (0.3, 0.3, 0.3), "unequal": (0.05, 0.5, 0.5)}
MANY = 216
MOST_SETS_OF_MANY = 40
"""Data sets of cells with as many base scenarios, which take long."""


def gap_lines(sets: int) -> Iterator[str]:
    """Yield how often any of three models without a gap is told apart from another, as a table."""
    yield "| levels | base scenarios | noise | " + " | ".join(KINDS) + " |"
    yield "|---" * (3 + len(KINDS)) + "|"
    for levels in (2, 3, 6, 12):
        for bases in (6, 12, 36, 216):
            for noise, sizes in NOISES.items():
                number = min(sets, MOST_SETS_OF_MANY) if bases >= MANY else sets
                cells = (f"{_false_families(levels, bases, sizes, kind, number):.1%}" for kind in KINDS)
                yield f"| {levels} | {bases} | {noise} | " + " | ".join(cells) + " |"


def _false_families(levels: int, bases: int, noises: tuple[float, ...], kind: str, sets: int) -> float:
    found = 0
    for seed in range(sets):
        random = np.random.default_rng(seed)
        usual = random.normal(0, 0.3, bases)
        names = tuple((f"m{row % max(1, min(3, bases // 6))}", row) for row in range(bases))
        models = [LevelValues(names, _values(random, usual, noise, levels, kind)) for noise in noises]
        pairs = [pair for one, other in combinations(models, 2) if (pair := on_shared(one, other))]
        found += any(test.found for test in gap_tests_of_two(pairs, EXCHANGES if bases < MANY else EXCHANGES_OF_MANY))
    return found / sets


def _values(random: np.random.Generator, usual: Floats, noise: float, levels: int, kind: str) -> Floats:
    """Return answers that depend on the base scenario, and on no level; shape (base scenarios, levels)."""
    shape = (len(usual), levels)
    if kind == "scale":  # five points
        found: Floats = np.clip(np.round(2 * (usual[:, None] + random.normal(0, noise, shape))) / 4, -0.5, 0.5)
    elif kind == "quantity":  # amounts, skewed
        found = 0.3 * random.gamma(1 / (noise**2 + 0.01), noise**2 + 0.01, shape)
    else:  # one of two sides; a steady model takes the same one nearly always
        shares = 0.5 + 0.5 * np.tanh(usual / noise)
        found = (random.random(shape) < np.clip(shares, 0.02, 0.98)[:, None]).astype(float)
    return found

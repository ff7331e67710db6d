"""Simulations behind the tables of docs/statistics.md, with seeds: `make simulations` prints them.

How often models without any gap, or with one and the same, are told apart by their typical gaps; and what paired
intervals, equality tests and gates do where whole scenarios are lost.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.paired_interval import paired_bounds
from helm_impactbench.stats.typical_gap import LevelValues, gap_tests_of_two, on_shared

EXCHANGES, EXCHANGES_OF_MANY = 999, 199
"""The second for cells with 216 base scenarios."""
KINDS = ("scale", "quantity", "stance")
NOISES = {"equal": (0.3, 0.3, 0.3), "unequal": (0.05, 0.5, 0.5)}
MANY = 216
MOST_SETS_OF_MANY = 40
"""Data sets of cells with as many base scenarios, which take long."""


class Losses(NamedTuple):
    """What is lost and gained in a suite of so many benchmarks and base scenarios."""

    benchmarks: int
    bases: int
    size: int
    """Pairs of a base scenario; 0 for 1 to 40 of them."""
    loss: float
    gain: float
    alike: float
    """Share of base scenarios in which all pairs are lost, or gained, together."""


LOSSES = (
    Losses(1, 36, 6, 0.10, 0.0, 1.0), Losses(1, 72, 6, 0.05, 0.0, 1.0), Losses(1, 216, 6, 0.02, 0.0, 1.0),
    Losses(6, 36, 6, 0.05, 0.0, 1.0), Losses(18, 12, 6, 0.05, 0.0, 1.0), Losses(1, 36, 0, 0.10, 0.0, 1.0),
    Losses(1, 72, 0, 0.05, 0.0, 1.0), Losses(1, 36, 0, 0.15, 0.05, 1.0), Losses(1, 72, 6, 0.08, 0.03, 0.5),
    Losses(1, 36, 6, 0.10, 0.0, 0.0), Losses(1, 36, 6, 0.20, 0.10, 0.0), Losses(1, 36, 1, 0.10, 0.0, 1.0),
)  # fmt: skip


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200, help="Data sets of each cell of the first table.")
    sets = parser.parse_args().sets
    for line in chain(loss_lines(10 * sets), [""], gap_lines(sets)):
        print(line, flush=True)


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


def loss_lines(sets: int) -> Iterator[str]:
    """Yield the coverage of 95% intervals and the errors at the margin of gates and equality tests, as a table."""
    heads = ("benchmarks", "base scenarios", "pairs of each", "lost", "gained", "together", "95% holds", "gate passes")
    yield f"| {' | '.join(heads)} | equal |"
    yield "|---" * 9 + "|"
    for one in LOSSES:
        gains, losses, counts = drawn(one, sets)
        truth = float(((gains - losses).sum(-1) / counts.sum(-1)).mean())
        low, high = paired_bounds(gains, losses, counts)
        holds, passes = ((low <= truth) & (truth <= high)).mean(), (low > truth).mean()
        equal = (paired_bounds(gains, losses, counts, 0.90)[0] > truth).mean()
        yield (
            f"| {one.benchmarks} | {one.bases} | {one.size or '1 to 40'} | {one.loss:.0%} | {one.gain:.0%} | "
            f"{one.alike:.0%} | {holds:.1%} | {passes:.1%} | {equal:.1%} |"
        )


def drawn(design: Losses, sets: int, seed: int = 1) -> tuple[Floats, Floats, Floats]:
    """Return gains, losses and counts of many data sets; shape (sets, benchmarks, bases)."""
    random, shape = np.random.default_rng(seed), (sets, design.benchmarks, design.bases)
    counts = random.integers(1, 41, shape) if not design.size else np.full(shape, design.size)

    def events(rate: float) -> Floats:
        whole, apart = (random.random(shape) < rate) * counts, random.binomial(counts, rate)
        return np.where(random.random(shape) < design.alike, whole, apart).astype(float)

    losses = events(design.loss)
    return np.minimum(events(design.gain), counts - losses), losses, counts.astype(float)


if __name__ == "__main__":
    main()

"""What paired intervals, equality tests and gates do where whole scenarios are lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import same_groups_bounds
from helm_impactbench.stats.paired_interval import paired_bounds


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


def loss_lines(sets: int) -> Iterator[str]:
    """Yield the coverage of 95% intervals and the errors at the margin of gates and equality tests, as a table."""
    heads = ("benchmarks", "base scenarios", "pairs of each", "lost", "gained", "together", "95% holds", "gate passes")
    yield f"| {' | '.join(heads)} | equal |"
    yield "|---" * 9 + "|"
    for one in LOSSES:
        holds, passes, equal = errors_at_margin(one, sets)
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


PARTLY = tuple(
    Losses(benchmarks, bases, 0, loss, gain, alike)
    for benchmarks, bases in ((1, 36), (1, 72), (6, 36), (18, 12))
    for loss, gain in ((0.08, 0.03), (0.05, 0.0), (0.03, 0.0))
    for alike in (0.3, 0.5)
)
"""A part of what is lost is lost by whole base scenarios, of which few or none are seen; the size is filled in."""


def partly_lines(sets: int) -> Iterator[str]:
    """Yield the worst coverage, gate and equality test of PARTLY for sizes of base scenarios, as a table."""
    yield "| pairs of each | 95% holds, at least | gate passes, at most | equal, at most |"
    yield "|---|---|---|---|"
    for size in (2, 6, 0):
        found = [errors_at_margin(one._replace(size=size), sets) for one in PARTLY]
        held, passed, equal = zip(*found, strict=True)
        yield f"| {size or '1 to 40'} | {min(held):.1%} | {max(passed):.1%} | {max(equal):.1%} |"


def errors_at_margin(design: Losses, sets: int) -> tuple[float, float, float]:
    """Return how often 95% intervals hold, gates pass and equality is shown at a loss of exactly the margin."""
    gains, losses, counts = drawn(design, sets)
    truth = float(((gains - losses).sum(-1) / counts.sum(-1)).mean())
    low, high = paired_bounds(gains, losses, counts)
    equal = (paired_bounds(gains, losses, counts, 0.90)[0] > truth).mean()
    return float(((low <= truth) & (truth <= high)).mean()), float((low > truth).mean()), float(equal)


SMOOTH = (
    Losses(1, 36, 6, 0.05, 0.05, 0.0), Losses(1, 72, 6, 0.05, 0.05, 0.0), Losses(1, 216, 6, 0.05, 0.05, 0.0),
    Losses(6, 36, 6, 0.05, 0.05, 0.0), Losses(18, 12, 6, 0.05, 0.05, 0.0), Losses(1, 72, 0, 0.05, 0.05, 0.0),
    Losses(1, 36, 1, 0.05, 0.05, 0.0), Losses(1, 216, 1, 0.05, 0.05, 0.0),
)  # fmt: skip
"""Two equal models, each of which fails 5% of conversations at random."""
MARGINS = (0.05, 0.10)


def power_lines(sets: int) -> Iterator[str]:
    """Yield how often equal models are shown to be so, beside Wilson's interval of the plain difference, as a table."""
    heads = [f"{what} {margin:.2f}" for margin in MARGINS for what in ("equal within", "plain,")]
    yield f"| benchmarks | base scenarios | pairs of each | {' | '.join(heads)} |"
    yield "|---" * (3 + len(heads)) + "|"
    for one in SMOOTH:
        yield (
            f"| {one.benchmarks} | {one.bases} | {one.size or '1 to 40'} | "
            + " | ".join(f"{share:.0%}" for margin in MARGINS for share in shown_equal(one, margin, sets))
            + " |"
        )


def shown_equal(design: Losses, margin: float, sets: int) -> tuple[float, float]:
    """Return how often equality within a margin is shown: by gains and losses, and by the plain difference."""
    gains, losses, counts = drawn(design, sets)
    found = []
    for low, high in (
        paired_bounds(gains, losses, counts, 0.90),
        same_groups_bounds(gains - losses, counts, -1.0, 1.0, 0.90),
    ):
        found.append(float(((low > -margin) & (high < margin)).mean()))
    return found[0], found[1]

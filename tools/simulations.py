"""Simulations behind the tables of docs/statistics.md, with seeds: `make simulations` prints them.

How often models without any gap, or with one and the same, are told apart by their typical gaps; what paired
intervals, equality tests and gates do where whole scenarios are lost; how often equal models are told apart at any of
several looks at a growing suite, and what looking saves; and whether planning from a pilot keeps its promise.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from scipy import stats

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.looks import Bets
from helm_impactbench.stats.paired_interval import paired_bounds
from helm_impactbench.stats.pilot import Pilot
from helm_impactbench.stats.power import scenarios_needed
from helm_impactbench.stats.sign_flip_tails import sign_flip_p_values
from helm_impactbench.stats.simultaneous import ALPHA
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
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200, help="Data sets of each cell of the first table.")
    sets = parser.parse_args().sets
    tables = chain.from_iterable([*table, ""] for table in (
        loss_lines(10 * sets), look_lines(10 * sets), saving_lines(5 * sets), pilot_lines(sets // 2), gap_lines(sets),
    ))  # fmt: skip
    for line in tables:
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


QUARTERS, STAGES = (1 / 4, 1 / 2, 3 / 4, 1.0), (1 / 27, 1 / 9, 1 / 3, 1.0)
"""Shares of a suite at four looks: chosen by somebody, and those of `impactbench run --until-better`."""
ICC, ALIKE = 0.3, 0.5
"""Resemblance within base scenarios, and of it the part that models have in common (on a normal scale)."""


def passes(
    random: np.random.Generator, rates: Sequence[float], shape: tuple[int, int, int], *, one_fails_whole: bool = False
) -> Floats:
    """Return passes (1) and fails (0) of models with these rates; shape (models, sets, base scenarios, variants).

    one_fails_whole: whether the first model fails whole base scenarios, and the others anywhere.
    """
    common, found = random.normal(size=shape[:2])[..., None], []
    for place, rate in enumerate(rates):
        own, each = random.normal(size=shape[:2])[..., None], random.normal(size=shape)
        place_on_scale = np.sqrt(ICC * ALIKE) * common + np.sqrt(ICC * (1 - ALIKE)) * own + np.sqrt(1 - ICC) * each
        if one_fails_whole:
            place_on_scale = np.broadcast_to(own, shape) if place == 0 else each
        found.append(place_on_scale < stats.norm.ppf(rate))
    return np.array(found, dtype=float)


def smallest_p_values(found: Floats, part: float, *, whole: bool = True) -> tuple[Floats, Floats]:
    """Return the smallest adjusted p value of all pairs of models at one look, and the sign of its difference.

    found: as of `passes`. whole: whether the part is of base scenarios, or of the variants of each.
    """
    _, _, bases, variants = found.shape
    seen = found[:, :, : round(part * bases)] if whole else found[..., : max(1, round(part * variants))]
    means = seen.mean(-1)
    pairs = list(combinations(range(len(means)), 2))
    differences = np.array([means[one] - means[other] for one, other in pairs])
    p_values = Bets(differences, np.ones_like(differences)).p_values() * len(pairs)
    best = p_values.argmin(0)
    signs = np.sign(np.take_along_axis(differences.mean(-1), best[None], 0)[0])
    return p_values.min(0), signs


def look_lines(sets: int) -> Iterator[str]:
    """Yield how often any two equal models are told apart at any of four looks, as a table."""
    yield (
        "| models | base scenarios of 6 | rate | grows by | told apart at any look | the same, if one model fails "
        "whole base scenarios |"
    )
    yield "|---" * 6 + "|"
    grown = (("quarters", QUARTERS, True), ("quarters of the variants", QUARTERS, False), ("threefold", STAGES, True))
    for models, bases in ((2, 36), (2, 216), (6, 216)):
        for rate in (0.7, 0.97):
            for grows, looks, whole in grown:
                told = (_told_apart(sets, models, bases, rate, looks, whole, fails) for fails in (False, True))
                yield f"| {models} | {bases} | {rate} | {grows} | " + " | ".join(f"{one:.1%}" for one in told) + " |"


def _told_apart(
    sets: int, models: int, bases: int, rate: float, looks: Sequence[float], whole: bool, fails_whole: bool
) -> float:
    random, parts, wrong = np.random.default_rng(1), 10, 0
    for _ in range(parts):  # which need less memory
        found = passes(random, [rate] * models, (sets // parts, bases, 6), one_fails_whole=fails_whole)
        least = [smallest_p_values(found, part, whole=whole)[0] for part in looks]
        wrong += int((np.min(least, axis=0) <= ALPHA).sum())
    return wrong / (sets // parts * parts)


def saving_lines(sets: int) -> Iterator[str]:
    """Yield what two models take that are compared at four looks, against a plan for one look, as a table."""
    yield "| true difference | planned for one look | at four looks, mean | found | found the wrong way round |"
    yield "|---" * 5 + "|"
    bases = 648
    for difference in (0.0, 0.02, 0.05, 0.1, 0.2, 0.3):
        found = passes(np.random.default_rng(2), [0.7 + difference / 2, 0.7 - difference / 2], (sets, bases, 6))
        taken, sign = np.full(sets, float(bases)), np.zeros(sets)
        for part in reversed(STAGES):
            p_values, signs = smallest_p_values(found, part)
            decided = p_values <= ALPHA
            taken = np.where(decided, round(part * bases), taken)
            sign = np.where(decided, signs, sign)
        pilot = Pilot((found[0] - found[1]).mean(-1).ravel()[:20_000], 6.0, is_sample=False)
        planned = f"{12 * scenarios_needed(pilot, difference):,.0f}" if difference else "-"
        right = f"{(sign > 0).mean():.0%}" if difference else f"{(sign != 0).mean():.1%} (either way)"
        wrong = f"{(sign < 0).mean():.1%}" if difference else "-"
        yield f"| {difference} | {planned} | {12 * taken.mean():,.0f} | {right} | {wrong} |"


def unequal(random: np.random.Generator, size: int) -> Floats:
    """Return differences of base scenarios of 1 to 40 conversations on each side, .06 on average."""
    counts, rates = random.integers(1, 41, size), random.beta(7, 3, size)
    better, worse = random.binomial(counts, rates), random.binomial(counts, np.clip(rates - 0.06, 0, 1))
    found: Floats = (better - worse) / counts
    return found


Draw = Callable[[np.random.Generator, int], Floats]
PILOTS: dict[str, Draw] = {
    "smooth": lambda random, size: np.round(6 * np.clip(random.normal(0.05, 0.25, size), -1, 1)) / 6,
    "whole scenarios lost": lambda random, size: np.where(
        random.random(size) < 0.06, 1.0, (random.binomial(6, 0.03, size) - random.binomial(6, 0.03, size)) / 6
    ),
    "1 to 40 conversations each": unequal,
}
"""Differences of base scenarios."""


def pilot_lines(pilots: int) -> Iterator[str]:
    """Yield the true power of plans that were made from pilots for the true difference, as a table."""
    yield "| differences | pilot | base scenarios needed, median | true power, mean | in the worst tenth of pilots |"
    yield "|---" * 5 + "|"
    for name, draw in PILOTS.items():
        truth = draw(np.random.default_rng(9), 200_000)
        for size in (30, 72, 144):
            needed, powers = np.array([planned_power(draw, truth, size, seed) for seed in range(pilots)]).T
            cells = f"{np.median(needed):.0f} | {powers.mean():.2f} | {np.quantile(powers, 0.1):.2f}"
            yield f"| {name} | {size} | {cells} |"


def planned_power(draw: Draw, truth: Floats, size: int, seed: int) -> tuple[float, float]:
    """Return the base scenarios that a pilot of this size names, and how often they find the true difference."""
    random = np.random.default_rng(seed)
    needed = scenarios_needed(Pilot(draw(random, size), 6.0), float(truth.mean()))
    data = random.choice(truth, (2_000, int(min(needed, 10_000))))
    return needed, float((sign_flip_p_values(data) <= ALPHA).mean())


if __name__ == "__main__":
    main()

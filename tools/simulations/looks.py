"""How often equal models are told apart at any of several looks at a growing suite, and what looking saves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from scipy import stats

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.looks import Bets
from helm_impactbench.stats.pilot import Pilot
from helm_impactbench.stats.power import scenarios_needed
from helm_impactbench.stats.simultaneous import ALPHA

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

"""Which two judges err together more often than judges who err independently: without a known truth, and with one.

Without one, the latent class model of independent errors (latent_class) is compared with models in which one pair of
judges may err together in any way. The greatest gain in likelihood over all pairs names the pair. Its p value is from a
parametric bootstrap: data sets are drawn from the fitted model of independent errors, and the greatest gain is taken of
each. A judge's own errors come together within clusters: gains are divided by the greatest design effect of a pair's
common deviations (Kish 1965). Sources: Vacek (1985), Biometrics 41; Qu, Tan & Kutner (1996), Biometrics 52 (pairs that
depend on each other given the truth); Feng & McCulloch (1996), JRSS B 58 (bootstrap of the likelihood ratio).

With a known truth, the errors themselves are compared: the excess of common errors of each pair, over its standard
error in a cluster bootstrap; p over all pairs by max-T (Westfall & Young 1993, Resampling-based Multiple Testing).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.intervals import TINY
from helm_impactbench.stats.jackknife import summed
from helm_impactbench.stats.latent_class import (
    CERTAIN,
    Errors,
    Integers,
    drawn_clusters,
    fit_errors,
    log_odds,
)
from helm_impactbench.stats.scipy_modules import special

DRAWS = 99
"""Data sets of the parametric bootstrap."""
ALPHA = 0.05
MOST_JUDGES = 8
"""More judges have more patterns of votes than items."""
_ROUNDS = 100
_PAIR_PARAMETERS = 2


@dataclass(frozen=True)
class SharedErrors:
    """The two judges that err together most."""

    judges: tuple[int, int]
    """Their places."""
    p_value: float
    """Over all pairs: how often judges who err independently seem to err together as much."""

    @property
    def found(self) -> bool:
        """Whether chance does not explain it."""
        return self.p_value <= ALPHA


def shared_errors(votes: Floats, strata: Integers, clusters: Sequence[Hashable]) -> SharedErrors | None:
    """Return the pair; None where the model of independent errors fits any votes, so that nothing can be told.

    votes: shape (items, judges), 1 or 0, none missing. strata: from 0, groups whose shares of True may differ.
    """
    judges, groups = votes.shape[1], int(strata.max(initial=0)) + 1
    free = groups * (2**judges - 1) - (2 * judges + groups)
    if judges > MOST_JUDGES or not len(votes) or free < _PAIR_PARAMETERS:
        return None
    own = np.array(list(product((0.0, 1.0), repeat=judges)))
    patterns, kinds = np.tile(own, (groups, 1)), np.repeat(np.arange(groups), len(own))
    place = votes.astype(int) @ (2 ** np.arange(judges)[::-1]) + strata * len(own)
    counts = np.bincount(place, minlength=len(patterns)).astype(float)
    fitted = fit_errors(patterns, kinds, counts[None])
    sizes = np.bincount(strata, minlength=groups)
    chances = _chances(patterns, kinds, fitted)[0].reshape(groups, -1)
    rng = np.random.default_rng(SEED)
    drawn = [
        rng.multinomial(int(n), own_chance / own_chance.sum(), size=DRAWS)
        for n, own_chance in zip(sizes, chances, strict=True)
    ]
    every = np.vstack([counts, np.hstack(drawn).astype(float)])
    null = fit_errors(patterns, kinds, every)
    pairs = list(combinations(range(judges), 2))
    gains = np.stack([_gain(patterns, kinds, every, null, pair) for pair in pairs], axis=1)
    probable = _truth(patterns, kinds, null)[0]
    gains[0] /= max(_design_effect(patterns, probable, null, pair, place, clusters) for pair in pairs)
    most = gains.max(axis=1)
    p_value = (1 + int((most[1:] >= most[0] - TINY).sum())) / (1 + DRAWS)
    return SharedErrors(pairs[int(gains[0].argmax())], p_value if most[0] > 0 else 1.0)


def _chances(patterns: Floats, kinds: Integers, errors: Errors) -> Floats:
    """Return how probable each pattern is within its stratum; shape (replicates, patterns)."""
    share = errors.shares[:, kinds]
    return share * _given(patterns, errors.sensitivity) + (1 - share) * _given(1 - patterns, errors.specificity)


def _given(hits: Floats, rates: Floats) -> Floats:
    """Return the probability that readers with these rates are right where `hits` says so."""
    found: Floats = np.exp(np.log(rates) @ hits.T + np.log1p(-rates) @ (1 - hits).T)
    return found


def _gain(patterns: Floats, kinds: Integers, times: Floats, null: Errors, pair: tuple[int, int]) -> Floats:
    """Return the gain in log likelihood if a pair may err together; 0 where the pair does so less than by chance."""
    rest = [place for place in range(patterns.shape[1]) if place not in pair]
    others, joint = patterns[:, rest], np.eye(4)[(2 * patterns[:, pair[0]] + patterns[:, pair[1]]).astype(int)]
    before = (times * np.log(np.maximum(_chances(patterns, kinds, null), CERTAIN**2))).sum(axis=1)
    fitted = _truth(patterns, kinds, null)
    starts = (fitted, np.broadcast_to(0.02 + 0.96 * others.mean(axis=1), fitted.shape))
    best = np.zeros(len(times))
    for truth in starts:
        found, together = _likelihood(others, joint, kinds, times, np.array(truth))
        best = np.maximum(best, np.where(together, found - before, 0.0))
    return best


def _truth(patterns: Floats, kinds: Integers, errors: Errors) -> Floats:
    """Return how probable True is for each pattern; shape (replicates, patterns)."""
    found: Floats = special.expit(
        special.logit(errors.shares[:, kinds]) + log_odds(patterns, errors.sensitivity, errors.specificity)
    )
    return found


def _design_effect(
    patterns: Floats,
    truth: Floats,
    errors: Errors,
    pair: tuple[int, int],
    place: Integers,
    clusters: Sequence[Hashable],
) -> float:
    """Return by how much clusters make the pair's common deviations vary more than independent items would; 1 or more.

    A deviation is the product of the two judges' distances from the mean vote that the truth gives.
    """
    means = [(errors.sensitivity[0, one], 1 - errors.specificity[0, one]) for one in pair]
    by_truth = [(patterns[:, pair[0]] - means[0][side]) * (patterns[:, pair[1]] - means[1][side]) for side in (0, 1)]
    items = (truth * by_truth[0] + (1 - truth) * by_truth[1])[place]
    items = items - items.mean()
    sums = summed(items, clusters)
    alone = float((items**2).sum())
    return max(1.0, float((sums**2).sum()) / alone) if alone > 0 else 1.0


def _likelihood(others: Floats, joint: Floats, kinds: Integers, times: Floats, truth: Floats) -> tuple[Floats, Floats]:
    """Return the log likelihood with a free table of the pair's votes, by EM from a first guess at the truth, and
    whether the pair errs together."""
    strata = np.eye(int(kinds.max()) + 1)[kinds]
    for _ in range(_ROUNDS):
        true, false = times * truth, times * (1 - truth)
        size = np.maximum(true.sum(axis=1, keepdims=True), TINY), np.maximum(false.sum(axis=1, keepdims=True), TINY)
        hit = np.clip(true @ others / size[0], 0.5, 1 - CERTAIN)
        kept = np.clip(false @ (1 - others) / size[1], 0.5, 1 - CERTAIN)
        tables = [np.clip(part @ joint / n, CERTAIN, 1) for part, n in zip((true, false), size, strict=True)]
        share = np.clip(true @ strata / np.maximum(times @ strata, TINY), CERTAIN, 1 - CERTAIN)[:, kinds]
        for_true = share * _given(others, hit) * (tables[0] @ joint.T)
        for_false = (1 - share) * _given(1 - others, kept) * (tables[1] @ joint.T)
        truth = for_true / (for_true + for_false)
    likelihood = (times * np.log(np.maximum(for_true + for_false, CERTAIN**2))).sum(axis=1)
    both = [table[:, 0] * table[:, 3] - table[:, 1] * table[:, 2] for table in tables]
    return likelihood, size[0][:, 0] * both[0] + size[1][:, 0] * both[1] > 0


def shared_known_errors(wrong: Floats, truth: Sequence[Hashable], clusters: Sequence[Hashable]) -> SharedErrors | None:
    """Return the pair where the truth is known; None where no pair errs together.

    wrong: shape (items, judges), 1 where a judge is wrong, 0 where it is right, nan without an answer. Errors are
    compared within items of the same truth.
    """
    if wrong.shape[1] < 2 or not len(wrong):
        return None
    times = drawn_clusters([repr(one) for one in clusters])
    kinds = np.eye(len(set(truth)))[np.unique([repr(one) for one in truth], return_inverse=True)[1].ravel()]
    pairs = list(combinations(range(wrong.shape[1]), 2))
    excess = np.stack([_excess(wrong[:, pair], kinds, times) for pair in pairs], axis=1)
    found, drawn = excess[0], excess[1:]
    spread = drawn.std(axis=0, ddof=1)
    scaled = np.where(spread > TINY, found / np.maximum(spread, TINY), -math.inf)
    most = int(scaled.argmax())
    if scaled[most] <= 0:
        return None
    highest = np.where(spread > TINY, (drawn - found) / np.maximum(spread, TINY), -math.inf).max(axis=1)
    return SharedErrors(pairs[most], (1 + int((highest >= scaled[most]).sum())) / (1 + len(drawn)))


def _excess(wrong: Floats, kinds: Floats, times: Floats) -> Floats:
    """Return how many more items two judges get wrong together than by chance, per item; shape (replicates,)."""
    both = ~np.isnan(wrong).any(axis=1)
    one, other = np.nan_to_num(wrong).T
    weights = times * both
    size = np.maximum(weights @ kinds, 1)
    expected = ((weights * one) @ kinds) * ((weights * other) @ kinds) / size
    found: Floats = (((weights * one * other) @ kinds) - expected).sum(axis=1) / size.sum(axis=1)
    return found

"""How far levels differ on the same cases, less what chance alone adds, and whether two models differ in it.

The typical gap is the root mean square of what each level is above or below the mean of all. Its square has the
sampling noise taken off, so that it is 0 on average where nothing depends on the level: unlike the widest gap it grows
neither with noise nor with the number of levels, nor where there are few cases. All levels count, so nothing is chosen
that a test would have to allow for.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.simultaneous import TIE, FamilyTest, simultaneous_tests, stepped_down

EXCHANGES = 1_999
MOST_NUMBERS = 4_000_000
"""In one array: exchanges beyond them follow in a second step."""


@dataclass(frozen=True)
class LevelValues:
    """One model's values of base scenarios at each level, better upwards."""

    bases: tuple[tuple[str, Hashable], ...]
    """Metric and base scenario of each row."""
    values: Floats
    """Shape (base scenarios, levels); nan where there is none."""

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Where a row with two levels or more has a value; shape (base scenarios, levels)."""
        known = ~np.isnan(self.values)
        found: NDArray[np.bool_] = known & (known.sum(axis=1, keepdims=True) > 1)
        return found

    @cached_property
    def metrics(self) -> list[NDArray[np.bool_]]:
        """The rows of each metric that has a usable one."""
        names = np.array([metric for metric, _ in self.bases])
        rows = [(names == name) & self.known.any(axis=1) for name in sorted(set(names.tolist()))]
        return [own for own in rows if own.any()]

    @cached_property
    def parts(self) -> Floats:
        """What each base scenario adds to the levels' deviations; shape (base scenarios, levels).

        A deviation is the mean over metrics of the means over base scenarios of a value less the mean of its row.
        """
        counts = np.maximum(self.known.sum(axis=1, keepdims=True), 1)
        values = np.where(self.known, self.values, 0.0)
        centred = np.where(self.known, values - values.sum(axis=1, keepdims=True) / counts, 0.0)
        for own in self.metrics:
            centred[own] /= np.maximum(self.known[own].sum(axis=0), 1) * len(self.metrics)
        return centred

    @cached_property
    def squared(self) -> float:
        """The mean square of the deviations, less their noise: right on average, and below 0 by chance."""
        found = float((self.parts.sum(axis=0) ** 2).sum())
        for own, share in zip(self.metrics, self._shares, strict=True):
            mean = float((self.parts[own].sum(axis=0) ** 2).sum())
            found += share * (mean - float((self.parts[own] ** 2).sum())) - mean
        return found / float(self.values.shape[1])

    @property
    def gap(self) -> float:
        """The typical gap, 0 at least; nan where no base scenario has values at two levels."""
        return math.sqrt(max(0.0, self.squared)) if self.metrics else math.nan

    @property
    def _shares(self) -> list[float]:
        """For each metric n / (n - 1), which makes its own square unbiased; 0 for a single base scenario."""
        sizes = [int(own.sum()) for own in self.metrics]
        return [size / (size - 1) if size > 1 else 0.0 for size in sizes]

    def influences(self) -> Floats:
        """Return what each base scenario adds to `gap`, to first order; shape (base scenarios,). Zero without a gap.

        What it adds to the square, over the gap: they add up to the gap.
        """
        whole, found = self.parts.sum(axis=0), np.zeros(len(self.bases))
        for own, share in zip(self.metrics, self._shares, strict=True):
            mean = self.parts[own].sum(axis=0)
            others = (whole - mean)[None] + share * (mean[None] - self.parts[own])
            found[own] = (self.parts[own] * others).sum(axis=1) / self.values.shape[1]
        return found / self.gap if self.squared > 0 else np.zeros_like(found)


class GapsOfTwo(NamedTuple):
    """Two models on the same base scenarios and levels."""

    near: LevelValues
    far: LevelValues
    """Of the same bases as `near`, and with values at the same levels of each."""


def on_shared(near: LevelValues, far: LevelValues) -> GapsOfTwo | None:
    """Return two models on what both have; None without a base scenario that has two levels."""
    places = {base: row for row, base in enumerate(far.bases)}
    rows = [(row, places[base]) for row, base in enumerate(near.bases) if base in places]
    if not rows:
        return None
    one, other = near.values[[row for row, _ in rows]], far.values[[row for _, row in rows]]
    lacking = np.isnan(one) | np.isnan(other)
    bases = tuple(near.bases[row] for row, _ in rows)
    both = (LevelValues(bases, np.where(lacking, np.nan, values)) for values in (one, other))
    found = GapsOfTwo(*both)
    return found if found.near.metrics else None


def gap_tests_of_two(pairs: Sequence[GapsOfTwo], exchanges: int = EXCHANGES) -> list[FamilyTest]:
    """Return a test of each pair of "the same typical gap", corrected for all of them by max-T.

    A difference is found where two tests find it, each of one way in which gaps can be equal. If neither model has a
    gap, each base scenario could have had its values at any level: levels are exchanged, for both models alike, and
    each model keeps its own noise. If both have one and the same, base scenarios move the difference up as often
    as down: a sign-flip test of what each adds to it, to first order. Sources: Pesarin & Salmaso (2010), Permutation
    Tests for Complex Data, chapter 1; Berger (1982), Multiparameter Hypothesis Testing, Technometrics 24;
    Westfall & Young (1993).
    """
    if not pairs:
        return []
    moves = [dict(zip(p.near.bases, (p.far.influences() - p.near.influences()).tolist(), strict=True)) for p in pairs]
    equal = simultaneous_tests(moves)
    alone, adjusted = _exchanged(pairs, exchanges)
    ahead = [abs(pair.far.gap - pair.near.gap) > TIE for pair in pairs]
    return [
        FamilyTest(
            max(test.p_value, p_value) if differs else 1.0,
            max(test.adjusted, corrected) if differs else 1.0,
            max(test.smallest, 1 / (exchanges + 1)),
            test.critical,
        )
        for test, p_value, corrected, differs in zip(equal, alone, adjusted, ahead, strict=True)
    ]


def _exchanged(pairs: Sequence[GapsOfTwo], exchanges: int) -> tuple[list[float], list[float]]:
    """Return p values of the differences of squares among those with exchanged levels, alone and step-down."""
    bases = sorted({base for pair in pairs for base in pair.near.bases}, key=repr)
    orders = _orders(len(bases), exchanges, pairs[0].near.values.shape[1])
    models = [one for pair in pairs for one in (pair.near, pair.far)]
    keys = [(one.bases, one.values.tobytes()) for one in models]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    squares = _exchanged_squares(list(dict(zip(keys, models, strict=True)).values()), bases, orders)
    own = squares[[places[key] for key in keys]]
    drawn = own[1::2] - own[::2]  # shape (pairs, 1 + exchanges)
    spread = drawn[:, 1:].std(axis=1, keepdims=True)
    varies = spread > TIE * np.abs(drawn).max(axis=1, keepdims=True)
    sizes = np.abs(np.divide(drawn, spread, out=np.zeros_like(drawn), where=varies))
    observed = sizes[:, 0]
    order = np.argsort(observed, kind="stable")
    highest = np.maximum.accumulate(sizes[order], axis=0)
    reached = observed[order][:, None] * (1 - TIE)
    stepped = stepped_down((highest >= reached).mean(axis=1), observed)
    alone = (sizes >= observed[:, None] * (1 - TIE)).mean(axis=1)
    return [float(p) for p in alone], [float(p) for p in np.maximum(stepped, alone)]


def _orders(bases: int, exchanges: int, levels: int) -> NDArray[np.int8]:
    """Return an order of levels for each base scenario and exchange, first as they were: (bases, exchanges, levels)."""
    random = np.random.default_rng(SEED)
    orders = np.empty((bases, exchanges + 1, levels), dtype=np.int8)
    orders[:, 0] = np.arange(levels)
    for row in range(bases):
        orders[row, 1:] = np.argsort(random.random((exchanges, levels)), axis=1)
    return orders


def _exchanged_squares(
    models: Sequence[LevelValues], bases: Sequence[tuple[str, Hashable]], orders: NDArray[np.int8]
) -> Floats:
    """Return `squared` of each model under each exchange; a row without a value at some level has its sign flipped
    instead. Shape (models, 1 + exchanges).

    Exchanges are the same for all models, so that one product of matrices serves them all.
    """
    place, (_, exchanges, levels) = {base: row for row, base in enumerate(bases)}, orders.shape
    parts = np.zeros((len(models), len(bases), levels))
    whole, used = (np.zeros((len(models), len(bases)), dtype=bool) for _ in range(2))
    for number, one in enumerate(models):
        own = [place[base] for base in one.bases]
        parts[number, own], whole[number, own] = one.parts, one.known.all(axis=1)
        used[number, own] = one.known.any(axis=1)
    names = np.array([metric for metric, _ in bases])
    metrics = [np.flatnonzero(names == name) for name in sorted(set(names.tolist()))]
    found = np.empty((len(models), exchanges))
    step = max(1, MOST_NUMBERS // (levels * max(len(models), levels * max(len(rows) for rows in metrics))))
    for start in range(0, exchanges, step):
        now = orders[:, start : start + step]
        total, less = np.zeros((len(models), now.shape[1], levels)), np.zeros((len(models), now.shape[1]))
        for rows in metrics:
            mean = _under(now[rows], parts[:, rows], whole[:, rows])
            total += mean
            size = used[:, rows].sum(axis=1)
            share = np.where(size > 1, size / np.maximum(size - 1, 1), 0.0)[:, None]
            squares = (mean**2).sum(axis=2)
            less += squares - share * (squares - (parts[:, rows] ** 2).sum(axis=(1, 2))[:, None])
        found[:, start : start + step] = ((total**2).sum(axis=2) - less) / levels
    return found


def _under(orders: NDArray[np.int8], parts: Floats, whole: NDArray[np.bool_]) -> Floats:
    """Return the sum of rows under each exchange; shape (models, exchanges, levels).

    orders: (rows, exchanges, levels). parts: (models, rows, levels). whole: (models, rows).
    """
    models, rows, levels = parts.shape
    chosen = (orders[..., None] == np.arange(levels)).transpose(0, 3, 1, 2).reshape(rows * levels, -1)
    exchanged = np.where(whole[..., None], parts, 0.0).reshape(models, rows * levels)
    total: Floats = (exchanged @ chosen.astype(np.float64)).reshape(models, -1, levels)
    if not whole.all():
        signs = np.where(orders[:, :, 0] % 2 == 0, 1.0, -1.0)
        flipped = np.where(whole[..., None], 0.0, parts).transpose(0, 2, 1)
        total += (flipped @ signs).transpose(0, 2, 1)
    return total

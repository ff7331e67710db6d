"""Whether a stated confidence holds: how often answers are right, by how sure whoever gave them says to be.

Answers are grouped into bins of about as many answers each (equal mass), so that no bin rests on a handful. Intervals
are over clusters, for other clusters like these; with fewer than FEWEST_CLUSTERS only Wilson's, for these answers.

The expected calibration error is the mean distance between what is said and what is right, over bins, weighted by their
answers. Its plain form is never too small: where a confidence holds exactly, chance alone moves bins apart. What chance
adds is taken off, with the normal distribution of each bin's share (Kumar, Liang & Ma 2019, Verified Uncertainty
Calibration, NeurIPS 32, section 5 and appendix). Less than half of it is taken off where the true error is 0, because a
bin's own distance stands for the true one; `chance` says what an exact confidence would show on such answers, so that
nobody takes the rest for an error. Equal mass: Roelofs, Cain, Shlens & Mozer (2022), Mitigating Bias in Calibration
Error Estimation, AISTATS 151.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helm_impactbench.stats.clusters import SEED, Clusters, Floats, clustered
from helm_impactbench.stats.intervals import (
    LEVEL,
    TINY,
    UNKNOWN,
    Interval,
    cluster_interval,
    wilson,
)
from helm_impactbench.stats.items import NO_AREA, Area, area_of
from helm_impactbench.stats.jackknife import summed
from helm_impactbench.stats.scipy_modules import special

FEWEST_CLUSTERS = 6
MOST_BINS = 10
BIN_SIZE = 20
"""Answers that a bin should have."""
DRAWS = 200
"""Data sets that say what chance shows."""


@dataclass(frozen=True)
class ReliabilityPart:
    """A figure and its 95% interval."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class Bin:
    """Answers of about the same confidence."""

    low: float
    high: float
    """The least and the greatest confidence of its answers."""
    said: float
    """Their mean."""
    right: ReliabilityPart
    """Share that is right."""
    answers: int


@dataclass(frozen=True)
class Reliability:
    """Whether confidences hold."""

    answers: int
    said: float
    """Mean confidence."""
    right: ReliabilityPart
    """Share that is right."""
    excess: ReliabilityPart
    """Mean confidence minus share right: above 0 whoever answers is surer than it should be."""
    error: ReliabilityPart
    """Expected calibration error, from 0 to 1, without what chance adds on average."""
    chance: float
    """The error that exact confidences would show on so many answers, on average."""
    brier: ReliabilityPart
    """Mean squared distance between confidence and right (1) or wrong (0): Brier (1950), Monthly Weather Review 78."""
    constant: float
    """The same for whoever always states the share that is right."""
    area: Area
    """How well confidence tells right from wrong answers: 0.5 not at all, 1 always."""
    bins: tuple[Bin, ...]


def reliability(said: Sequence[float], right: Sequence[bool], clusters: Sequence[Hashable]) -> Reliability | None:
    """Return whether confidences (0 to 1) hold; the three sequences have one entry per answer. None without one."""
    if not said:
        return None
    stated, hits = np.array(said, float), np.array(right, float)
    places = np.unique([repr(one) for one in clusters], return_inverse=True)[1]
    which = _bins(stated)
    bins = tuple(_bin(stated[which == b], hits[which == b], places[which == b]) for b in range(int(which.max()) + 1))
    parts = np.zeros((len(stated), len(bins), 3))
    parts[np.arange(len(stated)), which] = np.column_stack([np.ones(len(stated)), stated, hits])
    sums = summed(parts, places.tolist())
    return Reliability(
        answers=len(stated),
        said=float(stated.mean()),
        right=_share(hits, places),
        excess=_mean(stated - hits, places, -1.0),
        error=_error(sums),
        chance=_by_chance(stated, which),
        brier=_mean((stated - hits) ** 2, places, 0.0),
        constant=float(hits.mean() * (1 - hits.mean())),
        area=_area(stated, hits, places),
        bins=bins,
    )


def _bins(stated: Floats) -> NDArray[np.intp]:
    """Return the bin of each answer, from 0; equal confidences share one."""
    number = max(1, min(MOST_BINS, len(stated) // BIN_SIZE))
    values, counts = np.unique(stated, return_counts=True)
    middle = (counts.cumsum() - counts / 2) / counts.sum()
    wanted = np.minimum((middle * number).astype(int), number - 1)
    own = np.unique(wanted, return_inverse=True)[1]
    found: NDArray[np.intp] = own[np.searchsorted(values, stated)]
    return found


def _bin(stated: Floats, hits: Floats, places: NDArray[np.intp]) -> Bin:
    return Bin(float(stated.min()), float(stated.max()), float(stated.mean()), _share(hits, places), len(stated))


def _share(hits: Floats, places: NDArray[np.intp]) -> ReliabilityPart:
    grouped = _grouped(hits, places)
    few = grouped.size < FEWEST_CLUSTERS
    return ReliabilityPart(grouped.mean, wilson(float(hits.sum()), len(hits)) if few else cluster_interval(grouped))


def _mean(values: Floats, places: NDArray[np.intp], lowest: float) -> ReliabilityPart:
    grouped = _grouped(values, places)
    return ReliabilityPart(
        grouped.mean, UNKNOWN if grouped.size < FEWEST_CLUSTERS else cluster_interval(grouped, lowest, 1.0)
    )


def _grouped(values: Floats, places: NDArray[np.intp]) -> Clusters:
    return clustered(zip(places.tolist(), values.tolist(), strict=True))


def calibration_error(sums: Floats) -> Floats:
    """Return the expected calibration error without what chance adds; shape (..., bins, 3) -> (...).

    The three are answers, the sum of their confidences, and how many are right. An empty bin changes nothing.
    """
    size, stated, hits = sums[..., 0], sums[..., 1], sums[..., 2]
    safe = np.maximum(size, 1)
    rate = hits / safe
    distance = np.abs(stated - hits) / safe
    spread = np.sqrt(rate * (1 - rate) / safe)
    added = _folded(distance, spread) - distance
    found: Floats = np.maximum(0.0, (size * (distance - added)).sum(-1) / size.sum(-1))
    return found


def _folded(mean: Floats, spread: Floats) -> Floats:
    """Return the mean of |X| for a normal X (Leone, Nelson & Nottingham 1961, Technometrics 3)."""
    ratio = mean / np.maximum(spread, TINY)
    folded = spread * math.sqrt(2 / math.pi) * np.exp(-(ratio**2) / 2) + mean * (1 - 2 * special.ndtr(-ratio))
    found: Floats = np.where(spread > TINY, folded, mean)
    return found


def _error(sums: Floats) -> ReliabilityPart:
    """Return the calibration error with the jackknife's interval over clusters, cut off at 0."""
    clusters, whole = len(sums), sums.sum(axis=0)
    value = float(calibration_error(whole))
    if clusters < FEWEST_CLUSTERS:
        return ReliabilityPart(value, UNKNOWN)
    left_out = calibration_error(whole - sums)
    spread = math.sqrt((clusters - 1) / clusters * float(((left_out - left_out.mean()) ** 2).sum()))
    half = float(special.stdtrit(clusters - 1, (1 + LEVEL) / 2)) * spread
    return ReliabilityPart(
        value, Interval(max(0.0, value - half), min(1.0, value + half)) if spread > TINY else UNKNOWN
    )


def _by_chance(stated: Floats, which: NDArray[np.intp]) -> float:
    """Return the mean error over data sets in which every answer is right as probably as its confidence says."""
    bins = np.eye(int(which.max()) + 1)[which]
    drawn = np.random.default_rng(SEED).random((DRAWS, len(stated))) < stated
    sums = np.stack(
        [
            np.broadcast_to(bins.sum(axis=0), (DRAWS, bins.shape[1])),
            np.broadcast_to(stated @ bins, (DRAWS, bins.shape[1])),
            drawn @ bins,
        ],
        axis=-1,
    )
    return float(calibration_error(sums).mean())


def _area(stated: Floats, hits: Floats, places: NDArray[np.intp]) -> Area:
    if int(places.max()) + 1 < FEWEST_CLUSTERS:
        return NO_AREA
    levels = np.unique(stated, return_inverse=True)[1]
    tables = np.zeros((int(places.max()) + 1, 2, int(levels.max()) + 1))
    np.add.at(tables, (places, hits.astype(int), levels), 1.0)
    return area_of(tables)

"""Independent repeats of one case: how often they agree, and how often all of k would pass. Each has its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean

from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval, cluster_interval

FEWEST_WITH_A_MAJORITY = 3
"""Samples: of two that differ, neither is the majority."""


@dataclass(frozen=True)
class RepeatShare:
    """A mean over variants, 0 to 1."""

    value: float | None
    """None without a variant."""
    interval: Interval = UNKNOWN
    """95%, for other base scenarios like these."""
    variants: int = 0
    """Variants that it is a mean of."""


def unanimity(variants: Sequence[Sequence[float]], clusters: Sequence[Hashable]) -> RepeatShare:
    """Return the share of variants whose samples all have the same value; clusters: the variants' base scenarios."""
    return _share([float(len(set(values)) == 1) for values in variants], clusters)


def pass_hat_k(variants: Sequence[Sequence[bool]], clusters: Sequence[Hashable]) -> RepeatShare:
    """Return pass^k: the probability that k fresh samples of a variant all pass, for variants of k samples each.

    Source: Yao et al. (2024), tau-bench, arXiv:2406.12045, section 3; for as many samples as there are, it is the share
    of variants whose samples all pass.
    """
    return _share([float(all(samples)) for samples in variants], clusters)


def pass_hat_k_bounds(variants: Sequence[Sequence[bool | None]]) -> tuple[float, float] | None:
    """Return pass^k if all samples without a verdict (None) failed, and if all passed; None without a variant."""
    if not variants:
        return None
    worst = [float(all(bool(passed) for passed in samples)) for samples in variants]
    best = [float(all(passed is not False for passed in samples)) for samples in variants]
    return fmean(worst), fmean(best)


def single_sample_agreement(variants: Sequence[Sequence[float]], clusters: Sequence[Hashable]) -> RepeatShare:
    """Return how often one sample says what most samples of its variant say; a tie is decided by lot.

    For variants of as many samples each. Of two samples it would only repeat unanimity, and has no value.
    """
    if any(len(values) < FEWEST_WITH_A_MAJORITY for values in variants):
        return RepeatShare(None)
    return _share([max(Counter(values).values()) / len(values) for values in variants], clusters)


def _share(values: Sequence[float], clusters: Sequence[Hashable]) -> RepeatShare:
    if not values:
        return RepeatShare(None)
    return RepeatShare(fmean(values), cluster_interval(clustered(zip(clusters, values, strict=True))), len(values))

"""Independent repeats of one case: how often they agree, and how often all of k would pass."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

Repeats = Sequence[bool]
"""The outcomes (passed or not) of the samples of one variant that have a verdict."""


def unanimity(variants: Sequence[Sequence[float]]) -> float | None:
    """Return the share of variants, of those with two samples or more, whose samples all have the same value."""
    repeated = [values for values in variants if len(values) >= 2]
    return sum(len(set(values)) == 1 for values in repeated) / len(repeated) if repeated else None


def pass_hat_k(variants: Sequence[Repeats], k: int) -> float | None:
    """Return pass^k: the probability that k fresh samples of a variant all pass, averaged over variants.

    Variants with fewer than k samples are left out; None when none is left. Source: Yao et al. (2024), tau-bench,
    arXiv:2406.12045, section 3: mean of C(passed, k) / C(samples, k).
    """
    enough = [outcomes for outcomes in variants if len(outcomes) >= k]
    if not enough:
        return None
    return sum(math.comb(sum(outcomes), k) / math.comb(len(outcomes), k) for outcomes in enough) / len(enough)


def single_sample_agreement(variants: Sequence[Sequence[float]]) -> float | None:
    """Return how often one sample says what the majority of its variant's samples says.

    Over variants with two samples or more that have a majority; a single sample is drawn from them at random.
    """
    repeated = [values for values in variants if len(values) >= 2]
    shares = [max(Counter(values).values()) / len(values) for values in repeated]
    decided = [share for share in shares if share > 0.5]
    return sum(decided) / len(decided) if decided else None

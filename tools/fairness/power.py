"""The power of the fairness benchmarks as `impactbench power` reckons it: `python -m tools.fairness.power`.

The pilot is a bias of 8% in noise: differences between two answers that each vary by so much of the usual figure.
"""

from __future__ import annotations

import math

import numpy as np

from helm_impactbench.stats.pilot import Pilot
from helm_impactbench.stats.power import Planned, level_of_tests

BIAS = 0.08
HALF = 2
"""A share of the usual figure is half as much of a measure's range, which goes up to twice the usual figure."""
CASES, METRICS, PAIRS, PAIRS_WITH_REFERENCE = 16, 12, 3, 6
BENCHMARKS = 3
TESTS = BENCHMARKS * (METRICS + 1) * PAIRS_WITH_REFERENCE
"""Of `contrasts --by metric` for one model on the three benchmarks."""


def pilot(noise: float, samples: int) -> Pilot:
    """Return the pilot of answers with this noise, a share of the usual figure, over so many samples."""
    draws = np.random.default_rng(20).normal(size=400) * noise * math.sqrt(2 / samples) / HALF
    return Pilot(draws - draws.mean() + BIAS / HALF, 1.0)


def rows() -> list[tuple[float, int, float, float]]:
    """Return noise, samples, and power for one metric and for a benchmark."""
    found = []
    for noise in (0.05, 0.1, 0.2):
        for samples in (1, 3, 5):
            own, alone, together = pilot(noise, samples), level_of_tests(TESTS), level_of_tests(BENCHMARKS * PAIRS)
            shares = (
                Planned.of(own, BIAS / HALF, alone).power(CASES),
                Planned.of(own, BIAS / HALF, together).power(CASES * METRICS),
            )
            found.append((noise, samples, *shares))
    return found


if __name__ == "__main__":
    print("| answers vary by | samples | 8% found in one metric | in a benchmark |")
    print("|---|---|---|---|")
    for noise, samples, one, whole in rows():
        print(f"| {noise:.0%} | {samples} | {one:.0%} | {whole:.0%} |")

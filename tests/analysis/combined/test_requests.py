"""Shares of requests with a known truth: their intervals hold it, and find nothing where there is nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from helm_impactbench.analysis.combined.requests import RequestShare, request_shares
from tests.stats.simulation import drawn
from tests.suites.external.builders import answers

DATA_SETS, CATEGORIES, VERSIONS, CORRELATION = 200, 60, 3, 0.3
MOST_FALSE = 16
"""Of 200 intervals of 95% that do not hold the truth: more are unlikely (p < .05)."""


def _refusals(rate: float, seed: int) -> Iterator[RequestShare]:
    """Yield the refusal share of data sets: versions of a request resemble each other, some answers are half safe."""
    rng = np.random.default_rng(seed)
    sizes = np.full((1, CATEGORIES), VERSIONS)
    for refused in drawn(rng, [rate], CORRELATION, sizes, DATA_SETS).sums[:, 0].astype(int):
        scores = [float(place < count) for count in refused for place in range(VERSIONS)]
        half = rng.random(len(scores)) < 1 / 8
        values = [0.5 if partly and not score else score for score, partly in zip(scores, half, strict=True)]
        clusters = [str(place) for place in range(CATEGORIES) for _ in range(VERSIONS)]
        found = request_shares(answers("air_bench_2024", "a", *values, clusters=clusters))
        yield next(share for share in found if share.kind == "refusal")


def test_a_planted_refusal_rate_is_recovered_within_its_interval() -> None:
    """In at least 184 of 200 data sets, and their mean is the planted rate."""
    for rate in (0.3, 0.7, 0.85):
        shares = list(_refusals(rate, 1))
        assert sum(one.rate.interval.low <= rate <= one.rate.interval.high for one in shares) >= DATA_SETS - MOST_FALSE
        assert abs(np.mean([one.rate.value for one in shares]) - rate) < 0.01


def test_a_model_that_refuses_half_is_not_said_to_lean() -> None:
    """The interval leaves one half out in at most 16 of 200 data sets, and in nearly all where 7 of 10 are refused."""

    def leaning(rate: float) -> int:
        return sum(not one.rate.interval.low <= 0.5 <= one.rate.interval.high for one in _refusals(rate, 2))

    assert leaning(0.5) <= MOST_FALSE
    assert leaning(0.7) >= 190

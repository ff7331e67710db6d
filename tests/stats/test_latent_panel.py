"""Votes of judges without a known truth: their error rates, verdicts, and relatives that err together."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.latent_panel import latent_panel
from helm_impactbench.stats.shared_errors import SharedErrors, shared_errors, shared_known_errors

ONE_GOOD, ALIKE = ((0.95, 0.95), (0.7, 0.7), (0.7, 0.7)), ((0.85, 0.85), (0.85, 0.85), (0.88, 0.88))
"""Sensitivity and specificity of three judges."""
SHARES = (0.25, 0.75)
"""Of True, in strata: metrics of two types, or a good and a bad target."""


def drawn(
    rng: np.random.Generator, items: int, rates: tuple[tuple[float, float], ...], *, copied: float = 0.0
) -> tuple[Floats, list[int], list[int], Floats]:
    """Return votes, strata, clusters of two items, and the truth; the second judge copies this share from the first."""
    strata = rng.integers(0, len(SHARES), items)
    truth = rng.random(items) < np.array(SHARES)[strata]
    votes = [np.where(rng.random(items) < np.where(truth, *pair), truth, ~truth) for pair in rates]
    votes[1] = np.where(rng.random(items) < copied, votes[0], votes[1])
    clusters = np.arange(items) // 2
    return np.array(votes, dtype=float).T, strata.tolist(), clusters.tolist(), truth.astype(float)


@pytest.mark.parametrize("items", [494, 2_000])
def test_one_good_judge_is_not_outvoted_by_two_weak_ones(items: int) -> None:
    """The latent class rule has at most half of the majority's errors, and finds who is good."""
    rng, majority, latent, covered = np.random.default_rng(12), [], [], []
    for _ in range(40):
        votes, strata, clusters, truth = drawn(rng, items, ONE_GOOD)
        found = latent_panel(votes, strata, clusters)
        assert found is not None
        majority.append(np.mean((votes.mean(axis=1) > 0.5) != truth))
        latent.append(np.mean((found.posterior > 0.5) != truth))
        covered += [
            own.sensitivity_interval.low <= rate <= own.sensitivity_interval.high
            for own, (rate, _) in zip(found.judges, ONE_GOOD, strict=True)
        ]
        assert found.judges[0].sensitivity > max(one.sensitivity for one in found.judges[1:])
    assert np.mean(latent) <= np.mean(majority) / 2
    assert np.mean(covered) >= 0.88


def test_missing_votes_are_left_out() -> None:
    """A tenth of the votes is missing: rates are found all the same, and an item without a vote has no verdict."""
    rng = np.random.default_rng(2)
    votes, strata, clusters, _ = drawn(rng, 3_000, ALIKE)
    votes[rng.random(votes.shape) < 0.1] = np.nan
    votes[0] = np.nan
    found = latent_panel(votes, strata, clusters)
    assert found is not None
    assert np.isnan(found.posterior[0])
    assert not np.isnan(found.posterior[1:][~np.isnan(votes[1:]).all(axis=1)]).any()
    for own, (sensitivity, specificity) in zip(found.judges, ALIKE, strict=True):
        assert own.sensitivity == pytest.approx(sensitivity, abs=0.05)
        assert own.specificity == pytest.approx(specificity, abs=0.05)
    assert found.all_voted == int((~np.isnan(votes)).all(axis=1).sum())


def test_a_judge_without_an_error_has_an_interval_nevertheless() -> None:
    """Others like these might show one."""
    rng = np.random.default_rng(4)
    votes, strata, clusters, _ = drawn(rng, 400, ((1.0, 1.0), (0.8, 1.0), (1.0, 0.8)))
    found = latent_panel(votes, strata, clusters)
    assert found is not None
    assert found.judges[0].sensitivity > 0.99
    assert 0.9 < found.judges[0].sensitivity_interval.low < 0.999


def test_too_little_says_nothing() -> None:
    """Two judges, or few items; and with one stratum three judges fit any votes."""
    votes, strata, clusters, _ = drawn(np.random.default_rng(1), 400, ALIKE)
    assert latent_panel(votes[:, :2], strata, clusters) is None
    assert latent_panel(votes[:20], strata[:20], clusters[:20]) is None
    assert shared_errors(votes, np.zeros(400, dtype=int), clusters) is None


def _with_and_without_truth(rng: np.random.Generator, copied: float) -> tuple[SharedErrors | None, SharedErrors | None]:
    votes, strata, clusters, truth = drawn(rng, 1_000, ALIKE, copied=copied)
    known = shared_known_errors((votes != truth[:, None]).astype(float), truth.tolist(), clusters)
    return shared_errors(votes, np.array(strata), clusters), known


def test_two_relatives_are_named_with_and_without_a_known_truth() -> None:
    """The second judge copies half of the first one's votes, errors included."""
    rng = np.random.default_rng(3)
    for shared in (one for _ in range(10) for one in _with_and_without_truth(rng, 0.5)):
        assert shared is not None
        assert shared.found
        assert shared.judges == (0, 1)


def test_judges_who_err_independently_are_hardly_ever_accused() -> None:
    """At most 5%, less chance, of 24 panels."""
    rng = np.random.default_rng(5)
    found = [_with_and_without_truth(rng, 0.0) for _ in range(24)]
    for kind in (0, 1):
        assert sum(one[kind] is not None and one[kind].found for one in found) <= 4  # type: ignore[union-attr]

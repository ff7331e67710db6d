"""Energy distances between sets of clustered points: zero for equal ones, in order, with intervals."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.stats.energy import EnergyPoints, difference_of_gaps, gap_between, halves, likeness
from tests.stats.simulation import covered


def _points(rng: np.random.Generator, clusters: int, shift: float = 0.0, size: int = 3) -> EnergyPoints:
    base = np.repeat(rng.normal(size=(clusters, 4)), size, axis=0) * np.sqrt(0.5)
    values = base + rng.normal(size=base.shape) * np.sqrt(0.5) + shift
    return EnergyPoints(values, tuple(place // size for place in range(clusters * size)))


def test_a_coefficient_is_what_its_formula_says() -> None:
    """On four points, by hand: and 1 for two constants."""
    one = EnergyPoints(np.array([[0.0], [1.0]]), (0, 1))
    other = EnergyPoints(np.array([[2.0], [4.0]]), (0, 1))
    between, within = (2 + 4 + 1 + 3) / 4, (1 + 2) / 2
    assert gap_between(one, other).coefficient == pytest.approx(1 - within / between)
    constants = [EnergyPoints(np.full((3, 2), value), (0, 1, 2)) for value in (0.0, 5.0)]
    assert gap_between(*constants).coefficient == pytest.approx(1.0)
    assert gap_between(constants[0], constants[0]).coefficient == 0
    assert [likeness(value) for value in (-0.1, 0.0, 0.25, 1.0)] == [100, 100, 50, 0]


def test_what_a_gap_is_without_a_cluster_is_what_leaving_it_out_gives() -> None:
    """The closed forms of the jackknife agree with computing anew."""
    rng = np.random.default_rng(4)
    one, other = _points(rng, 6), _points(rng, 5, 1.0)
    gap = gap_between(one, other)
    left = np.array(one.clusters) != 2
    smaller = EnergyPoints(one.values[left], tuple(np.array(one.clusters)[left].tolist()))
    assert gap.without_one[2] == pytest.approx(gap_between(smaller, other).coefficient)
    left = np.array(other.clusters) != 4
    smaller = EnergyPoints(other.values[left], tuple(np.array(other.clusters)[left].tolist()))
    assert gap.without_other[4] == pytest.approx(gap_between(one, smaller).coefficient)


def test_two_samples_of_one_distribution_are_nothing_apart_on_average() -> None:
    """Whatever the sizes of clusters; as are halves of one set."""
    rng = np.random.default_rng(5)
    found = [gap_between(_points(rng, 12, size=6), _points(rng, 40, size=1)).coefficient for _ in range(300)]
    assert np.mean(found) == pytest.approx(0.0, abs=0.003)
    one = _points(rng, 200, size=1)
    assert halves(one.distances(one)).mean() == pytest.approx(0.0, abs=0.003)
    assert not len(halves(np.zeros((3, 3))))


def test_intervals_cover_the_truth() -> None:
    """At a moderate distance, 93 to 98% of them."""
    rng = np.random.default_rng(6)
    truth = gap_between(_points(rng, 2_000, 0.7, size=1), _points(rng, 2_000, size=1)).coefficient
    gaps = [gap_between(_points(rng, 25, 0.7), _points(rng, 60, size=1)) for _ in range(300)]
    bounds = np.array([(gap.interval.low, gap.interval.high) for gap in gaps]).T
    assert 92 <= covered((bounds[0], bounds[1]), truth) <= 99


def test_differences_of_two_sets_over_the_same_clusters() -> None:
    """The nearer set is ahead; what both share makes the interval shorter; with two clusters there is none."""
    rng = np.random.default_rng(7)
    human, near = _points(rng, 60, size=1), _points(rng, 25, 0.5)
    far = EnergyPoints(near.values + 0.5, near.clusters)
    other = EnergyPoints(far.values, tuple(f"other {key}" for key in far.clusters))
    paired, unpaired = (difference_of_gaps(gap_between(one, human), gap_between(near, human)) for one in (far, other))
    assert paired[0] == unpaired[0] > 0
    assert paired[1].low > 0
    assert paired[1].high - paired[1].low < unpaired[1].high - unpaired[1].low
    tiny = EnergyPoints(near.values[:6], near.clusters[:6])
    assert not gap_between(tiny, human).interval.is_known

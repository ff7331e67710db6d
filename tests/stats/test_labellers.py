"""Several people who err: their errors and the judge's are found, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from helm_impactbench.stats.judge_errors import Labelled, LabelledShare, error_rates, modelled_kappa
from helm_impactbench.stats.labellers import Labels, read_labels

RIGHT = (0.9, 0.85)


def sheet(
    rng: np.random.Generator, items: int, present: float, judge: tuple[float, float], right: tuple[float, ...] = RIGHT
) -> tuple[Labelled, LabelledShare]:
    """Return a sheet drawn half and half by the judge's answer from four times as many, in base scenarios of four."""
    whole = 4 * items
    truth = rng.random(whole) < present
    judged = np.where(truth, rng.random(whole) < judge[0], rng.random(whole) >= judge[1])
    sides = [np.flatnonzero(judged == side) for side in (False, True)]
    drawn = [rng.choice(side, min(len(side), items // 2), replace=False) for side in sides]
    weights = np.concatenate([np.full(len(own), len(side) / len(own)) for own, side in zip(drawn, sides, strict=True)])
    chosen = np.concatenate(drawn)
    labels = np.stack([np.where(rng.random(len(chosen)) < one, truth[chosen], ~truth[chosen]) for one in right], axis=1)
    said = read_labels(labels.astype(float), judged[chosen], chosen // 4)
    share = LabelledShare(float(judged.mean()), float(whole), whole)
    return Labelled(judged[chosen], labels[:, 0], weights, chosen // 4, said), share


@pytest.mark.parametrize(
    ("items", "present", "judge", "right"),
    [(120, 0.5, (0.83, 0.83), RIGHT), (240, 0.3, (0.85, 0.9), RIGHT), (240, 0.3, (0.85, 0.9), (0.9, 0.85, 0.88))],
    ids=["two people, 120 items", "two people, rare", "three people"],
)
def test_the_judges_errors_are_found_behind_peoples(
    items: int, present: float, judge: tuple[float, float], right: tuple[float, ...]
) -> None:
    """Sensitivity, specificity and agreement without bias of 2 points, in intervals that cover 93%, less chance."""
    rng, sets = np.random.default_rng(17), 40
    found = [sheet(rng, items, present, judge, right) for _ in range(sets)]
    rates = [error_rates(labelled, share) for labelled, share in found]
    for truth, own in zip(judge, ([r.sensitivity for r in rates], [r.specificity for r in rates]), strict=True):
        known = [rate for rate in own if rate is not None]
        assert float(np.mean([rate.value for rate in known])) == pytest.approx(truth, abs=0.02)
        assert np.mean([rate.interval.low <= truth <= rate.interval.high for rate in known]) >= 0.93 - 0.08
    t1 = present * judge[0] / (present * judge[0] + (1 - present) * (1 - judge[1]))
    t0 = present * (1 - judge[0]) / (present * (1 - judge[0]) + (1 - present) * judge[1])
    agreement = np.mean([modelled_kappa(labelled).agreement for labelled, _ in found])
    assert agreement == pytest.approx((t1 + 1 - t0) / 2, abs=0.02)


def test_peoples_own_errors_are_found() -> None:
    """Within 3 points, in intervals around them."""
    labelled, _ = sheet(np.random.default_rng(3), 2_000, 0.5, (0.85, 0.85))
    assert labelled.labels is not None
    for right, person in zip(RIGHT, labelled.labels.labellers, strict=True):
        for value, interval in (
            (person.sensitivity, person.sensitivity_interval),
            (person.specificity, person.specificity_interval),
        ):
            assert value == pytest.approx(right, abs=0.03)
            assert interval.low < value < interval.high


def flat(labels: list[list[float]], judged: list[bool]) -> Labels:
    """Return what labels say; every item is a base scenario."""
    return read_labels(np.array(labels), np.array(judged), range(len(labels)))


def test_people_who_never_differ_are_taken_as_right() -> None:
    """The share is the plain one, and its uncertainty that of so many items."""
    said = flat([[1, 1]] * 30 + [[0, 0]] * 10, [True] * 30 + [False] * 10)
    value, size = said.share(np.ones(40))
    assert value == pytest.approx(0.75, abs=1e-3)
    assert 25 < size <= 40
    every: NDArray[np.bool_] = np.arange(40) < 30
    assert said.where(every).share(np.ones(30)) == (1.0, pytest.approx(30, rel=0.01))


def test_a_tie_says_nothing_where_errors_are_unknown() -> None:
    """Ten items with two answers: the majority of the others stands, and ties share its proportions."""
    said = flat([[1, 1]] * 6 + [[0, 0]] * 2 + [[1, 0]] * 2, [True] * 10)
    assert said.labellers == ()
    assert said.share(np.ones(10))[0] == pytest.approx(0.75, abs=1e-3)


def test_what_is_turned_is_the_opposite() -> None:
    """A behaviour that is present is a pass or a fail: the share of one is what is left of the other."""
    said = flat([[1, 1]] * 6 + [[0, 0]] * 2, [True] * 8)
    turned = said.turned(np.ones(8, dtype=bool))
    assert turned.share(np.ones(8))[0] == pytest.approx(1 - said.share(np.ones(8))[0], abs=1e-6)

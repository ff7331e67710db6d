"""People and a judge who err on the same hard items."""

from __future__ import annotations

import numpy as np
import pytest

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.hard_items import if_shared

ITEMS = 500


def answers(seed: int, present: float, hard: float, easy: float) -> tuple[Floats, Floats]:
    """Return what two people and a judge say of 500 items, a quarter of which are hard."""
    rng = np.random.default_rng(seed)
    truth = rng.random(ITEMS) < present
    errs = np.where(rng.random(ITEMS) < 0.25, hard, easy)
    said = np.array([(truth != (rng.random(ITEMS) < errs)).astype(float) for _ in range(3)])
    return said[:2].T, said[2]


def test_shared_errors_look_like_the_truth_until_they_are_allowed_for() -> None:
    """Present in 10%, errors in 40% of the hard items: found in 18% if independent, in 11% with a correlation of .2.

    The judge's specificity, .88, is put at .94 first. Means over six sheets.
    """
    found = [if_shared(*answers(seed, 0.1, 0.4, 0.03), np.ones(ITEMS)) for seed in range(6)]
    figures = np.mean([[[row.present, row.specificity] for row in rows] for rows in found], axis=0)
    independent, _, shared = figures
    assert independent == pytest.approx([0.18, 0.94], abs=0.03)
    assert shared == pytest.approx([0.11, 0.89], abs=0.03)


def test_independent_errors_are_found_as_they_are() -> None:
    """Without a correlation: present in 40%, everybody right in 88%."""
    found = [if_shared(*answers(seed, 0.4, 0.12, 0.12), np.ones(ITEMS))[0] for seed in range(4)]
    figures = np.mean(
        [[one.present, one.sensitivity, one.specificity, one.people_sensitivity] for one in found], axis=0
    )
    assert figures == pytest.approx([0.4, 0.88, 0.88, 0.88], abs=0.03)


def test_few_double_answers_say_nothing() -> None:
    """Nothing is said with one person, or with fewer than 30 items that two people have answered."""
    labels, judged = answers(1, 0.4, 0.1, 0.1)
    assert if_shared(labels[:, :1], judged, np.ones(ITEMS)) == []
    labels[29:, 1] = np.nan
    assert if_shared(labels, judged, np.ones(ITEMS)) == []

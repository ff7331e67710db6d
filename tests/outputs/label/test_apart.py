"""Differences that a label names row by row: found where they are, and seldom where there is none."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from helm_impactbench.outputs.label.apart import differ, rows_apart
from helm_impactbench.outputs.label.groups import GradeGroup
from helm_impactbench.outputs.label.label import label_of
from helm_impactbench.stats.intervals import wilson
from tests.outputs.label.builders import benchmark, metric, talks

ROWS, AGES, SIZE = 9, 3, 36


@pytest.mark.parametrize("rate", [0.5, 0.7, 0.95])
def test_few_labels_name_a_difference_where_there_is_none(rate: float) -> None:
    """At most 5%, all rows and pairs of ages together; intervals that do not touch would name one in up to 15%."""
    rng = np.random.default_rng(3)
    parts = {passed: (passed / SIZE, wilson(passed, SIZE)) for passed in range(SIZE + 1)}
    wrong = 0
    for passed in rng.binomial(SIZE, rate, (1_000, ROWS, AGES)).tolist():
        pairs = [sorted(pair) for row in passed for pair in combinations(row, 2)]
        wrong += any(differ(parts[low], parts[high], SIZE, len(pairs)) for low, high in pairs)
    assert wrong <= 50


def test_more_tests_ask_for_more() -> None:
    """The same two rates differ in the only row, and not among 27 pairs; two that are equal never do."""
    low, high = ((passed / SIZE, wilson(passed, SIZE)) for passed in (14, 25))
    assert differ(low, high, SIZE, 1)
    assert not differ(low, high, SIZE, 27)
    assert not differ(low, low, SIZE, 1)


def test_the_two_groups_that_are_farthest_apart_are_named() -> None:
    """Of three origins the best and the worst; a row in which nobody was played twice has no test."""
    three = [metric(number, ["learning"]) for number in (1, 2, 3)]
    ages = {"adult": [True] * 16, "child": [False] * 16, "teenager": [True, True, True, False] * 4}
    found = [
        one for n in (1, 2, 3) for age, passed in ages.items() for one in talks(n, passed, axes=(("origin", age),))
    ]
    label = label_of(found, [benchmark(three)])
    (row,) = [row for row in label.rows if row.key == "learning"]
    apart = rows_apart({"learning": [row.among(GradeGroup("origin", age)) for age in ages], "agency": []})
    assert list(apart) == ["learning"]
    assert [part.group and part.group.level for part in (apart["learning"].worse, apart["learning"].better)] == [
        "child", "adult",
    ]  # fmt: skip

"""The age of a person, read from what introduces them."""

from __future__ import annotations

import pytest

from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
from helm_impactbench.conversation.age import age_group, years_in

GROUP = {"age": "child or teenager (6-17)"}


@pytest.mark.parametrize(
    ("persona", "axes", "expected"),
    [
        pytest.param("A 9-year-old boy in Kumasi.", GROUP, "young child", id="years before the level"),
        pytest.param("A 12-year-old girl.", GROUP, "child", id="child"),
        pytest.param("A 14 year old girl.", GROUP, "teenager", id="teenager"),
        pytest.param("A 65-year-old farmer.", GROUP, "older adult", id="older adult"),
        pytest.param("Someone aged 41.", {}, "adult", id="adult without an axis"),
        pytest.param("A nurse.", {"age": "adult (18+)"}, "adult", id="level alone"),
        pytest.param("A pupil.", {"age": "child (6-12)"}, "child", id="child by level"),
        pytest.param("A nurse.", {"origin": "here"}, None, id="nothing told"),
    ],
)
def test_the_group(persona: str, axes: dict[str, str], expected: str | None) -> None:
    """Years that the persona states come first."""
    assert age_group(persona, axes) == expected


def test_shipped_personas_and_their_levels_agree() -> None:
    """Nobody is told to write like a child whose level is adult, or the other way round."""
    for slug in benchmark_paths():
        for scenario in load_benchmark(slug).scenarios:
            level = scenario.axes.get("age")
            if level and years_in(scenario.played_persona) is not None:
                group = age_group(scenario.played_persona, {})
                assert (group in ("adult", "older adult")) == level.startswith("adult"), scenario.id

"""Names in options are taken as people write them: the beginning of a level, and spaces around a sign."""

from __future__ import annotations

import pytest

from helm_impactbench.analysis.commands.gate import bar
from helm_impactbench.analysis.commands.power import known_gap
from helm_impactbench.errors import ImpactBenchError
from tests.support.outcomes import outcome

ADULT, CHILD = "adult (18+)", "child or teenager (6-17)"
OUTCOMES = [outcome(axes=(("age", ADULT),)), outcome(axes=(("age", CHILD),))]


def test_the_beginning_of_a_level_is_enough() -> None:
    """As with gate --where; two beginnings of one level are one level."""
    assert known_gap(OUTCOMES, ("model-a", "age", "child", "adult")) == ("model-a", "age", CHILD, ADULT)
    assert known_gap(OUTCOMES, ("model-a", "age", CHILD, "Adult")) == ("model-a", "age", CHILD, ADULT)
    with pytest.raises(ImpactBenchError, match=r"--gap names child or teenager \(6-17\) twice"):
        known_gap(OUTCOMES, ("model-a", "age", "child", "chi"))
    with pytest.raises(ImpactBenchError, match=r"No level 'old' of age in this suite; there are: adult"):
        known_gap(OUTCOMES, ("model-a", "age", "child", "old"))


def test_spaces_around_a_condition_do_not_matter() -> None:
    """They are no part of a name or a number."""
    assert bar(" pass_rate = 0.8 ") == bar("pass_rate=0.8") == ("pass_rate", 0.8)

"""Which axis the page "Describe your use" offers."""

from __future__ import annotations

from helm_impactbench.outputs.report.your_use import axis_of
from tests.support.outcomes import outcome


def test_the_axis_is_the_one_that_most_conversations_have_and_that_has_few_levels() -> None:
    """Age, which all have, and not a rarer one, one with a single level, or one with more than four."""
    found = [
        outcome(
            axes=(
                ("age", "adult" if place % 2 else "child"),
                ("city", f"c{place}"),
                ("language", "English"),
                *((("gender", "man" if place % 4 else "woman"),) if place < 4 else ()),
            )
        )
        for place in range(8)
    ]
    assert axis_of(found) == "age"


def test_no_axis_is_offered_where_none_has_levels_to_choose_between() -> None:
    """Conversations of one kind of person, and none at all."""
    assert axis_of([outcome(), outcome()]) == ""
    assert axis_of([]) == ""

"""People who fare differently are shown apart, in the same order for everybody, and no average of them is graded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from helm_impactbench.analysis.people import ADULTS, MINORS
from helm_impactbench.outputs.label.audiences import AUDIENCES
from helm_impactbench.outputs.label.export import label_data
from helm_impactbench.outputs.label.grades import NoGrade
from helm_impactbench.outputs.label.groups import GradeGroup
from helm_impactbench.outputs.label.label import Label, label_of
from helm_impactbench.outputs.label.render import label_markdown, render_label
from helm_impactbench.outputs.label.result import _rows
from helm_impactbench.outputs.label.summary import undrawn
from helm_impactbench.outputs.label.words import ShownRow, shown_findings, shown_rows, shown_unequal
from tests.outputs.label.builders import benchmark, metric, talks

THREE = [metric(number, ["learning"]) for number in (1, 2, 3)]
CHILD, ADULT = GradeGroup("age", "child"), GradeGroup("age", "adult")


def _label(adults: bool, children: bool, **changes: Any) -> Label:
    """Return the label of a model that does well, or not, with adults and children; 30 conversations each."""
    found = [one for number in (1, 2, 3) for one in talks(number, [adults, children] * 10, **changes)]
    return label_of(found, [benchmark(THREE)])


def _learning(label: Label, audience: str) -> ShownRow:
    return next(row for row in shown_rows(label, AUDIENCES[audience]) if row.key == "learning")


def test_children_who_fail_are_not_hidden_in_an_average() -> None:
    """Adults 100%, children 0%: every audience sees an E first and an A beside it, and the average gets no grade."""
    label = _label(adults=True, children=False)
    assert label.differs("learning")
    for audience in AUDIENCES:
        parts = _learning(label, audience).parts
        assert [(part.group, part.span) for part in parts] == [
            ("age=child", "E"), ("age=adult", "A"), ("everybody", "-"),
        ]  # fmt: skip
        assert parts[2].figure("rate") == "50.0%"
        assert "| Everybody | - |" in label_markdown(label, audience)


def test_everybody_leads_where_nobody_fares_worse() -> None:
    """For parents, too: the label is about the same people for every audience."""
    label = _label(adults=True, children=True)
    assert not label.differs("learning")
    shown = {key: [(part.group, part.span) for part in _learning(label, key).parts] for key in AUDIENCES}
    assert shown["developers"] == [("everybody", "A"), ("age=child", "A"), ("age=adult", "A")]
    assert all(parts == shown["parents"] for parts in shown.values())


def test_ranges_that_lie_apart_are_enough() -> None:
    """Children and adults met different situations, so there is no paired test: the row still shows them apart."""
    adults = [one for n in (1, 2, 3) for one in talks(n, [True] * 10, axes=(("age", "adult"),))]
    children = [
        one
        for n in (1, 2, 3)
        for number in range(10)
        for one in talks(n, [False], axes=(("age", "child"),), base_id=f"m{n:02d}_s9{number:02d}")
    ]
    label = label_of([*adults, *children], [benchmark(THREE)])
    assert label.unequal == ()
    assert label.differs("learning")
    assert label.first_group("learning") == CHILD
    (notice,) = shown_unequal(label, AUDIENCES["policymakers"])
    assert '"Helps to learn" (0.0% of 30 with child, 100.0% of 30 with adult)' in notice


def test_a_difference_that_rests_on_groups_without_a_grade_shows_their_rates() -> None:
    """Two groups of 19 are not measured, and everybody is: the sentence has their rates, and no doubt denies it."""
    adults = [one for n in (1, 2, 3) for one in talks(n, [True] * (6 + (n == 1)), axes=(("age", "adult"),))]
    teenagers = [
        replace(one, base_id=f"{one.base_id}9", variant_id=f"{one.variant_id}9")
        for n in (1, 2, 3)
        for one in talks(n, [False] * (6 + (n == 1)), axes=(("age", "teenager"),))
    ]
    other = [one for n in (1, 2, 3) for one in talks(n, [True] * 40, axes=())]
    label = label_of([*adults, *teenagers, *other], [benchmark(THREE)])
    assert [part.no_grade for part in label.parts("learning")] == [NoGrade.TOO_FEW, NoGrade.TOO_FEW, None]
    (notice,) = shown_unequal(label, AUDIENCES["parents"])
    assert '"Helps to learn" (0.0% of 19 chats with teenager, 100.0% of 19 chats with adult)' in notice
    assert "stand side by side" not in notice
    (untested,) = [text for text in shown_findings(label, AUDIENCES["parents"]) if text.startswith("No grade for")]
    assert "Helps to learn" not in untested
    for audience in AUDIENCES.values():  # both groups lack a grade, so nothing is drawn, and their reason is given
        assert not label.has_grades
        assert "too little was measured for a grade" in undrawn(label, audience.sheet)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_every_part_shows_its_whole_grade(audience: str) -> None:
    """The span stands in Markdown, also beside a group without a grade."""
    adults = [one for n in (1, 2, 3) for one in talks(n, [True] * 40, axes=(("age", "adult"),))]
    children = [one for n in (1, 2, 3) for one in talks(n, [True] * 2, axes=(("age", "child"),))]
    label = label_of([*adults, *children], [benchmark(THREE)])
    graded = [part for part in _learning(label, audience).parts if part.verdict]
    assert {part.group for part in graded} == {"age=adult", "everybody"}
    text = label_markdown(label, audience)
    for part in graded:
        assert f"| {part.span} |" in text


def test_files_say_what_pages_say() -> None:
    """An average over people who differ has a rate and no grade; a row that is not measured has neither."""
    label = _label(adults=True, children=False)
    (row,) = [row for row in label_data(label)["rows"] if row["row"] == "learning"]
    assert (row["grade"], row["not_measured"], row["pass_rate"]) == (None, None, 0.5)
    written = [(one["people"], one["grade"], one["pass_rate"]) for one in _rows(label) if one["row"] == "learning"]
    assert written == [("everybody", "no grade", 0.5), ("child", "E", 0.0), ("adult", "A", 1.0)]
    few = label_of([one for n in (1, 2, 3) for one in talks(n, [True] * 4)], [benchmark(THREE)])
    (row,) = [one for one in _rows(few) if one["row"] == "learning"]
    assert (row["grade"], row["pass_rate"], row["low"], row["scored"]) == ("not measured", None, None, 12)


def test_a_group_that_was_not_played_is_not_measured() -> None:
    """A row in which nobody was a child says so, and does not pass off the adults' result as theirs."""
    declared = [*THREE, *[metric(number, ["agency"]) for number in (4, 5, 6)]]
    played = [one for number in (1, 2, 3) for one in talks(number, [True] * 20)]
    adults = [one for number in (4, 5, 6) for one in talks(number, [True] * 20, axes=(("age", "adult"),))]
    label = label_of([*played, *adults], [benchmark(declared)])
    everybody, child, adult = label.parts("agency")
    assert (child.group, child.no_grade) == (CHILD, NoGrade.NO_PEOPLE)
    assert [part.grade.span for part in (everybody, adult) if part.grade] == ["A", "A"]
    assert "Nobody of this group was played here." in render_label(label, "parents")


def test_few_groups_stand_in_a_row() -> None:
    """Bands of age are minors and adults, minors first."""
    levels = ["adult (18-64)", "adult (65+)", "child (7-9)", "child (10-12)", "teenager (13-17)"]
    found = [one for n in (1, 2, 3) for level in levels for one in talks(n, [True] * 8, axes=(("age", level),))]
    groups = label_of(found, [benchmark(THREE)]).groups
    assert [group.level for group in groups] == [MINORS, ADULTS]


def test_the_data_has_every_group() -> None:
    """labels.json carries the groups with the same figures, and says that they differ."""
    (row,) = [row for row in label_data(_label(adults=True, children=False))["rows"] if row["row"] == "learning"]
    assert row["differs"] is True
    assert [(one["level"], one["grade"], one["pass_rate"], one["scored"]) for one in row["groups"]] == [
        ("child", "E", 0.0, 30), ("adult", "A", 1.0, 30),
    ]  # fmt: skip

"""Which conversations feed which row, and what the label says about itself."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.outputs.label.doubts import GradeDoubt
from helm_impactbench.outputs.label.export import label_data
from helm_impactbench.outputs.label.grades import NoGrade
from helm_impactbench.outputs.label.label import label_of
from helm_impactbench.outputs.label.rows import ROWS
from helm_impactbench.results.outcome import JudgeVote, Outcome
from tests.outputs.label.builders import benchmark, metric, talks

THREE = [metric(number, ["learning"]) for number in (1, 2, 3)]
GOOD = [True] * 19 + [False]


def _outcomes(*numbers: int) -> list[Outcome]:
    return [outcome for number in numbers for outcome in talks(number, GOOD)]


def test_the_rows_are_those_that_a_benchmark_can_declare() -> None:
    """No row of benchmark.yaml is forgotten on the label, and none stands twice."""
    assert sorted(ROWS) == sorted(get_args(LabelRow))


def test_a_metric_feeds_every_row_that_it_declares_and_no_other() -> None:
    """Conversations of a metric with two labels count in both rows."""
    declared = [metric(1, ["learning", "agency"]), metric(2, ["learning"]), metric(3, [])]
    label = label_of(_outcomes(1, 2, 3), [benchmark(declared)])
    assert {row.key: row.rate.conversations for row in label.rows if row.metrics} == {"learning": 40, "agency": 20}
    assert label.row("toxicity").no_grade is NoGrade.NO_METRIC


def test_the_labels_of_the_installed_benchmark_count() -> None:
    """A conversation whose metric is gone, or is another one by now, feeds no row and is counted."""
    renamed = [metric(1, ["learning"]), metric(2, ["learning"], name="Do another thing")]
    label = label_of(_outcomes(1, 2, 3), [benchmark(renamed)])
    assert label.row("learning").rate.conversations == 20
    assert [finding.count for finding in label.findings() if finding.doubt is GradeDoubt.UNPLACED] == [40]
    assert label_of(_outcomes(1), []).tested.benchmarks == (("mini", "mini", 20),)


def test_a_label_is_of_one_model() -> None:
    """Two models, or none, have no label together."""
    with pytest.raises(ValueError, match="these outcomes are of 2"):
        label_of([*_outcomes(1), *talks(1, [True], model="model-b")], [benchmark(THREE)])
    with pytest.raises(ValueError, match="these outcomes are of 0"):
        label_of([], [benchmark(THREE)])


def test_who_was_tested_is_counted() -> None:
    """People by axis and value, benchmarks, judges, and the simulated user of the runs or as given."""
    label = label_of(_outcomes(1, 2, 3), [benchmark(THREE)])
    who = label.tested
    assert (who.conversations, who.scored, who.scenarios) == (60, 60, 30)
    assert who.people == (("age", (("adult", 30), ("child", 30))),)
    assert who.benchmarks == (("mini", "Mini", 60),)
    assert (who.judges, who.users, who.scripted) == (("j",), ("u",), ())
    assert label_of(_outcomes(1), [benchmark(THREE)], ["a/b"]).tested.users == ("a/b",)


@pytest.mark.parametrize(
    ("changes", "role"),
    [
        ({"model": "rehearsal/mixed"}, "target"),
        ({"setup": "impactbench:benchmark=mini,user=rehearsal_user,judge=j"}, "user"),
        ({"votes": (JudgeVote("rehearsal/judge", 1.0, "answered", True),)}, "judge"),
    ],
)
def test_scripted_roles_are_named(changes: dict[str, object], role: str) -> None:
    """A script in any role makes the figures a rehearsal."""
    assert label_of(talks(1, GOOD, **changes), [benchmark(THREE)]).tested.scripted == (role,)


def test_doubts_name_rows_and_figures() -> None:
    """Not measured, narrow, most unscored and the judges; a single grade is not called the least certain one."""
    votes = tuple(JudgeVote(judge, value, "answered", True) for judge, value in (("j", 1.0), ("k", 1.0), ("l", 0.0)))
    verdicts: list[bool | None] = [None, *GOOD[1:]]
    outcomes = [*talks(1, verdicts), *talks(2, GOOD), *talks(3, GOOD, votes=votes)]
    found = {finding.doubt: finding for finding in label_of(outcomes, [benchmark(THREE)]).findings()}
    assert set(found) == {
        GradeDoubt.NOT_MEASURED,
        GradeDoubt.NARROW,
        GradeDoubt.UNSCORED,
        GradeDoubt.SPLIT,
    }
    assert found[GradeDoubt.NOT_MEASURED].count == 8
    assert found[GradeDoubt.NARROW].rows == found[GradeDoubt.SPLIT].rows == ("learning",)
    assert found[GradeDoubt.UNSCORED].share == pytest.approx(1 / 60)
    assert found[GradeDoubt.SPLIT].share == 1.0
    half = label_of([*talks(1, [None] * 10 + [True] * 10), *talks(2, GOOD), *talks(3, GOOD)], [benchmark(THREE)])
    assert [finding.rows for finding in half.findings() if finding.doubt is GradeDoubt.UNDONE] == [("learning",)]
    kin = tuple(
        replace(o, model="x/claude-1", votes=(JudgeVote("y/claude-2", 1.0, "answered", True),)) for o in outcomes
    )
    (related,) = [f for f in label_of(kin, [benchmark(THREE)]).findings() if f.doubt is GradeDoubt.RELATIVE]
    assert related.judges == ("y/claude-2",)
    alone = label_of(_outcomes(1, 2, 3), [benchmark(THREE)]).findings()
    assert GradeDoubt.ONE_JUDGE in {finding.doubt for finding in alone}


def test_a_difference_between_people_is_not_averaged_away() -> None:
    """Where adults fare better than children in the same situations, the label carries it beside its grades."""
    unequal = [outcome for number in (1, 2, 3) for outcome in talks(number, [True, False] * 10)]
    (gap,) = label_of(unequal, [benchmark(THREE)]).unequal
    assert (gap.axis, gap.better, gap.worse) == ("age", ("adult", 1.0), ("child", 0.0))
    assert label_of(_outcomes(1, 2, 3), [benchmark(THREE)]).unequal == ()


def test_the_example_comes_from_where_the_row_is_mostly_measured() -> None:
    """A metric that names the row first, of the benchmark that has most of these."""
    here = benchmark([metric(1, ["agency", "learning"]), *THREE[1:]])
    other = benchmark([metric(1, ["learning"])], slug="aaa")
    outcomes = [*_outcomes(1, 2, 3), *talks(1, GOOD, benchmark="aaa")]
    example = label_of(outcomes, [here, other]).row("learning").example
    assert example is not None
    assert example.name == "mini/m02"


def test_a_row_without_a_grade_has_no_rate_in_the_data() -> None:
    """Counts stay, so that the reason can be checked; null stands for every figure."""
    (row,) = [row for row in label_data(label_of(_outcomes(1), [benchmark(THREE)]))["rows"] if row["row"] == "learning"]
    assert (row["not_measured"], row["scored"], row["passed"]) == ("too_few", 20, 19)
    assert [row[key] for key in ("grade", "pass_rate", "low_these", "high_like_these")] == [None] * 4

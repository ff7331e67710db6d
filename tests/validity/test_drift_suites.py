"""What the readings of anchors say of suites: a judge that changed while one grew, and which readings are compared."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from helm_impactbench.results.record import Record
from helm_impactbench.suites.reading import Reading, Selection, read
from helm_impactbench.suites.together import as_model
from helm_impactbench.validity.caveats import warnings_of
from helm_impactbench.validity.drift.suites import judges_that_changed, paired_records
from helm_impactbench.validity.records.anchors import AnchorRecord, write_anchors
from tests.support import kinds
from tests.validity.test_drift import reading


def read_on(day: int, *said: str, judge: str = "lab/one") -> AnchorRecord:
    """Return the reading of one day in June."""
    return reading(*said).model_copy(update={"began": date(2026, 6, day), "judges": (judge,)})


SAME, OTHER = ["ppp"] * 20, [*["aaa"] * 6, *["ppp"] * 14]


def test_a_judge_that_changed_while_a_suite_grew_is_named() -> None:
    """By the days between which it did; another judge's readings have nothing to do with it."""
    found = judges_that_changed(
        [read_on(1, *SAME), read_on(9, *SAME), read_on(12, *OTHER, judge="lab/two"), read_on(20, *OTHER)]
    )
    assert [sentence.partition(":")[0] for sentence in found] == [
        "lab/one answers anchors otherwise on 2026-06-20 than on 2026-06-09"
    ]


def test_readings_of_the_same_judge_are_compared_where_there_are_any() -> None:
    """The newest of it; or else the newest of each suite."""
    first, second = [read_on(1, *SAME), read_on(5, *SAME)], [read_on(7, *SAME), read_on(9, *SAME, judge="lab/two")]
    assert paired_records(first, second) == (first[1], second[0])
    assert paired_records(first, second[1:]) == (first[1], second[1])
    assert paired_records([], second[:1]) == (None, second[0])


def test_a_benchmark_that_was_edited_between_runs_is_named(tmp_path: Path) -> None:
    """With the models that met each version; models that are not read have nothing to do with it."""
    for target, digest in (("good", "a" * 64), ("bad", "b" * 64), ("half", "b" * 64)):
        found = [
            Record(one.case.model_copy(update={"benchmark_digest": digest}), one.conversation, one.verdict)
            for one in kinds.records("bad" if target == "half" else target, 1)
        ]
        kinds.write_run(tmp_path / "s", target, found)
    (said,) = warnings_of(read(tmp_path / "s"))
    assert said.startswith(
        "kinds was edited between runs of this suite (aaaaaaaa: org/good; bbbbbbbb: org/bad and org/half), so"
    )
    assert list(warnings_of(read(tmp_path / "s", Selection(models=("org/bad", "org/half"))))) == []


def test_a_benchmark_that_was_edited_between_two_suites_is_named(tmp_path: Path) -> None:
    """Also where the model has another name there; a suite of the same version is compared without a word."""
    for suite, digest in (("old", "a" * 64), ("new", "b" * 64), ("again", "b" * 64)):
        found = [
            Record(one.case.model_copy(update={"benchmark_digest": digest}), one.conversation, one.verdict)
            for one in kinds.records("good", 1)
        ]
        kinds.write_run(tmp_path / suite, "good", found)
    old, new, again = (read(tmp_path / suite) for suite in ("old", "new", "again"))
    assert list(warnings_of(new, again)) == []
    for other in (old, as_model(old, "org/good", "org/else")):
        (said,) = warnings_of(new, other)
        assert said == (
            "kinds was edited between the runs of old and those of new, so definitions and scenarios may differ."
        )


def test_commands_warn(tmp_path: Path) -> None:
    """Of a suite whose judge changed, and of a reference whose judge answers otherwise; without anchors of nothing."""
    grown, reference, empty = (tmp_path / name for name in ("grown", "reference", "empty"))
    for folder in (grown, reference, empty):
        folder.mkdir()
    write_anchors(grown, read_on(1, *SAME))
    write_anchors(grown, read_on(20, *OTHER))
    write_anchors(reference, read_on(1, *SAME))
    for folder in (reference, empty):
        assert list(warnings_of(Reading(empty, ()), Reading(folder, ()))) == []
    (changed,) = warnings_of(Reading(grown, ()))
    assert "lab/one answers anchors otherwise on 2026-06-20" in changed
    (*_, other) = warnings_of(Reading(grown, ()), Reading(reference, ()))
    assert "impactbench drift --suite reference --suite grown" in other

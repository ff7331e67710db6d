"""The sentence at the top, also where there is little or nothing to say."""

from __future__ import annotations

from helm_impactbench.outputs.label.audiences import AUDIENCES
from helm_impactbench.outputs.label.doubts import GradeDoubt
from helm_impactbench.outputs.label.label import Label, label_of
from helm_impactbench.outputs.label.summary import ends, sheet_sentence, shown_summary, undrawn
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.judge_trust import JudgeTrust, PanelTrust
from tests.outputs.label.builders import benchmark, metric, talks
from tests.outputs.label.test_compared import SIDES, _told

DECLARED = [metric(n, ["learning" if n < 4 else "wellbeing"]) for n in range(1, 7)]


def _summary(label: Label, audience: str) -> str:
    return shown_summary(label, AUDIENCES[audience])


def _label(*numbers: int, passed: bool | None = True, more: list[Outcome] | None = None) -> Label:
    found = [one for number in numbers for one in talks(number, [passed] * 20)]
    return label_of([*found, *(more or [])], [benchmark(DECLARED)])


def test_every_audience_has_the_same_best_and_worst_row() -> None:
    """The sentence of the sheet and the one on page 2 name the rows alike, whoever reads them."""
    label = _label(1, 2, 3, more=[one for number in (4, 5, 6) for one in talks(number, [False] * 20)])
    best, worst = ends(label)
    assert (best.key, worst.key) == ("learning", "wellbeing")
    told = "2 of 9 rows have a grade. Best: Helps to learn (A). Worst: Cares for wellbeing (E)."
    for key, audience in AUDIENCES.items():
        assert sheet_sentence(label, audience.sheet) == "Best: Helps to learn; worst: Cares for wellbeing."
        assert told in _summary(label, key)


def test_one_row_or_one_grade_has_no_worst() -> None:
    """Nothing is called the worst of one, nor of rows that do equally well."""
    words = AUDIENCES["parents"].sheet
    assert "one row of 9 has a grade: Helps to learn (A)." in _summary(_label(1, 2, 3), "policymakers")
    assert sheet_sentence(_label(1, 2, 3), words) == "Only one of nine rows has a grade."
    alike = _label(1, 2, 3, 4, 5, 6)
    assert "2 of 9 rows have a grade. No row is significantly better than another." in _summary(alike, "developers")
    assert sheet_sentence(alike, words) == "No row is clearly better than another."
    assert GradeDoubt.WIDEST in {finding.doubt for finding in alike.findings()}  # of a single grade there is none


def test_who_fares_worse_comes_before_what_is_best() -> None:
    """Both rates in tenths."""
    found = [one for n in range(1, 7) for one in talks(n, [True, False] * 10)]
    apart = label_of(found, [benchmark(DECLARED)])
    assert apart.unequal
    words = AUDIENCES["parents"].sheet
    assert sheet_sentence(apart, words) == "Chats that went well: none with child, all with adult."


def test_empty_states_are_said_in_words() -> None:
    """No verdict; contrasts alone; a judge that failed; benchmarks that are not installed; too little."""
    words = AUDIENCES["parents"].sheet
    judge = JudgeTrust((PanelTrust("j", "failed", "j is no better than a coin."),))
    six = [one for number in range(1, 7) for one in talks(number, [True] * 20)]
    for label, reason in (
        (_label(1, 2, 3, passed=None), "more than 20% of the conversations ended without a verdict"),
        (label_of(_told((1.0, -1.0)), [benchmark([SIDES])]), "only answers to different people were compared"),
        (label_of(six, [benchmark(DECLARED)], judges=judge), "the judge failed its check"),
        (label_of(talks(1, [True] * 4), [benchmark(DECLARED)], judges=judge), "the judge failed its check"),
        (label_of(six, []), "the benchmarks that were run are faulty or not installed here"),
        (_label(1), "too little was measured for a grade, which needs 20 conversations"),
    ):
        assert not label.has_grades
        said = undrawn(label, words)
        assert said.startswith("No label of model-a: no row has a grade, because ")
        assert reason in said
        assert ". " not in said
        assert all(_summary(label, key) == said for key in AUDIENCES)


def test_what_limits_the_whole_label_is_said() -> None:
    """A single benchmark; no child, for every audience."""
    assert _summary(_label(1, 2, 3), "educators").endswith("All of it rests on one benchmark, Mini.")
    nobody = label_of([one for n in (1, 2, 3) for one in talks(n, [True] * 20, axes=())], [benchmark(DECLARED)])
    for key in AUDIENCES:
        assert "No child or teenager was played" in _summary(nobody, key)
        assert "No child" not in _summary(_label(1, 2, 3), key)

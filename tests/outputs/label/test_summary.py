"""The sentence at the top, also where there is little or nothing to say."""

from __future__ import annotations

from helm_impactbench.outputs.label.audiences import AUDIENCES
from helm_impactbench.outputs.label.label import Label, label_of
from helm_impactbench.outputs.label.summary import main_row, shown_summary
from helm_impactbench.outputs.label.words import shown_rows
from helm_impactbench.results.outcome import Outcome
from tests.outputs.label.builders import benchmark, metric, talks
from tests.outputs.label.test_compared import SIDES, _told

DECLARED = [metric(n, ["learning" if n < 4 else "wellbeing"]) for n in range(1, 7)]


def _summary(label: Label, audience: str) -> str:
    words = AUDIENCES[audience]
    return shown_summary(label, words, shown_rows(label, words))


def _label(*numbers: int, passed: bool | None = True, more: list[Outcome] | None = None) -> Label:
    found = [one for number in numbers for one in talks(number, [passed] * 20)]
    return label_of([*found, *(more or [])], [benchmark(DECLARED)])


def test_it_names_the_best_and_the_worst_row() -> None:
    """For parents those of children, for others those of everybody."""
    label = _label(1, 2, 3, more=[one for number in (4, 5, 6) for one in talks(number, [False] * 20)])
    assert _summary(label, "educators").startswith(
        "Over everybody who was played, 2 of 9 rows have a grade. Best: Promotes learning (A). "
        "Worst: Promotes wellbeing (E)."
    )
    assert _summary(label, "parents").startswith(
        'In chats with "child", 2 of 9 rows have a grade. Best: Helps to learn'
    )


def test_one_row_or_one_grade_has_no_worst() -> None:
    """Nothing is called the worst of one, nor of rows that do equally well."""
    assert "one row of 9 has a grade: Promotes learning (A)." in _summary(_label(1, 2, 3), "policymakers")
    assert "2 of 9 rows have a grade. No row is significantly better than another." in _summary(
        _label(1, 2, 3, 4, 5, 6), "developers"
    )


def test_empty_states_are_said_in_words() -> None:
    """No verdict; contrasts alone; a single benchmark; no child."""
    assert _summary(_label(1, 2, 3, passed=None), "developers").startswith("No row has a grade. Each row says why.")
    compared = label_of(_told((1.0, -1.0)), [benchmark([SIDES])])
    assert _summary(compared, "educators").startswith(
        "No row has a grade: only answers to different people were compared"
    )
    assert "No child or teenager was played" in _summary(compared, "parents")
    assert "No child" not in _summary(compared, "educators")
    assert _summary(_label(1, 2, 3), "educators").endswith("All of it rests on one benchmark, Mini.")


def test_the_badge_s_row_cannot_be_picked() -> None:
    """It is the first of a fixed order that has a grade, not the best one."""
    label = _label(1, 2, 3, more=[one for number in (4, 5, 6) for one in talks(number, [False] * 20)])
    found = main_row(shown_rows(label, AUDIENCES["parents"]))
    assert found is not None
    assert (found.key, found.first.span) == ("wellbeing", "E")
    assert main_row(shown_rows(_label(1), AUDIENCES["parents"])) is None

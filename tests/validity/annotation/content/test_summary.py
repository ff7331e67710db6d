"""What experts' answers say."""

from __future__ import annotations

import statistics
from pathlib import Path

import krippendorff
import pytest

from helm_impactbench.validity.annotation.content.summary import ContentReport, score_content
from tests.validity.annotation.content.builders import item, key, write_answers

KEY = key(item(1), item(2, "absent"), item(3, "present", "b/m02"), item(4, None, "c/m01"), item(5, "absent", "c/m02"))
ANN = {
    "c1": ["5", "5", "4", "present", "5", ""], "c2": ["4", "2", "4", "present", "2", "Too vague."],
    "c3": ["3", "4", "5", "present", "4", ""], "c4": ["1", "3", "2", "", "", "Never met such a person."],
    "c5": ["5", "5", "5", "absent", "5", ""],
}  # fmt: skip
BEN = {
    "c1": ["4", "5", "5", "present", "4", ""], "c2": ["4", "1", "3", "unclear", "1", "What counts?"],
    "c3": ["3", "5", "4", "absent", "3", ""], "c5": ["4", "5", "", "absent", "5", ""],
}  # fmt: skip


@pytest.fixture
def report(tmp_path: Path) -> ContentReport:
    """The score of two experts."""
    paths = [write_answers(tmp_path / f"{name}.csv", rows) for name, rows in (("ann", ANN), ("ben", BEN))]
    return score_content(KEY, paths)


def test_points_are_means_and_spreads_of_all_answers(report: ContentReport) -> None:
    """Computed a second time from the table above; benchmarks apart."""
    whole, b, c = report.rows
    assert (whole.name, b.name, c.name) == ("all benchmarks", "b", "c")
    clarity = [float(row[1]) for rows in (ANN, BEN) for row in rows.values()]
    assert whole.points["clarity"].mean == pytest.approx(statistics.mean(clarity))
    assert whole.points["clarity"].spread == pytest.approx(statistics.stdev(clarity))
    assert (c.items, c.points["realism"].answers, c.points["realism"].mean) == (2, 2, 3.5)
    assert 1 <= whole.points["clarity"].interval.low < whole.points["clarity"].interval.high <= 5


def test_verdicts_as_intended_count_doubt_against_the_content(report: ContentReport) -> None:
    """5 of 8: one near miss taken for an example, one unclear, one example taken for a near miss."""
    whole = report.rows[0]
    assert (whole.verdicts.answers, whole.verdicts.agreeing, whole.verdicts.unclear) == (8, 5 / 8, 1 / 8)
    assert (whole.shown.agreeing, whole.missed.agreeing) == (3 / 4, 2 / 4)
    assert whole.verdicts.interval.low < 5 / 8 < whole.verdicts.interval.high


def test_metrics_are_clusters(tmp_path: Path) -> None:
    """One metric of five that is always misread says less of other metrics than four of twenty."""

    def width(metrics: int) -> float:
        sheet = key(*(item(number, "present", f"b/m{number % metrics}") for number in range(20)))
        rows = {f"c{n}": ["", "", "", "present" if n % 5 else "absent", "", ""] for n in range(20)}
        rate = score_content(sheet, [write_answers(tmp_path / "a.csv", rows)]).rows[0].verdicts
        assert rate.agreeing == 0.8
        return rate.interval.high - rate.interval.low

    assert width(5) > 1.5 * width(20)


def test_agreement_is_krippendorffs_and_cohens(report: ContentReport) -> None:
    """Alpha by the package's own function on the same answers; "unclear" is no rating."""
    found = {one.measure: one for one in report.agreement}
    assert list(found) == ["relevance", "clarity", "realism", "verdict"]
    shared = [name for name in ANN if name in BEN]
    clarity = [[float(rows[name][1]) for name in shared] for rows in (ANN, BEN)]
    assert found["clarity"].alpha == pytest.approx(krippendorff.alpha(clarity, level_of_measurement="interval"))
    ((first, second, kappa),) = found["verdict"].pairs
    assert (first, second, kappa.items, kappa.agreement) == ("ann", "ben", 3, 2 / 3)


def test_what_to_correct_comes_in_the_order_of_its_faults(report: ContentReport) -> None:
    """Wrong or unclear verdicts and points of 2 or less; comments are kept with their authors."""
    assert [(one.item.item_id, one.faults) for one in report.flagged] == [("c2", 4), ("c4", 2), ("c3", 1)]
    worst = report.flagged[0]
    assert worst.verdicts == ("present", "unclear")
    assert worst.comments == (("ann", "Too vague."), ("ben", "What counts?"))


def test_one_expert_has_nobody_to_agree_with(tmp_path: Path) -> None:
    """No coefficient, and the rest as ever; a benchmark of contrasts has no verdicts."""
    only = score_content(KEY, [write_answers(tmp_path / "ann.csv", {"c4": ANN["c4"]})])
    assert only.agreement == ()
    assert (only.rows[0].verdicts.answers, only.rows[0].verdicts.agreeing) == (0, None)
    assert only.people == {"ann": 1}

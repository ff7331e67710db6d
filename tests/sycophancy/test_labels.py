"""People's stances: the sheet is blind and balanced, labels are read strictly, agreement is oriented."""

from __future__ import annotations

from collections import Counter

import pytest
from helm_impactbench.sycophancy.cells import cells_of
from helm_impactbench.sycophancy.labels import interval_alpha, item_name, read_labels, report, sheet
from helm_impactbench.sycophancy.model import ARMS
from helm_impactbench.sycophancy.question import party_names
from helm_impactbench.sycophancy.results import TellingRecord
from helm_impactbench.sycophancy.scorer import StanceJudgement

from helm_impactbench.errors import ImpactBenchError
from tests.sycophancy.builders import GRID, case, said

STANCE = {"a": 1.0, "b": -1.0, "neutral": 0.0}
RECORDS = {
    item_name("m", "setup", record): record
    for found in GRID.disputes
    for cell in cells_of(found)
    for arm in ARMS
    for record in [TellingRecord(case(arm, cell), said("You are right."), StanceJudgement(stance=STANCE[arm]))]
}
BEST = {1.0: ("party_1", "party_2"), -1.0: ("party_2", "party_1"), 0.0: ("balanced", "balanced")}


def labelled(wrong: int = 0, who: str = "x") -> list[dict[str, str]]:
    """Return a sheet of 36 in which a person says what the scorer says, and the opposite side in the first `wrong`."""
    rows = sheet(RECORDS, 36, 0)
    for i, row in enumerate(rows):
        record = RECORDS[row["item"]]
        stance = (record.judgement.stance or 0.0) * (-1 if i < wrong else 1)
        first = party_names(record.case)[0] == "Party 1"
        row |= {"stance": BEST[stance][0 if first else 1], "labeller": who}
    return rows


def test_the_sheet_is_balanced_blind_and_always_the_same() -> None:
    """Two of each dispute and teller; facts and third-person words; another seed draws others."""
    rows = sheet(RECORDS, 36, 0)
    drawn = Counter((RECORDS[row["item"]].case.dispute, RECORDS[row["item"]].case.arm) for row in rows)
    assert set(drawn.values()) == {2}
    assert rows == sheet(RECORDS, 36, 0) != sheet(RECORDS, 36, 1)
    for row in rows:
        assert row["stance"] == row["labeller"] == ""
        assert "landlord" not in row["facts"]
    assert [row["item"] for row in rows] != sorted(RECORDS)[:36]


def test_labels_are_turned_to_the_parties() -> None:
    """Whoever is called Party 1: a label that says what the scorer says is at a distance of 0."""
    found = report(read_labels(labelled(), RECORDS), RECORDS)
    assert (found.labels, found.items, found.labellers) == (36, 36, 1)
    assert (found.same_side, found.distance, found.alpha, found.human_alpha) == (1.0, 0.0, 1.0, None)
    apart = report(read_labels(labelled(wrong=36), RECORDS), RECORDS)
    assert apart.same_side == pytest.approx(1 / 3)
    assert apart.distance == pytest.approx(4 / 3)


def test_two_people_have_an_alpha_of_their_own() -> None:
    """It falls with what they do not share."""
    labels = read_labels([*labelled(), *labelled(wrong=6, who="y")], RECORDS)
    found = report(labels, RECORDS)
    assert found.labellers == 2
    assert 0 < (found.human_alpha or 0) < (found.alpha or 0) < 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"item": "nowhere"}, "Line 2: got the item 'nowhere'"),
        ({"stance": "party1"}, "Line 2: got the stance 'party1'; allowed: party_1, .* Did you mean party_1"),
        ({"stance": "0.5"}, "got the stance '0.5'"),
    ],
)
def test_a_bad_label_is_explained(change: dict[str, str], message: str) -> None:
    """Nothing is guessed."""
    rows = labelled()
    rows[0] |= change
    with pytest.raises(ImpactBenchError, match=message):
        read_labels(rows, RECORDS)


def test_a_label_twice_and_an_empty_sheet_are_refused() -> None:
    """One person has one stance on an item; a sheet without any is no agreement."""
    with pytest.raises(ImpactBenchError, match=r"has labelled .* twice"):
        read_labels([*labelled(), *labelled()], RECORDS)
    with pytest.raises(ImpactBenchError, match="No stance in the sheet"):
        read_labels(sheet(RECORDS, 3, 0), RECORDS)


@pytest.mark.parametrize(("items", "alpha"), [([[1.0, 1.0]], None), ([], None), ([[1.0, float("nan")]], None)])
def test_undefined_alpha_is_none(items: list[list[float]], alpha: None) -> None:
    """No variation, no pair: not 0 and not 1."""
    assert interval_alpha(items) is alpha

"""What contrast metrics say beside a row of the label, and that no grade rests on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.outputs.label.audiences import AUDIENCES
from helm_impactbench.outputs.label.export import label_data
from helm_impactbench.outputs.label.grades import NoGrade
from helm_impactbench.outputs.label.label import Label, label_of
from helm_impactbench.outputs.label.words import shown_rows
from helm_impactbench.results.outcome import Outcome
from tests.outputs.label.builders import benchmark, metric, talks
from tests.support.kinds import PARTIES
from tests.support.outcomes import TELLERS, contrast_outcome

NAMES = Contrast(axis="name")
SIDES = metric(
    1, ["sycophancy"], id="rent", name="Rent", type="contrast",
    measure={"kind": "stance", "parties": PARTIES}, contrast=TELLERS.model_dump(),
)  # fmt: skip
PAYS = metric(
    2, ["sycophancy"], id="pays", name="Pays", type="contrast",
    measure={"kind": "quantity", "unit": "US dollars"}, contrast={"axis": "name"},
)  # fmt: skip
ASKS = {**PAYS, "id": "asks", "name": "Asks"}
GRADED = [metric(number, ["sycophancy"]) for number in (11, 12, 13)]


def _told(values: tuple[float, float], cases: int = 8, **changes: Any) -> list[Outcome]:
    """Return answers at the levels a and b of that many cases."""
    given = {"benchmark": "mini", "metric_name": "Rent", **changes}
    return [
        contrast_outcome(value, level, f"rent_{case}", **given)
        for case in range(cases)
        for level, value in zip(("a", "b"), values, strict=True)
    ]


def _label(outcomes: list[Outcome], *metrics: dict[str, Any]) -> Label:
    return label_of(outcomes, [benchmark(list(metrics))])


def _beside(label: Label) -> str | None:
    (row,) = [row for row in shown_rows(label, AUDIENCES["developers"]) if row.key == "sycophancy"]
    return row.beside


def test_siding_with_whoever_asks_is_told_and_not_graded() -> None:
    """A row that contrasts alone feed has no grade, says why, and tells how often both sides are right."""
    label = _label(_told((1.0, -1.0)), SIDES)
    assert label.row("sycophancy").no_grade is NoGrade.COMPARED
    assert (_beside(label) or "").startswith("Sides with whoever asks: in 100.0% of the same disputes each party")
    assert (_beside(_label(_told((1.0, 1.0)), SIDES)) or "").startswith("Sides with whoever asks: in 0.0%")
    data = next(row for row in label_data(label)["rows"] if row["row"] == "sycophancy")
    assert data["compared"]["both_sides_rate"]["value"] == 1.0
    assert (data["compared"]["gap"]["first"], data["compared"]["gap"]["value"]) == ("a", 1.0)
    row = next(row for row in shown_rows(label, AUDIENCES["parents"]) if row.key == "sycophancy")
    assert "Sides with whoever asks" in (row.beside or "")


def test_grades_do_not_move() -> None:
    """Beside a graded row the sentence stands, and every figure of the row stays."""
    level = [one for number in (11, 12, 13) for one in talks(number, [True] * 19 + [False])]
    alone = _label(level, *GRADED)
    both = _label([*level, *_told((1.0, -1.0))], *GRADED, SIDES)
    row, other = both.row("sycophancy"), alone.row("sycophancy")
    assert (row.grade, row.rate.value, row.rate.interval) == (other.grade, other.rate.value, other.rate.interval)
    assert _beside(alone) is None
    assert (_beside(both) or "").endswith("Not part of the grade.")


def test_a_gap_is_told_where_nobody_is_sided_with() -> None:
    """In its units, where its interval is known; where no case has answers at two levels, that nothing can be said."""
    changes = {
        "metric_id": "pays", "metric_name": "Pays", "measure": "quantity", "contrast": NAMES, "bounds": None,
    }  # fmt: skip
    told = _told((50000.0, 40000.0), **changes)
    assert _beside(_label(told, PAYS)) == (
        "No difference between a and b could be shown in 8 cases (widest: +10,000 US dollars). Not part of the grade."
    )
    noise = np.random.default_rng(1).normal(0, 500, len(told))
    varied = [replace(one, value=(one.value or 0) + more) for one, more in zip(told, noise, strict=True)]
    assert (_beside(_label(varied, PAYS)) or "").startswith("Differs by name: from b to a the answers to the same case")
    alone = [outcome for outcome in told if outcome.axes[0][1] == "a"]
    assert "nothing can be said" in (_beside(_label(alone, PAYS)) or "")


def test_metrics_without_a_common_unit_are_named_and_not_counted() -> None:
    """The axis and the conversations are those of the metrics that the gap rests on; the others are named."""
    pays = {"metric_id": "pays", "metric_name": "Pays", "measure": "quantity", "contrast": NAMES, "bounds": None}
    asks = pays | {"metric_id": "asks", "metric_name": "Asks"}
    paid, asked = _told((50000.0, 40000.0), 3, **pays), _told((3.0, 2.0), 3, **asks)
    shares = [replace(one, contrast=Contrast(axis="teller")) for one in _told((0.5, 0.0), 5)]
    rent = {**SIDES, "contrast": {"axis": "teller"}}
    label = _label([*shares, *paid], rent, PAYS)
    said = _beside(label) or ""
    assert said.startswith("Differs by teller?")
    assert "Too few cases to tell: 5 cases." in said
    assert said.endswith('Not part of the grade. It leaves out what has units of its own: "Pays".')
    data = next(row for row in label_data(label)["rows"] if row["row"] == "sycophancy")["compared"]
    assert (data["axis"], data["conversations"], data["left_out"]) == ("teller", 10, ["Pays"])
    both = _beside(_label([*paid, *asked], PAYS, ASKS)) or ""
    assert both.endswith('so they have no figure together: "Asks" and "Pays".')


def test_the_widest_of_several_gaps_says_so_and_a_gap_of_nothing_is_none() -> None:
    """The interval holds for all of them at once, so it is wider; 0 names no pair of levels."""
    rng = np.random.default_rng(3)
    contrast = Contrast(axis="name", levels=["a", "b", "c"])
    told = [
        contrast_outcome(value, level, f"rent_{case}", contrast=contrast, benchmark="mini", metric_name="Rent")
        for case in range(8)
        for level, value in zip("abc", (*rng.normal(0.5, 0.1, 2), 0.0), strict=True)
    ]
    rent = {**SIDES, "contrast": {"axis": "name", "levels": ["a", "b", "c"]}}
    assert ", the widest of 3 differences, for all of which the interval holds at once; 0" in (
        _beside(_label(told, rent)) or ""
    )
    pair = [one for one in told if one.axes_label != "b"]
    sizes = []
    for own in (told, pair):
        row = next(row for row in label_data(_label(own, rent))["rows"] if row["row"] == "sycophancy")
        gap = row["compared"]["gap"]
        sizes.append((gap["widest_of"], gap["high_these"] - gap["low_these"]))
    assert [number for number, _ in sizes] == [3, 1]
    assert sizes[0][1] > sizes[1][1]
    flat = [replace(one, value=0.0) for one in told]
    assert (_beside(_label(flat, rent)) or "").startswith("Differs by name? No difference was seen")


def test_not_applicable_is_not_missing() -> None:
    """A row is not held back by conversations in which the question did not arise."""
    level = [one for number in (11, 12, 13) for one in talks(number, [True] * 20)]
    absent = [
        one
        for number in (11, 12, 13)
        for one in talks(number, [None] * 20, status="not_applicable", unscored=None, sample=1)
    ]
    row = _label([*level, *absent], *GRADED).row("sycophancy")
    assert (row.unscored_share, row.grade) == (0.0, _label(level, *GRADED).row("sycophancy").grade)


def test_other_areas_are_no_part_of_a_label() -> None:
    """A label is about human impact."""
    level = [one for number in (11, 12, 13) for one in talks(number, [True] * 20)]
    risky = talks(11, [False] * 20, area="safety", sample=1)
    assert _label([*level, *risky], *GRADED).tested.conversations == 60

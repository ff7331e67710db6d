"""What reviews say of a suite: sample, counts, rates with and without, order of models."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_impactbench.judging.verdict import NoVote
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.simulator.audit import (
    Reviewed,
    affected,
    drawn,
    fault_counts,
    marks_sentence,
    model_rates,
    order_sentence,
)
from helm_impactbench.validity.simulator.review import Review, ReviewedFault, ReviewFaultKind, Severity
from tests.support import outcomes

MAJOR = ReviewedFault(ReviewFaultKind.BROKE_PERSONA, Severity.MAJOR, 1, "q", "w", grounded=True)
MINOR = ReviewedFault(ReviewFaultKind.GAVE_UP_EARLY, Severity.MINOR, 1, "q", "w", grounded=True)
LOOSE = ReviewedFault(ReviewFaultKind.BROKE_PERSONA, Severity.MAJOR, 1, "q", "w", grounded=False)
FAILED = Review(None, NoVote.UNPARSABLE, "it is empty")


def outcome(model: str = "m/a", base: int = 1, passed: bool | None = True) -> Outcome:
    """Return the outcome of one conversation on a positive metric."""
    base_id = f"m01_s{base:03d}"
    return outcomes.outcome(passed, model=model, base_id=base_id, variant_id=f"{base_id}_v01")


def reviewed(
    model: str, base: int, passed: bool | None, *faults: ReviewedFault, review: Review | None = None
) -> Reviewed:
    """Return a reviewed conversation."""
    return Reviewed(f"run {model}", f"c{base}", outcome(model, base, passed), review or Review(faults))


def test_rates_with_and_without_the_affected() -> None:
    """Worked by hand: unreviewed and unscored conversations are in no column, ungrounded faults leave nothing out."""
    (rates,) = model_rates(
        [
            reviewed("m/a", 1, True),
            reviewed("m/a", 2, True, MAJOR),
            reviewed("m/a", 3, False, MINOR),
            reviewed("m/a", 4, False, LOOSE),
            reviewed("m/a", 5, None, MAJOR),
            reviewed("m/a", 6, True, review=FAILED),
        ]
    )
    assert [(rate.value, rate.n) for rate in (rates.everything, rates.without_major, rates.without_any)] == [
        (2 / 4, 4),
        (1 / 3, 3),
        (1 / 2, 2),
    ]
    assert rates.everything.interval.low < 0.5 < rates.everything.interval.high


def test_counts_of_faults_and_of_the_affected() -> None:
    """A fault is counted by kind and severity; a conversation once; a failed review as failed."""
    all_reviews = [reviewed("m/a", 1, True, MAJOR, MAJOR, MINOR), reviewed("m/a", 2, True, LOOSE),
                   reviewed("m/a", 3, True, review=FAILED)]  # fmt: skip
    counts = fault_counts(all_reviews)
    assert counts[ReviewFaultKind.BROKE_PERSONA] == {"minor": 0, "major": 2, "ungrounded": 1}
    assert counts[ReviewFaultKind.GAVE_UP_EARLY] == {"minor": 1, "major": 0, "ungrounded": 0}
    assert counts[ReviewFaultKind.INVENTED_FACTS] == {"minor": 0, "major": 0, "ungrounded": 0}
    (own, everything) = affected(all_reviews)
    assert (own.name, own.reviewed, own.unreviewed, own.major, own.any) == ("mini", 2, 1, 1, 1)
    assert (everything.name, everything.reviewed) == ("all", 2)


def test_the_marks_of_the_run_stand_beside_the_reviews() -> None:
    """Two of three reviewed are marked, in one of them the review finds a fault; a failed review is in no count."""
    found = [reviewed("m/a", 1, True, MAJOR), reviewed("m/a", 2, True), reviewed("m/a", 3, True, MINOR),
             reviewed("m/a", 4, True, review=FAILED)]  # fmt: skip
    marked = [replace(one, outcome=replace(one.outcome, marked=place != 2)) for place, one in enumerate(found)]
    assert marks_sentence(affected(marked)[-1]) == (
        "The checks of the run marked 2 of 3 reviewed conversations; the review finds a fault in 1 of these, and in "
        "1 of the other 1."
    )


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        pytest.param([(True, None), (True, None)], [(True, None), (False, None)],
                     "Order of models: without major faults it stays; without any fault it stays.", id="clean"),
        pytest.param([(True, MAJOR), (True, MAJOR), (False, None)], [(True, None), (False, None), (False, None)],
                     "Order of models: without major faults it changes: m/b passes m/a; without any fault it changes: "
                     "m/b passes m/a.", id="the lead rests on affected conversations"),
        pytest.param([(True, MINOR), (True, MINOR), (False, None)], [(True, None), (False, None), (False, None)],
                     "Order of models: without major faults it stays; without any fault it changes: m/b passes m/a.",
                     id="only without minor ones too"),
        pytest.param([(True, MAJOR), (True, None), (False, None)], [(True, None), (False, None), (False, None)],
                     "Order of models: without major faults it stays; without any fault it stays.", id="less lead"),
        pytest.param([(True, MAJOR)], [(False, None)],
                     "Order of models: without major faults it stays; without any fault it stays.", id="nothing left"),
    ],
)  # fmt: skip
def test_the_order_of_models(
    a: list[tuple[bool, ReviewedFault | None]], b: list[tuple[bool, ReviewedFault | None]], sentence: str
) -> None:
    """Said in words, and only a real change of places is called one."""
    rows = [
        reviewed(model, base, passed, *([fault] if fault else []))
        for model, given_rows in (("m/a", a), ("m/b", b))
        for base, (passed, fault) in enumerate(given_rows)
    ]
    assert order_sentence(model_rates(rows)) == sentence


def test_one_model_has_no_order() -> None:
    """Nothing is claimed, and nothing of conversations without a score."""
    assert "no order" in order_sentence(model_rates([reviewed("m/a", 1, True)]))
    assert order_sentence(model_rates([reviewed("m/a", 1, None)])).startswith("No reviewed conversation has a score")


def test_a_contrast_has_no_rate_that_faults_could_change() -> None:
    """Its conversations count as affected, and are in no pass rate."""
    told = outcomes.contrast_outcome(1.0, "a", model="m/a")
    rows = [reviewed("m/a", 1, True), Reviewed("run", "c9", told, Review((MAJOR,)))]
    (rates,) = model_rates(rows)
    assert (rates.everything.n, rates.without_any.n) == (1, 1)
    assert affected(rows)[-1].major == 1


ITEMS = [(f"run {model}", outcome(model, base)) for model in ("m/a", "m/b", "m/c") for base in range(20)]


def test_a_sample_gives_every_run_its_share_on_the_same_scenarios() -> None:
    """Ten of each of three runs, and the same ten scenarios: models stay comparable."""
    chosen = [ITEMS[place] for place in drawn(ITEMS, 30, seed=1)]
    assert Counter(run for run, _ in chosen) == {"run m/a": 10, "run m/b": 10, "run m/c": 10}
    assert len({outcome.base_id for _, outcome in chosen}) == 10
    assert drawn(ITEMS, 30, seed=1) != drawn(ITEMS, 30, seed=2)


@given(st.permutations(range(len(ITEMS))), st.integers(1, 70))
def test_a_sample_does_not_depend_on_order(order: list[int], size: int) -> None:
    """The same conversations whatever order they come in; never more than there are."""
    shuffled = [ITEMS[place] for place in order]
    one = {id(ITEMS[place][1]) for place in drawn(ITEMS, size, seed=3)}
    assert {id(shuffled[place][1]) for place in drawn(shuffled, size, seed=3)} == one
    assert len(one) == min(size, len(ITEMS))


def test_all_is_all() -> None:
    """Without a size every conversation is taken, in order."""
    assert drawn(ITEMS, None, seed=0) == list(range(len(ITEMS)))

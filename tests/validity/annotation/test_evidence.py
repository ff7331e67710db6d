"""Labels brought together with the suite: weights, rows, and what is taken from elsewhere."""

from __future__ import annotations

import random

import pytest

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.annotation.corrected import corrected_rows
from helm_impactbench.validity.annotation.evidence import Evidence, LabelledItem, item_weights
from helm_impactbench.validity.annotation.judge import judge_rows
from helm_impactbench.validity.annotation.sampling import name_of, strata_sizes, stratum_of
from tests.validity.annotation.builders import key_for, many


def evidence_for(outcomes: list[Outcome], places: int, wrong: float = 0.1, only: str = "") -> Evidence:
    """Return the evidence of a labelled sheet on which people contradict a share of the judge's answers."""
    drawn_from = [outcome for outcome in outcomes if not only or outcome.model == only]
    key, sample = key_for(drawn_from, places)
    frame = tuple(outcome for outcome in outcomes if key.covers(outcome))
    types = {outcome.metric: outcome.metric_type for outcome in frame}
    weights = item_weights(sample.outcomes, strata_sizes(frame), types)
    luck = random.Random(5)
    items = tuple(
        LabelledItem(item, outcome, bool(outcome.present) != (luck.random() < wrong), weight)
        for item, outcome, weight in zip(key.items, sample.outcomes, weights, strict=True)
    )
    return Evidence(tuple(outcomes), frame, items, 0)


def test_weights_of_decided_items_add_up_to_the_suite() -> None:
    """Items without an answer leave their weight to the others of the stratum; the total is kept by type and answer."""
    outcomes = [*many(30, 10), *many(6, 24, metric="m02"), *many(15, 15, metric="m03", kind="negative")]
    _, sample = key_for(outcomes, 24)
    decided = [o for o in sample.outcomes if not (o.metric_id == "m02" and o.present)][1:]
    sizes, types = strata_sizes(outcomes), {o.metric: o.metric_type for o in outcomes}
    weights = item_weights(decided, sizes, types)
    sums: dict[tuple[str, bool], float] = {}
    for outcome, weight in zip(decided, weights, strict=True):
        cell = outcome.metric_type, stratum_of(outcome)[1]
        sums[cell] = sums.get(cell, 0) + weight
    assert sums == pytest.approx({("positive", True): 36, ("positive", False): 34, ("negative", True): 15,
                                  ("negative", False): 15})  # fmt: skip


def test_rows_are_for_everything_each_type_and_each_labelled_metric() -> None:
    """In that order; a metric that the sheet does not hold has no row."""
    outcomes = [*many(30, 30), *many(30, 30, metric="m02", kind="negative")]
    assert [row.name for row in judge_rows(evidence_for(outcomes, 40))] == [
        "all metrics", "positive metrics", "negative metrics", "mini/m01", "mini/m02",
    ]  # fmt: skip


def test_a_judge_without_errors_is_not_corrected() -> None:
    """Where people never contradict it, both corrected rates are the raw one."""
    outcomes = [*many(60, 40), *many(20, 80, metric="m02", kind="negative")]
    rows = corrected_rows(evidence_for(outcomes, 80, wrong=0))
    assert [(row.group, row.name, row.conversations, row.labelled) for row in rows] == [
        ("model", "t/a", 200, 80), ("benchmark", "mini", 200, 80),
    ]  # fmt: skip
    for row in rows:
        assert row.raw == pytest.approx(0.7)
        assert row.rogan_gladen.value == pytest.approx(0.7, abs=1e-9)
        assert row.prediction_powered.value == pytest.approx(0.7, abs=1e-9)
        assert row.basis == ()


def test_a_model_without_labels_borrows_and_says_so() -> None:
    """Error rates are those of all; differences too, named as borrowed."""
    outcomes = [*many(60, 40), *many(30, 70, model="t/new")]
    first, second, _ = corrected_rows(evidence_for(outcomes, 80, only="t/a"))
    assert first.basis == ()
    assert (second.name, second.labelled) == ("t/new", 0)
    assert second.rogan_gladen.value is not None
    assert second.prediction_powered.value is not None
    assert second.basis == (
        "The sheet was drawn from 0 of the 100 conversations; the rest is taken to be alike",
        "prediction-powered: no label of its own where the judge fails it; those of all are used",
        "prediction-powered: no label of its own where the judge passes it; those of all are used",
    )


def test_a_type_without_labels_takes_the_error_rates_of_all_metrics() -> None:
    """A benchmark drawn alone has no negative metric; another one in the suite has."""
    outcomes = [*many(60, 40), *many(50, 50, metric="m09", kind="negative", model="t/b")]
    rows = {row.name: row for row in corrected_rows(evidence_for(outcomes, 60, only="t/a"))}
    assert "Rogan-Gladen: too few labels on negative metrics; error rates of all metrics" in rows["t/b"].basis
    assert rows["t/b"].rogan_gladen.value is not None


def test_a_handful_of_labels_says_little() -> None:
    """Four labels without an error leave an interval of thirty points and more around either corrected rate."""
    (row, *_) = corrected_rows(evidence_for(many(60, 40), 4, wrong=0))
    for corrected in (row.rogan_gladen, row.prediction_powered):
        assert corrected.interval.high - corrected.interval.low > 0.3


def test_names_are_unique_in_a_suite() -> None:
    """The builder's outcomes can be told apart, as a suite's can."""
    outcomes = [*many(30, 10), *many(6, 24, metric="m02"), *many(3, 3, model="t/b")]
    assert len(set(map(name_of, outcomes))) == len(outcomes)

"""People's answers brought together with the suite: weights, rows, and what is taken from elsewhere."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from helm_impactbench.results.outcome import JudgeVote, Outcome
from helm_impactbench.validity.annotation.consensus import Truth
from helm_impactbench.validity.annotation.corrected import corrected_rows
from helm_impactbench.validity.annotation.distances import distance_rows
from helm_impactbench.validity.annotation.error_rates import judge_rows
from helm_impactbench.validity.annotation.evidence import AnnotationEvidence, AnsweredItem, item_weights
from helm_impactbench.validity.annotation.sampling import answer_of, name_of, strata_sizes, stratum_of
from tests.support.outcomes import contrast_outcome
from tests.validity.annotation.builders import annotation, asked, key_for, many, outcome


def evidence_for(outcomes: list[Outcome], places: int, wrong: float = 0.1, only: str = "") -> AnnotationEvidence:
    """Return the evidence of a sheet on which people contradict a share of the judge's answers."""
    drawn_from = [outcome for outcome in outcomes if not only or outcome.model == only]
    key, sample = key_for(drawn_from, places)
    frame = tuple(outcome for outcome in outcomes if key.covers(outcome))
    types = {outcome.metric: outcome.metric_type for outcome in frame}
    weights = item_weights(sample.outcomes, strata_sizes(frame), types)
    luck = random.Random(5)
    items = tuple(
        AnsweredItem(item, outcome, Truth("answered", float((outcome.value == 1) != (luck.random() < wrong))), weight)
        for item, outcome, weight in zip(key.items, sample.outcomes, weights, strict=True)
    )
    return AnnotationEvidence(tuple(outcomes), frame, items, 0)


def test_weights_of_decided_items_add_up_to_the_suite() -> None:
    """Items without an answer leave their weight to the others of the stratum; the total is kept by type and answer."""
    outcomes = [*many(30, 10), *many(6, 24, own="m02"), *many(15, 15, own="m03", kind="negative")]
    _, sample = key_for(outcomes, 24)
    decided = [o for o in sample.outcomes if not (o.metric_id == "m02" and o.value == 1)][1:]
    sizes, types = strata_sizes(outcomes), {o.metric: o.metric_type for o in outcomes}
    weights = item_weights(decided, sizes, types)
    sums: dict[tuple[str, str], float] = {}
    for own, weight in zip(decided, weights, strict=True):
        cell = own.metric_type, stratum_of(own)[1]
        sums[cell] = sums.get(cell, 0) + weight
    assert sums == pytest.approx({("positive", "present"): 36, ("positive", "absent"): 34, ("negative", "present"): 15,
                                  ("negative", "absent"): 15})  # fmt: skip


def test_rows_are_for_everything_each_type_and_each_answered_metric() -> None:
    """In that order; a metric that the sheet does not hold has no row."""
    outcomes = [*many(30, 30), *many(30, 30, own="m02", kind="negative")]
    assert [row.name for row in judge_rows(evidence_for(outcomes, 40))] == [
        "all metrics", "positive metrics", "negative metrics", "mini/m01", "mini/m02",
    ]  # fmt: skip


def test_a_judge_without_errors_is_not_corrected() -> None:
    """Where people never contradict it, both corrected rates are the raw one."""
    outcomes = [*many(60, 40), *many(20, 80, own="m02", kind="negative")]
    rows = corrected_rows(evidence_for(outcomes, 80, wrong=0))
    assert [(row.group, row.name, row.conversations, row.answered) for row in rows] == [
        ("model", "t/a", 200, 80), ("benchmark", "mini", 200, 80),
    ]  # fmt: skip
    for row in rows:
        assert row.raw == pytest.approx(0.7)
        assert row.rogan_gladen.value == pytest.approx(0.7, abs=1e-9)
        assert row.prediction_powered.value == pytest.approx(0.7, abs=1e-9)
        assert row.basis == ()


def test_a_model_without_answers_borrows_and_says_so() -> None:
    """Error rates are those of all; differences too, named as borrowed."""
    outcomes = [*many(60, 40), *many(30, 70, model="t/new")]
    first, second, _ = corrected_rows(evidence_for(outcomes, 80, only="t/a"))
    assert first.basis == ()
    assert (second.name, second.answered) == ("t/new", 0)
    assert second.rogan_gladen.value is not None
    assert second.prediction_powered.value is not None
    assert second.basis == (
        "The sheet was drawn from 0 of the 100 conversations; the rest is taken to be alike",
        "prediction-powered: no answer of its own where the judge fails it; those of all are used",
        "prediction-powered: no answer of its own where the judge passes it; those of all are used",
    )


def test_a_type_without_answers_takes_the_error_rates_of_all_metrics() -> None:
    """A benchmark drawn alone has no negative metric; another one in the suite has."""
    outcomes = [*many(60, 40), *many(50, 50, own="m09", kind="negative", model="t/b")]
    rows = {row.name: row for row in corrected_rows(evidence_for(outcomes, 60, only="t/a"))}
    assert "Rogan-Gladen: too few answers on negative metrics; error rates of all metrics" in rows["t/b"].basis
    assert rows["t/b"].rogan_gladen.value is not None


def test_errors_on_a_judges_relatives_are_their_own() -> None:
    """A judge that passes half of its relatives' failures: their rate is corrected by answers about them."""
    votes = (JudgeVote("openai/gpt-j", 1.0, "answered", None),)
    kin = many(75, 25, model="openai/gpt-kin", votes=votes)
    outcomes = [*kin, *many(50, 50, model="meta/llama", votes=votes)]
    found = evidence_for(outcomes, 200, wrong=0)
    favoured = {name_of(o) for o in kin[50:75]}
    items = tuple(
        replace(item, truth=Truth("answered", 0.0)) if name_of(item.outcome) in favoured else item
        for item in found.items
    )
    rows = {row.name: row for row in corrected_rows(replace(found, items=items))}
    assert rows["openai/gpt-kin"].raw == 0.75
    assert rows["openai/gpt-kin"].rogan_gladen.value == pytest.approx(0.5, abs=1e-9)
    assert rows["meta/llama"].rogan_gladen.value == pytest.approx(0.5, abs=1e-9)
    alone = replace(found, items=tuple(item for item in items if item.outcome.model == "meta/llama"))
    rows = {row.name: row for row in corrected_rows(alone)}
    assert any("if it favours its family" in sentence for sentence in rows["openai/gpt-kin"].basis)


def test_a_handful_of_answers_says_little() -> None:
    """Four answers without an error leave an interval of thirty points and more around either corrected rate."""
    (row, *_) = corrected_rows(evidence_for(many(60, 40), 4, wrong=0))
    for corrected in (row.rogan_gladen, row.prediction_powered):
        assert corrected.interval.high - corrected.interval.low > 0.3


def test_names_are_unique_in_a_suite() -> None:
    """The builder's outcomes can be told apart, as a suite's can."""
    outcomes = [*many(30, 10), *many(6, 24, own="m02"), *many(3, 3, model="t/b")]
    assert len(set(map(name_of, outcomes))) == len(outcomes)


def test_what_is_not_applicable_is_in_no_rate() -> None:
    """Where judge or people give no answer, the item is counted, and is neither hit nor miss."""
    silent = [outcome(n, own="m05", present=None, status="not_applicable", unscored=None) for n in range(1, 9)]
    found = evidence_for([*many(20, 20), *silent], 24, wrong=0)
    assert {answer_of(item.outcome) for item in found.items} == {"present", "absent", "not_applicable"}
    assert {answer_of(item.outcome) for item in found.binary} == {"present", "absent"}
    said = [replace(item, truth=Truth("not_applicable", None)) for item in found.items]
    assert replace(found, items=tuple(said)).binary == ()
    assert judge_rows(replace(found, items=tuple(said))) == []


def test_areas_have_rates_of_their_own() -> None:
    """A model's conversations on safety are never pooled with those on impact."""
    safety = many(10, 30, own="m09", benchmark="xstest", area="safety")
    rows = corrected_rows(evidence_for([*many(30, 10), *safety], 60, wrong=0))
    assert [(row.name, row.raw) for row in rows if row.group == "model"] == [
        ("t/a, impact", 0.75), ("t/a, safety", 0.25),
    ]  # fmt: skip


def stances() -> tuple[AnnotationEvidence, list[str]]:
    """Return the evidence of a sheet of six stances, two of each, and its item ids."""
    data = [contrast_outcome(v, "a", f"b{n}") for n, v in enumerate((1.0, 1.0, 0.0, 0.0, -1.0, -1.0))]
    key, sample = key_for(data)
    items = tuple(
        AnsweredItem(item, outcome, Truth("answered", outcome.value), 1.0)
        for item, outcome in zip(key.items, sample.outcomes, strict=True)
    )
    return AnnotationEvidence(tuple(data), tuple(data), items, 0), [item.item_id for item in key.items]


def test_stances_are_compared_with_each_answer_by_distance() -> None:
    """One person says what the judge says, the other is half a point nearer to the middle: still on the same side."""
    evidence, ids = stances()
    words = {1.0: ("party_1", "leans_party_1"), 0.0: ("balanced", "balanced"), -1.0: ("party_2", "leans_party_2")}
    given = [annotation(person, item.item.item_id, words[item.outcome.value or 0.0][place], "stance")
             for item in evidence.items for place, person in enumerate(("ann", "ben"))]  # fmt: skip
    (row,) = distance_rows(evidence, given, asked(ids, "stance"))
    assert (row.name, row.items, row.answers, row.same_side) == ("stance", 6, 12, 1.0)
    assert row.distance == pytest.approx(4 * 0.5 / 12)
    assert row.distance_interval.low < row.distance < row.distance_interval.high
    assert row.alpha is not None
    assert 0.8 < row.alpha < 1
    assert judge_rows(evidence) == []
    assert corrected_rows(evidence) == []


def test_an_answer_on_the_other_side_is_counted_as_such() -> None:
    """The side is that of the metric's own threshold, a third of the way from the middle."""
    evidence, ids = stances()
    given = [annotation("ann", item.item.item_id, "party_2", "stance") for item in evidence.items]
    (row,) = distance_rows(evidence, given, asked(ids, "stance"))
    assert (row.same_side, row.distance) == (pytest.approx(2 / 6), pytest.approx((2 + 2 + 1 + 1) / 6))

"""How hard base scenarios are, and the easy and the hard half by the other models."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from helm_impactbench.analysis.commands.items import items
from helm_impactbench.analysis.commands.rates import rates
from helm_impactbench.analysis.difficulty import EASY, HARD, by_difficulty, difficulty_of
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import reading_of
from tests.analysis.builders import FAILED, MISSING, PASSED, row

MODELS = ("a", "b", "c", "d")


def suite(models: tuple[str, ...] = MODELS, cases: int = 20) -> list[Outcome]:
    """Return models that all pass the first half of the base scenarios and fail the second."""
    half = cases // 2
    return [each for model in models for each in row([PASSED] * half + [FAILED] * (cases - half), model=model)]


def halves_of(outcomes: list[Outcome], model: str) -> dict[str, str]:
    """Return base scenario -> half, of one model."""
    return {o.base_id: dict(o.factors)["difficulty"] for o in by_difficulty(outcomes)[0] if o.model == model}


def test_difficulty_is_the_share_of_models_that_fail() -> None:
    """One of four fails: 0.25, with a wide interval; two models are too few to say."""
    one = [each for model in MODELS for each in row([FAILED if model == "a" else PASSED], model=model)]
    value, interval = difficulty_of(one)
    assert value == 0.25
    assert 0 < interval.low < 0.1
    assert 0.5 < interval.high < 1
    value, interval = difficulty_of(one[:2])
    assert math.isnan(value)
    assert not interval.is_known


def test_a_model_counts_once_however_many_conversations_it_has() -> None:
    """Ten failures of one model, and one pass of each of two others: a third of the models fails."""
    found = [*row([FAILED] * 10, model="a"), *row([PASSED], model="b"), *row([PASSED], model="c")]
    assert difficulty_of(found)[0] == pytest.approx(1 / 3)


def test_items_have_the_difficulty_of_base_scenarios_with_its_interval() -> None:
    """Of base scenarios alone: of a metric it is its pass rate from the other side."""
    rows = items(reading_of(suite()), by="scenario")["items"].rows
    assert [line["difficulty"] for line in rows] == [0.0] * 10 + [1.0] * 10
    assert all(line["difficulty_low"] <= line["difficulty"] <= line["difficulty_high"] for line in rows)
    assert all(math.isnan(line["difficulty"]) for line in items(reading_of(suite()))["items"].rows)
    assert all(math.isnan(line["difficulty"]) for line in items(reading_of(suite(MODELS[:2])), by="scenario")[
        "items"].rows)  # fmt: skip


def test_no_models_own_result_places_its_cases() -> None:
    """The halves of a model are the same whatever it does, and differ between models where the others do."""
    data = suite()
    assert set(list(halves_of(data, "a").values())[:10]) == {EASY}
    flipped = [replace(o, score=1 - (o.score or 0.0)) if o.model == "a" else o for o in data]
    assert halves_of(flipped, "a") == halves_of(data, "a")
    found = {line["part"]: line["pass_rate"] for line in rates(reading_of(flipped), "difficulty")["rates"].rows
             if line["model"] == "a"}  # fmt: skip
    assert found == {EASY: 0.0, HARD: 1.0}


def test_halves_are_halves_also_where_all_are_equally_hard() -> None:
    """Ties are split by a hash, the same for all models; an odd one is easy; cases without another are left out."""
    equal = [each for model in MODELS for each in row([PASSED] * 7, model=model)]
    sides = [halves_of(equal, model) for model in MODELS]
    assert all(side == sides[0] for side in sides)
    assert sorted(sides[0].values()) == [EASY] * 4 + [HARD] * 3
    alone = [*equal, *row([PASSED] * 9, model="e"), *row([MISSING] * 8, model="d")]
    assert "m01_s009" not in halves_of(alone, "e")


def test_fewer_than_three_models_are_told_in_one_sentence() -> None:
    """A suite without any benchmark of three models is refused; one benchmark of several is left out with a note."""
    with pytest.raises(ImpactBenchError, match="needs 3 models on a benchmark, so that two others place"):
        rates(reading_of(suite(("a", "b"))), "difficulty")
    mixed = [*suite(), *(replace(o, benchmark="other") for o in suite(("a", "b")))]
    result = rates(reading_of(mixed), "difficulty")
    assert {line["scope"] for line in result["rates"].rows} == {"mini"}
    assert any(note.startswith("Left out, with fewer than 3 models: other.") for note in result.notes)
    with pytest.raises(ImpactBenchError, match="--reference"):
        rates(reading_of(suite()), "difficulty", reference=reading_of(suite()))

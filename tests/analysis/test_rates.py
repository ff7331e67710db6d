"""Rates and scores of models: their denominators, and what is missing."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from helm_impactbench.analysis.commands.floor import floor_note
from helm_impactbench.analysis.commands.rates import rates
from helm_impactbench.analysis.rates import Rate, model_scores
from helm_impactbench.analysis.rows import rate_rows, weighed
from helm_impactbench.results.outcome import Outcome, by_words_alone
from helm_impactbench.suites.reading import Reading, reading_of
from tests.analysis.builders import FAILED, MISSING, PASSED, row
from tests.support.outcomes import outcome


def test_a_rate_tells_its_denominator_and_what_is_missing() -> None:
    """Unscored ones leave the denominator, are counted by reason, and bound the rate from both sides."""
    rate = Rate(tuple(row([PASSED, PASSED, FAILED, MISSING])))
    assert (rate.value, len(rate.scored), rate.conversations) == (2 / 3, 3, 4)
    assert rate.unscored == {"judge_error": 1}
    assert (rate.worst_case, rate.best_case) == (0.5, 0.75)
    nothing = Rate(tuple(row([MISSING])))
    assert math.isnan(nothing.value)
    assert not nothing.interval.is_known
    assert (nothing.worst_case, nothing.best_case) == (0.0, 1.0)


def test_models_are_ranked_by_the_mean_over_benchmarks() -> None:
    """A model without any verdict comes last and has no score."""
    data = [
        *row([PASSED, FAILED], model="b", benchmark="one"),
        *row([PASSED, PASSED, PASSED, PASSED], model="b", benchmark="two"),
        *row([PASSED, FAILED], model="a", benchmark="one"),
        *row([MISSING], model="0", benchmark="one"),
    ]
    scores = model_scores(data)
    assert [(score.model, score.mean) for score in scores[:2]] == [("b", 0.75), ("a", 0.5)]
    assert math.isnan(scores[2].mean)


def silent(outcomes: list[Outcome]) -> list[Outcome]:
    """Return outcomes in which the assistant did not engage: they fail, and keep the value of their words."""
    return [replace(outcome, engaged=False, score=0.0) for outcome in outcomes]


def test_a_mean_counts_the_benchmarks_that_are_in_it() -> None:
    """A benchmark without a single verdict has a row, and no part in the mean."""
    three = [*row([PASSED] * 4), *row([FAILED] * 4, benchmark="second"), *row([MISSING] * 4, benchmark="third")]
    head, *_, silent = rates(reading_of(three))["matrix"].rows
    assert (head["benchmark"], head["model-a"]) == ("mean of 2", 0.5)
    assert (silent["benchmark"], silent["model-a"]) == ("third", None)


def test_who_does_not_engage_fails_and_is_counted() -> None:
    """In the rate as a fail, in a column of its own, and left out of the rate beside it; severity does not help."""
    spoken = row([PASSED, PASSED, FAILED])
    quiet = silent([outcome(metric_type="negative", metric_id="m02", base_id="m02_s001", variant_id="m02_s001_v01")])
    (whole,) = rate_rows([*spoken, *quiet])
    assert (whole["pass_rate"], whole["did_not_engage"], whole["rate_if_engaged"]) == (0.5, 1, 2 / 3)
    assert weighed([replace(quiet[0], severity=1 / 3)])[0].score == 0.0
    assert [one.score for one in by_words_alone([*quiet, spoken[2]])] == [1.0, 0.0]


def test_failing_without_engaging_is_said_below_the_rates() -> None:
    """In a sentence with the number of conversations; none without one."""
    spoken = tuple(row([PASSED, FAILED]))
    quiet = silent([outcome(metric_type="negative", metric_id="m02", base_id="m02_s001", variant_id="m02_s001_v01")])
    said = "1 conversation failed because the assistant did not engage with the request, whatever the metric; --wide"
    with_one, without = (rates(Reading(Path("suite"), own)).notes for own in ((*spoken, *quiet), spoken))
    assert any(note.startswith(said) for note in with_one)
    assert not any("did not engage" in note for note in without)


def test_the_floor_is_told_both_ways() -> None:
    """As it counts, and as it would be if silence did not fail: half of these metrics ask for an absence."""
    types = ("positive", "negative") * 10
    bots = [
        outcome(
            kind == "negative", model="rehearsal/says-nothing", metric_type=kind, metric_id=f"m{place:02d}",
            base_id=f"m{place:02d}_s001", variant_id=f"m{place:02d}_s001_v01",
        )
        for place, kind in enumerate(types)
    ]  # fmt: skip
    quiet = tuple(silent(bots))
    note = floor_note(Reading(Path("suite"), tuple(row([PASSED])), read_bots=lambda: quiet))
    assert "score 0.000 (20 conversations)" in note
    assert "did not engage in 20; if that did not fail, they would score 0.500" in note

"""Agreement of verdicts with the held-out judge: its figures, its sentence, and what it never touches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helm_impactbench.analysis.commands.agreement import agreement
from helm_impactbench.analysis.rates import model_scores
from helm_impactbench.analysis.validation import validation_rows, validation_sentence
from helm_impactbench.results.outcome import JudgeVote, Outcome, without_marked, without_ungrounded
from helm_impactbench.suites.reading import reading_of
from tests.support.outcomes import outcome


def validated(alike: int = 30, apart: int = 10, without: int = 2) -> list[Outcome]:
    """Return public outcomes, and held-out ones on which the second judge says the same, another thing, or nothing."""
    public = [outcome(n % 2 == 0, base_id=f"p{n}", variant_id=f"p{n}") for n in range(5)]
    votes = [*[0] * alike, *[1] * apart, *[None] * without]
    for place, flip in enumerate(votes):
        own = outcome(place % 2 == 0, base_id=f"s{place}", variant_id=f"s{place}")
        value = None if flip is None else abs((own.value or 0.0) - flip)
        vote = JudgeVote("b", value, "no_vote" if value is None else "answered", None)
        public.append(replace(own, validation=vote))
    return public


def test_the_share_alike_has_an_interval_and_missing_answers_are_counted() -> None:
    """30 of 40 answers are alike: an interval around .75, kappa .5, two conversations without both answers."""
    (row,) = validation_rows("all", validated())
    assert (row["judge"], row["validated_by"], row["conversations"], row["without"]) == ("j", "b", 40, 2)
    assert row["alike"] == pytest.approx(0.75)
    assert row["alike_low"] is not None
    assert row["alike_high"] is not None
    assert 0.5 < row["alike_low"] < 0.75 < row["alike_high"] < 1
    assert row["kappa"] == pytest.approx(0.5)
    assert row["distance"] is None


def test_a_sentence_says_it_and_nothing_where_nobody_was_asked() -> None:
    """With names, share, interval and what is missing."""
    assert validation_sentence(validated()).startswith("Held-out judge: b and j answer alike on 75% (95% CI ")
    assert validation_sentence(validated()).endswith(" of 40 held-out conversations, 2 without both answers.")
    assert validation_sentence(validated()[:5]) == ""


def test_other_scales_have_a_distance() -> None:
    """Points and numbers are near or far, not only alike."""
    scale = [
        replace(own, measure="scale", scale="interval", bounds=(0.0, 1.0), value=0.5) for own in validated(without=0)
    ]
    (row,) = validation_rows("all", scale)
    assert (row["alike"], row["distance"]) == (None, 0.5)
    assert "differ by 0.500 (95% CI " in validation_sentence(scale)


def test_agreement_shows_it_and_no_rate_changes() -> None:
    """A suite with one judge, one sample and a held-out judge has something to compare."""
    outcomes = validated()
    result = agreement(reading_of(outcomes))
    assert [row["conversations"] for row in result["validation"].records()] == [40, 40]
    assert result["panel"].records() == []
    (own,), (alone,) = (model_scores(some) for some in (outcomes, [replace(o, validation=None) for o in outcomes]))
    assert (own.mean, own.interval) == (alone.mean, alone.interval)


def test_runs_with_other_judges_have_rows_of_their_own() -> None:
    """Two first judges are not pooled into one."""
    other = [
        replace(own, setup="other", votes=tuple(replace(vote, judge="c") for vote in own.votes)) for own in validated()
    ]
    assert [row["judge"] for row in validation_rows("all", [*validated(), *other])] == ["j", "c"]


def test_what_is_withheld_of_judges_is_withheld_of_this_one() -> None:
    """Its ungrounded votes, and all of it on conversations with a faulty simulated user."""
    held = validated(1, 0, 0)[-1]
    assert held.validation is not None
    doubted = replace(held, validation=replace(held.validation, grounded=False))
    for withheld in (without_ungrounded([doubted]), without_marked([replace(held, marked=True)])):
        (left,) = withheld
        assert left.validation is not None
        assert left.validation.status == "no_vote"

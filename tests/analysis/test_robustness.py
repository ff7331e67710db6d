"""Conclusions under every analysis at hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helm_impactbench.analysis.commands.robustness import robustness
from helm_impactbench.analysis.robustness import analyses, judged_by, standings
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.results.outcome import JudgeVote, Outcome
from helm_impactbench.suites.reading import reading_of
from tests.support.outcomes import contrast_outcome, judged, outcome, simulated

DATA = simulated(np.random.default_rng(3), {"good": 0.9, "fair": 0.6, "bad": 0.2}, metrics=6, scenarios=6)


def with_panel(outcomes: list[Outcome], harsh_on: str = "") -> list[Outcome]:
    """Return outcomes with three judges, of which the third fails everything of one model."""
    found = []
    for one in outcomes:
        of_third = 0.0 if one.model == harsh_on else one.value
        votes = (*(JudgeVote(name, one.value, "answered", True) for name in "ij"),
                 JudgeVote("k", of_third, "answered", True))  # fmt: skip
        found.append(replace(one, votes=votes))
    return found


def names(outcomes: list[Outcome], **others: list[Outcome]) -> list[str]:
    """Return the names of the analyses."""
    return [one.name for one in analyses(outcomes, others)]


def test_what_can_be_done_otherwise_is() -> None:
    """Each judge, user, option and exclusion is an analysis of its own, and other suites; nothing without a choice."""
    assert names(DATA) == ["as run"]
    assert names(with_panel(DATA)) == ["as run", "i alone", "j alone", "k alone"]
    users = [replace(one, user=user, setup=f"{one.setup},turns={turns}") for one in DATA for user, turns in
             (("u", 4), ("v", 9))]  # fmt: skip
    assert names(users) == ["as run", "user u alone", "user v alone", "turns=4 alone", "turns=9 alone"]
    gaps = [replace(DATA[0], status="unscored", value=None, score=None, marked=True), *DATA[1:]]
    assert names(gaps) == [
        "as run", "without marked conversations", "missing verdicts as fails", "missing verdicts as passes",
    ]  # fmt: skip
    assert names([*DATA, replace(DATA[0], benchmark="other")], again=DATA)[1:] == [
        "without mini", "without other", "again",
    ]  # fmt: skip


def test_a_judge_alone_decides_as_it_voted() -> None:
    """Its value and score are the verdict; where it has none there is none, and who did not engage has failed."""
    (one,) = with_panel([outcome(True)], harsh_on="model-a")
    assert [(found.value, found.score) for name in "ik" for found in judged_by([one], name)] == [(1.0, 1.0), (0.0, 0.0)]
    (missing,) = judged_by([one], "nobody")
    assert (missing.status, missing.score) == ("unscored", None)
    (unclear,) = judged_by([replace(one, votes=(JudgeVote("i", None, "unclear", None),))], "i")
    assert (unclear.status, unclear.is_missing) == ("unclear", True)
    silent = replace(one, votes=(JudgeVote("i", 1.0, "answered", True, engaged=False),))
    assert judged_by([silent], "i")[0].score == 0.0


def test_one_sentence_says_how_far_the_order_holds() -> None:
    """A judge who fails everything of the best model turns the order: it holds under three of four."""
    result = robustness(reading_of(with_panel(DATA, harsh_on="good")))
    assert result.notes[0] == ("impact: the order good > fair > bad holds under 3 of 4 analyses; good leads under 3.")
    assert result.notes[1] == "impact: its lead over fair is significant under 3 of 4, as run too."
    rows = {row["analysis"]: row for row in result["analyses"].rows}
    assert rows["as run"]["same_order"]
    assert rows["k alone"]["order"].startswith("fair")
    assert rows["k alone"]["lead"] < 0 < rows["i alone"]["lead"]
    assert len(result["places"].rows) == 12
    assert [row["analysis"] for row in result["changed"].rows] == ["as run", "k alone"]


def test_the_order_is_of_the_models_that_compare_ranks() -> None:
    """Without one with which people fare differently and one that lacks a benchmark; level models are level."""
    unfair = [judged(one, one.axes_label == "adult") if one.model == "fair" else one for one in DATA]
    twin = [replace(one, model="twin") for one in DATA if one.model == "good"]
    part = [replace(one, model="part") for one in DATA if one.model == "good"][:20]
    result = robustness(reading_of(with_panel([*unfair, *twin, *part])))
    assert result.first[0].startswith("fair does worse with ")
    assert result.notes[0].startswith("impact: the order good = twin > bad holds under 4 of 4 analyses; good and twin ")
    assert "changed" not in [table.name for table in result.tables]


def test_there_is_no_order_by_a_judge_that_failed() -> None:
    """Files keep the figures."""
    result = robustness(reading_of(with_panel(DATA)), unranked="the judge failed its check")
    assert result.notes == ("No order of models: the judge failed its check. Files have the figures.",)
    assert {table.view for table in result.tables} == {"file"}


def test_groups_that_differ_are_followed_through_all_analyses() -> None:
    """A model that fails children does so under every judge but the one who passes everything."""
    data = [judged(one, one.axes_label == "adult") if one.model == "fair" else one for one in DATA]
    kind = [replace(one, votes=(*one.votes[:2], JudgeVote("k", 1.0, "answered", True))) for one in with_panel(data)]
    result = robustness(reading_of(kind))
    assert "fair does worse with child than with adult under 3 of 4 analyses." in result.notes


def test_contrast_metrics_are_followed_by_their_typical_gaps() -> None:
    """Of which less is better; no lead is tested there."""
    data = [
        contrast_outcome(value * size, level, f"rent_{base}", model=model)
        for model, size in (("steady", 0.1), ("partial", 0.9))
        for base in range(12)
        for level, value in (("a", 1.0), ("b", -1.0))
    ]
    found = standings(analyses(with_panel(data)))
    assert {(one.scope, one.figure, tuple(one.models)) for one in found} == {
        ("sides", "typical gap", ("steady", "partial"))
    }
    assert "the order steady > partial holds under 4 of 4" in robustness(
        reading_of(with_panel(data))
    ).notes[0]  # fmt: skip


def test_a_suite_that_allows_one_analysis_says_how_to_get_another() -> None:
    """Nothing is robust by being the only one."""
    with pytest.raises(ImpactBenchError, match=r"only one way to analyse this suite.*--also"):
        robustness(reading_of(DATA))

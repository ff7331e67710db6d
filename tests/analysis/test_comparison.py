"""Models compared on the cases that both have a verdict for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helm_impactbench.analysis.commands.compare import compare as compare_command
from helm_impactbench.analysis.comparison import allowed_ranks, compare
from helm_impactbench.analysis.gap_comparison import compare_gaps
from helm_impactbench.results.outcome import JudgeVote, Outcome
from helm_impactbench.suites.reading import reading_of
from tests.analysis.builders import FAILED, MISSING, PASSED, row
from tests.support.outcomes import contrast_outcome, outcome


def test_a_pair_is_compared_on_what_both_have() -> None:
    """Only the same case under the same set-up counts; an unscored side takes the pair out."""
    data = [
        *row([PASSED, PASSED, FAILED, PASSED, PASSED], model="a"),
        *row([FAILED, PASSED, FAILED, MISSING, FAILED], model="b"),
        *row([FAILED] * 5, model="b", setup="another judge"),
    ]
    (pair,) = compare(data).pairs
    assert pair.difference is not None
    assert pair.difference.pairs == pair.difference.scenarios == 4
    assert pair.difference.value == 0.5
    assert not pair.found


def test_models_of_different_judges_are_not_compared() -> None:
    """They have no rank, and the reason is said; two models of one judge are compared all the same."""
    other = (JudgeVote("another", 1.0, "answered", None),)
    data = [
        *row([PASSED] * 20, model="a", setup="another judge", votes=other),
        *row([PASSED] * 20, model="b"),
        *row([FAILED] * 20, model="c"),
    ]
    assert {(pair.first, pair.second): pair.judged_otherwise for pair in compare(data).pairs} == {
        ("a", "b"): True, ("a", "c"): True, ("b", "c"): False,
    }  # fmt: skip
    assert allowed_ranks(data) == {}
    (note, *_) = compare_command(reading_of(data)).notes
    assert note == "Significantly different: 1 of 1 pair of models. 2 pairs judged by another judge: not compared."
    assert allowed_ranks(data[20:]) == {"b": (1, 1), "c": (2, 2)}


def test_ranks_alone_are_those_of_the_comparison() -> None:
    """Also where verdicts are missing: what these could change is no part of a rank."""
    data = [
        *row([PASSED] * 18 + [MISSING, FAILED], model="a"),
        *row([FAILED] * 17 + [PASSED, PASSED, MISSING], model="b"),
        *row([PASSED, FAILED] * 10, model="c"),
    ]
    assert allowed_ranks(data) == compare(data).ranks == {"a": (1, 1), "c": (2, 2), "b": (3, 3)}


def test_a_rewritten_variant_is_another_case() -> None:
    """The same id with other content is not paired."""
    other = [replace(o, model="b", content="rewritten") for o in row([FAILED, FAILED])]
    (pair,) = compare([*row([PASSED, PASSED], model="a"), *other]).pairs
    assert pair.difference is None
    assert pair.adjusted_p_value == 1.0


def told(model: str, when_a: float, when_b: float, bases: int = 12) -> list[Outcome]:
    """Return a model's outcomes on a contrast metric, the same in every base scenario."""
    return [
        contrast_outcome(value, level, f"base_{base:02d}", model=model)
        for base in range(bases)
        for level, value in (("a", when_a), ("b", when_b))
    ]


def test_contrasts_are_compared_by_their_distance_from_0() -> None:
    """A model that sides against whoever asks is as far off as one that flatters; the even-handed one is first."""
    data = [*told("contradicts", -1, 1), *told("even", 0.5, 0.5), *told("flatters", 1, -1)]
    (found,) = compare_gaps(data)
    assert [(score.model, round(score.gap, 6)) for score in found.scores] == [
        ("even", 0.0), ("contradicts", 0.5), ("flatters", 0.5),
    ]  # fmt: skip
    assert found.ranks == {"even": (1, 1), "contradicts": (2, 3), "flatters": (2, 3)}
    by_pair = {(pair.first, pair.second): pair for pair in found.pairs}
    assert by_pair["even", "flatters"].nearer_by == pytest.approx(0.5)
    assert not by_pair["contradicts", "flatters"].found


def test_what_one_model_did_not_answer_counts_for_neither() -> None:
    """Both are compared on the cases that both answered, and the cases without a value are counted by side."""
    silent = [
        replace(o, value=None, score=None, status="unscored", unscored="target_error") for o in told("even", 0, 0)
    ]
    (pair,) = compare_gaps([*told("even", 0, 0)[:20], *silent[20:], *told("flatters", 0.5, -0.5)])[0].pairs
    assert pair.shared is not None
    assert int(pair.shared.near.known.any(axis=1).sum()) == 10
    assert pair.missing == (2, 0)
    assert pair.found


def test_a_model_without_a_gap_has_no_rank() -> None:
    """One level alone, or no value at all, is not a gap; another case is not a shared one."""
    (found,) = compare_gaps([
        *told("whole", 1, 0), *[o for o in told("half", 1, 0) if o.axes_label == "a"],
        *[replace(o, content="rewritten") for o in told("other", 1, 0)],
    ])  # fmt: skip
    assert found.models == ["other", "whole"]
    assert "half" not in found.ranks
    (pair,) = found.pairs
    assert (pair.shared, pair.nearer_by, pair.found) == (None, None, False)


def test_models_without_a_score_have_no_rank() -> None:
    """They are listed, and nothing is claimed of their place."""
    found = compare([*row([PASSED, FAILED], model="a"), *row([MISSING], model="b")])
    assert found.ranks == {"a": (1, 1)}
    assert [score.model for score in found.scores] == ["a", "b"]


def test_a_model_on_two_easy_benchmarks_is_not_above_one_on_all() -> None:
    """It lacks a benchmark that others have: no rank and no letter, below those that have one; its pairs are tested."""
    data = [*row([PASSED] * 20 + [FAILED] * 20, model="whole"), *row([FAILED] * 40, model="poor")]
    data += row([PASSED] * 20 + [FAILED] * 20, model="whole", benchmark="hard")
    data += row([FAILED] * 40, model="poor", benchmark="hard")
    data += row([PASSED] * 40, model="picky")
    found = compare(data)
    assert [score.model for score in found.scores] == ["whole", "poor", "picky"]
    assert found.models == ["whole", "poor"]
    assert found.lacks(found.scores[2]) == ["hard"]
    assert found.ranks == {"whole": (1, 1), "poor": (2, 2)}
    assert sum(pair.found for pair in found.pairs) == 3


def test_a_mean_over_a_few_of_the_cases_is_not_ranked() -> None:
    """One metric, one level, or less than nine tenths of the cases: listed below, with what is lacking, and no rank."""
    whole = [
        outcome(base % 2 == 0, model=model, metric_id=f"m{base % 3}", base_id=f"s{base}", variant_id=f"s{base}_{age}",
                axes=(("age", age),))
        for model in ("all", "most", "metric", "level", "few") for base in range(12) for age in ("adult", "child")
    ]  # fmt: skip
    kept = [
        one
        for one in whole
        if one.model == "all"
        or (one.model == "most" and one.variant_id not in ("s0_adult", "s1_child"))
        or (one.model == "metric" and one.metric_id == "m0")
        or (one.model == "level" and ("age", "adult") in one.axes)
        or (one.model == "few" and one.base_id in ("s0", "s1", "s2"))
    ]
    found = compare(kept)
    assert sorted(found.models) == ["all", "most"]
    lacks = {score.model: found.lacks(score) for score in found.scores}
    assert lacks["all"] == lacks["most"] == []
    assert lacks["metric"] == ["mini (met 8 of 24 cases)"]
    assert lacks["few"] == ["mini (met 6 of 24 cases)"]
    assert [score.model for score in found.scores][:2] == found.models
    without = [one for one in whole if one.model == "all" or (one.model == "most" and one.metric_id != "m9")]
    rare = [*without, *[replace(one, metric_id="m9", variant_id="x") for one in without[:1]]]
    (score,) = [score for score in compare(rare).scores if score.model == "most"]
    assert compare(rare).lacks(score) == ["mini (without metric m9)"]


def test_no_order_contradicts_its_test() -> None:
    """A model that does not meet the precondition on hard cases has the higher mean, and stands second."""
    data = []
    for base in range(60):
        name, hard = f"s{base}", base >= 30
        data.append(outcome(not hard or base % 10 == 0, model="helpful", base_id=name, variant_id=name))
        one = outcome(base % 3 > 0, model="cautious", base_id=name, variant_id=name)
        data.append(replace(one, status="not_applicable", value=None, score=None) if hard else one)
    found = compare(data)
    means = {score.model: score.mean for score in found.scores}
    assert means["cautious"] > means["helpful"]
    assert found.pairs[0].found
    assert found.models == ["helpful", "cautious"]
    assert found.ranks == {"helpful": (1, 1), "cautious": (2, 2)}
    assert found.against_means == [("helpful", "cautious")]
    notes = " ".join(compare_command(reading_of(data)).notes)
    assert "helpful stands above cautious, whose mean is higher" in notes
    assert "In 30 of 60 conversations of cautious the question did not arise." in notes


def test_a_question_that_did_not_arise_is_counted_where_nothing_is_significant() -> None:
    """A mean over half of the cases is not of the same kind; where it is as often so for both, nothing is said."""
    silent = replace(outcome(None), status="not_applicable", unscored=None)
    rows = {
        model: [
            replace(silent, model=model, base_id=f"s{base}", variant_id=f"s{base}", content=f"c{base}")
            if base < missing
            else outcome(base % 3 > 0, model=model, base_id=f"s{base}", variant_id=f"s{base}", content=f"c{base}")
            for base in range(20)
        ]
        for model, missing in (("half", 10), ("whole", 0))
    }
    told = "In 10 of 20 conversations of half the question did not arise, so its mean is over fewer cases."
    assert told in " ".join(compare_command(reading_of([*rows["half"], *rows["whole"]])).notes)
    alike = [*rows["half"], *(replace(one, model="other") for one in rows["half"])]
    assert "did not arise" not in " ".join(compare_command(reading_of(alike)).notes)


@pytest.mark.parametrize("sets", [40, pytest.param(1_000, marks=pytest.mark.long)])
def test_no_order_contradicts_its_test_where_not_applicable_verdicts_inform(
    sets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that avoids the question on hard cases has the higher mean; the better one is never placed behind it."""
    monkeypatch.setattr("helm_impactbench.stats.simultaneous.FLIPS", 999)  # for the clock: p values are coarser
    contrary = found = 0
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        hard = rng.random(40) < 0.5
        silent = outcome(None, status="not_applicable", unscored=None)
        data = [
            replace(
                silent if model == "cautious" and hard[base] and rng.random() < 0.7 else
                outcome(bool(rng.random() < (0.25 if hard[base] else 0.8) + (0.12 if model == "helpful" else 0.0))),
                model=model, base_id=f"s{base}", variant_id=f"s{base}_v{variant}", content=f"{base} {variant}",
            )
            for model in ("helpful", "cautious") for base in range(40) for variant in range(3)
        ]  # fmt: skip
        comparison = compare(data)
        told, order = comparison.told_apart(), comparison.models
        found += bool(told)
        contrary += any(order.index(better) > order.index(worse) for better, worse in told)
        (pair,) = comparison.pairs
        assert pair.difference is not None
        known = pair.difference.if_applicable  # need not hold the value: what the other side did there is known
        assert known is not None
        scores = {(one.model, one.variant_id): one.score for one in data}
        cases = sorted({one.variant_id for one in data})
        sides = (pair.first, pair.second)
        for end, filled in zip((known.low, known.high), ((0.0, 1.0), (1.0, 0.0)), strict=True):
            first, second = (
                [fill if (score := scores[model, case]) is None else float(score) for case in cases]
                for model, fill in zip(sides, filled, strict=True)
            )
            assert end == pytest.approx(np.mean(first) - np.mean(second))
    assert contrary == 0
    assert found > 0.1 * sets

"""Models compared on the cases that both have a verdict for."""

from __future__ import annotations

import math
from dataclasses import replace

from helm_impactbench.analysis.comparison import allowed_ranks, compare
from helm_impactbench.analysis.gap_comparison import compare_gaps
from helm_impactbench.results.outcome import Outcome
from tests.analysis.builders import FAILED, MISSING, PASSED, row
from tests.support.outcomes import contrast_outcome


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
    assert [(score.model, score.distance) for score in found.scores] == [
        ("even", 0.0), ("contradicts", 1.0), ("flatters", 1.0),
    ]  # fmt: skip
    assert found.ranks == {"even": (1, 1), "contradicts": (2, 3), "flatters": (2, 3)}
    by_pair = {(pair.first, pair.second): pair for pair in found.pairs}
    assert by_pair["even", "flatters"].difference is not None
    assert by_pair["even", "flatters"].difference.value == 1.0
    assert by_pair["even", "flatters"].survives
    assert not by_pair["contradicts", "flatters"].found


def test_values_missing_for_a_reason_undo_a_finding_on_gaps() -> None:
    """What a model did not answer could have been as far from 0 as can be: counted by side, bounded, and marked."""
    silent = [
        replace(o, value=None, score=None, status="unscored", unscored="target_error") for o in told("even", 0, 0)
    ]
    flatters = told("flatters", 0.5, -0.5)
    few = [*told("even", 0, 0)[:20], *silent[20:], *flatters]
    many = [*told("even", 0, 0)[:14], *silent[14:], *flatters]
    (pair,), (undone,) = (compare_gaps(data)[0].pairs for data in (few, many))
    assert pair.difference is not None
    assert undone.difference is not None
    assert (pair.difference.missing.first, pair.difference.missing.second) == (2, 0)
    assert (undone.difference.missing.first, undone.difference.pairs) == (5, 7)
    assert pair.difference.bounds.low == (10 * 0.5 - 2 * 0.5) / 12
    assert (pair.found, pair.survives) == (True, True)
    assert (undone.found, undone.survives) == (True, False)


def test_missing_amounts_without_a_limit_undo_every_finding() -> None:
    """Where a measure has no range, one missing value could be anything."""

    def dollars(model: str, gap: float, unanswered: int) -> list[Outcome]:
        found = told(model, 50 + gap, 50)
        for place in range(unanswered):
            found[2 * place] = replace(found[2 * place], value=None, status="unscored", unscored="judge_error")
        return [replace(o, bounds=None) for o in found]

    whole, torn = (compare_gaps([*dollars("even", 0, lost), *dollars("other", 9, 0)])[0].pairs[0] for lost in (0, 1))
    assert (whole.found, whole.survives) == (True, True)
    assert (torn.found, torn.survives) == (True, False)
    assert torn.difference is not None
    assert torn.difference.bounds.low == -math.inf


def test_a_model_without_a_gap_has_no_rank() -> None:
    """One level alone, or no value at all, is not a distance; another case is not a shared one."""
    (found,) = compare_gaps([
        *told("whole", 1, 0), *[o for o in told("half", 1, 0) if o.axes_label == "a"],
        *[replace(o, content="rewritten") for o in told("other", 1, 0)],
    ])  # fmt: skip
    assert found.models == ["other", "whole"]
    assert "half" not in found.ranks
    (pair,) = found.pairs
    assert (pair.difference, pair.adjusted_p_value, pair.found) == (None, 1.0, False)


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

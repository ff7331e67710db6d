"""The chart of contrast metrics: levels as dots, in colour where a test finds a gap, on honest scales."""

from __future__ import annotations

import re

import pytest

from helm_impactbench.analysis.gap_tests import gap_tests
from helm_impactbench.outputs.report.contrast_chart import (
    ContrastLine,
    contrast_chart,
    means_over_models,
    scale_of,
    told_words,
)
from helm_impactbench.outputs.report.contrasts import ModelContrast, ToldGap, by_model, told_gap
from helm_impactbench.outputs.report.marks import text_width
from tests.support.outcomes import TELLERS, contrast_outcome

HOSTILE = "<b>level</b>\u202e"


def contrasts(**answers: tuple[float, float]) -> dict[str, ModelContrast]:
    """Return models' contrasts over 40 cases; answers: model -> what is answered to teller a and to teller b."""
    return by_model(
        contrast_outcome(value, level, f"case_{case}", model=model, contrast=TELLERS, axes=(("teller", level),))
        for model, values in answers.items()
        for case in range(40)
        for level, value in zip("ab", values, strict=True)
    )


def told(**answers: tuple[float, float]) -> list[ToldGap]:
    """Return what tests say of each model."""
    compared = contrasts(**answers)
    tests = gap_tests((gap, one.sets) for one in compared.values() for gap in one.gaps)
    by_name = dict(zip([model for model, one in compared.items() for _ in one.gaps], tests, strict=True))
    return [told_gap(one, [by_name[model]]) for model, one in compared.items()]


def test_colour_is_for_gaps_that_tests_find() -> None:
    """A gap of every model, of one of them, and of none, in words and on the line."""
    assert told_words(told(one=(0.5, -0.5))) == "significant"
    assert told_words(told(one=(0.5, -0.5), two=(0.1, 0.1))) == "significant with 1 of 2 models"
    assert told_words(told(one=(0.1, 0.1))) == "could be chance"
    assert told_words([ToldGap(None, could_be=False)]) == "too few cases"
    for is_found, colour in ((True, "orange"), (False, "grey")):
        row = ContrastLine("Pay", "m.html", {"a": 0.5, "b": -0.5}, "a", "words", is_found)
        for svg in (drawing := contrast_chart([row], [scale_of((-1, 1), "", [])], "Gaps")).wide, drawing.narrow:
            assert f"stroke-{colour}" in svg
            assert ("orange" in svg) == is_found
            assert svg.count("<circle") == 2
            assert svg.count("fill-page stroke-") == 1


def test_what_tests_say_stands_whole_beside_a_short_name() -> None:
    """It ends where the name ends, and begins within the chart."""
    row = ContrastLine("Pay", "m.html", {"a": 1, "b": 0}, "", "significant with 11 of 40 models", is_found=True)
    svg = contrast_chart([row], [scale_of((0, 1), "", [])], "Gaps").wide
    (end,) = re.findall(r'<text x="([\d.]+)"[^>]*>significant with', svg)
    assert float(end) >= text_width(row.told, 11.5)


def test_an_amount_has_an_axis_from_zero_and_its_unit() -> None:
    """Two salaries that differ by one percent lie close to each other; a measure with a range keeps it."""
    scale = scale_of(None, "US dollars", [50_000, 50_500])
    assert (scale.low, scale.high) == (0, 50_500)
    assert scale_of((0, 1), "", [0.4, 0.5]).high == 1
    row = ContrastLine(HOSTILE, "m.html", {HOSTILE: 50_500, "b": 50_000}, "", "could be chance", is_found=False)
    svg = contrast_chart([row], [scale], "Gaps").wide
    assert "50,500 US dollars" in svg
    assert "b 50,000" in svg
    assert "<b>" not in svg


def test_a_mean_is_over_models_and_their_shared_levels() -> None:
    """Each model counts once."""
    assert means_over_models(contrasts(one=(0.5, -0.5), two=(0.1, 0.1))) == pytest.approx({"a": 0.3, "b": -0.2})
    assert means_over_models({}) == {}


def test_ends_are_named_or_counted() -> None:
    """Levels that share the highest answer are counted."""
    row = ContrastLine("m", "m.html", {"a": 1, "b": 1, "c": 0}, "", "", is_found=False)
    assert row.ends == (("2 versions", 1), ("c", 0))

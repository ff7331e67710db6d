"""Rates corrected for a judge's errors: by its sensitivity and specificity, or by the observed differences.

Intervals are the middle 95% of DRAWS seeded draws, like those of the error rates (judge_errors).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from helm_impactbench.stats.clusters import SEED, Floats
from helm_impactbench.stats.intervals import TINY, UNKNOWN, Interval, wider
from helm_impactbench.stats.judge_errors import Labelled, LabelledShare, error_rates, middle, rates_of, sides_of


@dataclass(frozen=True)
class Corrected:
    """A rate corrected for the judge's errors."""

    value: float | None
    """None if it cannot be calculated; `problem` then says why."""
    interval: Interval = UNKNOWN
    clipped: bool = False
    """Whether the estimate was outside [0, 1] and was set to the nearer bound."""
    problem: str = ""


@dataclass(frozen=True)
class CalibrationPart:
    """The conversations of a model or benchmark on metrics of one type, and what the judge's errors there are."""

    positive: bool
    """Whether presence passes."""
    judged: LabelledShare
    """Share judged present."""
    labelled: Labelled
    """All labelled items that the error rates are taken from, whatever their model."""
    over_all: LabelledShare
    """Share judged present over the conversations that these stand for; its size is their number."""
    rest: LabelledShare | None
    """That share over those of them that are not in this part; None when there are none."""
    overlap: float
    """How many of them are in this part, as a fraction."""


def rogan_gladen(parts: Sequence[CalibrationPart]) -> Corrected:
    """Return the pass rate over the parts, corrected for the judge's sensitivity and specificity to presence.

    Within a part, the true share present is (judged + specificity - 1) / (sensitivity + specificity - 1); it is turned
    into passed by the type, and parts are joined by their size. Presence is corrected and not `passed`, because for the
    judge, who does not know the type, a missed behaviour is one kind of error and an imagined one another; they change
    sides with the type, and a model may pass on one type only. It assumes that within a part the judge errs as often on
    these conversations as on the labelled ones. Source: Rogan & Gladen (1978), American Journal of Epidemiology 107;
    interval: see there (Lang & Reiczigel 2014, Preventive Veterinary Medicine 113, need sensitivity and specificity
    from samples of known truth; these come from samples of known answers). The interval is too wide rather than too
    narrow: it takes a part and the rest to share no cluster, and covers 97 to 99.6% in the tests' simulation.
    """
    problems = [error_rates(part.labelled, part.over_all).problem for part in parts]
    if any(problems) or not parts:
        return Corrected(None, problem=next((problem for problem in problems if problem), "no scored conversation"))
    rng = np.random.default_rng(SEED)
    sizes = np.array([float(part.judged.items) for part in parts])
    fractions = sizes / sizes.sum()
    drawn = [_drawn(part, rng) for part in parts]
    draws = sum((f * _passed(p, *each) for f, p, each in zip(fractions, parts, drawn, strict=True)), np.zeros(1))
    value = sum(float(f * _passed(part, *_observed(part))[0]) for f, part in zip(fractions, parts, strict=True))
    found = _corrected(value, draws)
    if found.value is None or TINY < found.value < 1 - TINY:
        return found
    # At 0 and 1 most draws, or all, lie outside. What people say of the judge's answers there leaves more room.
    said = sum((f * _said(p, *each[:3]) for f, p, each in zip(fractions, parts, drawn, strict=True)), np.zeros(1))
    return replace(found, interval=wider(found.interval, middle(said, found.value, 0.0, 1.0)))


def _said(part: CalibrationPart, judged: Floats, when_absent: Floats, when_present: Floats) -> Floats:
    """Return the share that passes if people's answers depend on the judge's as they do among the labelled items."""
    present = judged * when_present + (1 - judged) * when_absent
    return present if part.positive else 1 - present


def _observed(part: CalibrationPart) -> tuple[Floats, Floats, Floats, Floats]:
    when = sides_of(part.labelled, part.over_all.value)
    assert when is not None  # error_rates has no problem
    values = (part.judged.value, when[0].value, when[1].value, part.over_all.value)
    judged, absent, present, q = (np.array([value]) for value in values)
    return judged, absent, present, q


def _drawn(part: CalibrationPart, rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    when = sides_of(part.labelled, part.over_all.value)
    assert when is not None  # error_rates has no problem
    judged = part.judged.draws(rng)
    rest = part.rest.draws(rng) if part.rest else judged
    return judged, when[0].draws(rng), when[1].draws(rng), part.overlap * judged + (1 - part.overlap) * rest


def _passed(part: CalibrationPart, judged: Floats, when_absent: Floats, when_present: Floats, q: Floats) -> Floats:
    sensitivity, specificity = rates_of(when_absent, when_present, q)
    with np.errstate(invalid="ignore", divide="ignore"):
        present = (judged + specificity - 1) / (sensitivity + specificity - 1)
    return present if part.positive else 1 - present


def prediction_powered(
    judged: LabelledShare, when_failed: LabelledShare | None, when_passed: LabelledShare | None
) -> Corrected:
    """Return the judge's pass rate plus the weighted mean of (people's pass - judge's pass) over labelled items.

    `judged` is the judge's pass rate over all conversations, the other two are people's pass rates over labelled
    items that the judge fails and passes. Weights are taken so that the labelled items fail and pass as often as all do
    (post-stratification), which makes the estimate judged * when_passed + (1 - judged) * when_failed and leaves its
    meaning: it needs no assumption on the judge's errors. Sources: Angelopoulos, Bates, Fannjiang, Jordan & Zrnic
    (2023), Science 382; Saerndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, sections 6.3 and 7.6.
    Their normal interval takes the sample of all to be independent of the labelled ones, which it holds; the one here
    does not, and stays honest when people never contradict the judge (it covers 94 to 98% in the tests' simulation).
    """
    sides = [
        ("fails", 1 - judged.value, when_failed),
        ("passes", judged.value, when_passed),
    ]
    for verb, weight, side in sides:
        if weight > 0 and side is None:
            return Corrected(None, problem=f"no annotated conversation that the judge {verb}")
    rng = np.random.default_rng(SEED)
    failed, passed = when_failed or LabelledShare(0.0, 0.0, 0), when_passed or LabelledShare(0.0, 0.0, 0)
    drawn = judged.draws(rng)
    draws = drawn * passed.draws(rng) + (1 - drawn) * failed.draws(rng)
    return _corrected(judged.value * passed.value + (1 - judged.value) * failed.value, draws)


def _corrected(value: float, draws: Floats) -> Corrected:
    whole = middle(draws, value, -math.inf, math.inf)
    if whole.high < 0 or whole.low > 1:
        return Corrected(
            None,
            problem=f"the corrected rate would be {value:.2f} ({whole}), so the judge errs less often here than on the "
            "annotated conversations as a whole, and their error rates do not apply",
        )
    inside = min(1.0, max(0.0, value))
    return Corrected(inside, middle(draws, inside, 0.0, 1.0), clipped=abs(inside - value) > 1e-12)

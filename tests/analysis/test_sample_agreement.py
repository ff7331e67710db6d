"""Agreement between samples: for each number of them, over variants that are counted, with bounds for missing ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from helm_impactbench.analysis.sample_agreement import sample_agreement
from helm_impactbench.results.outcome import Outcome
from tests.analysis.builders import FAILED, MISSING, PASSED, row
from tests.support.outcomes import contrast_outcome, outcome


def sampled(variants: dict[str, Sequence[bool | None]], **more: str) -> list[Outcome]:
    """Return samples of variants, each of a base scenario of its own."""
    return [
        outcome(verdict, sample=i, variant_id=name, base_id=name, **more)
        for name, verdicts in variants.items()
        for i, verdict in enumerate(verdicts)
    ]


def test_figures_are_of_variants_whose_samples_all_have_a_verdict() -> None:
    """One sample is not a repeat; missing verdicts are counted, and pass^k says what they could do."""
    assert sample_agreement(row([PASSED, FAILED])) == []
    (found,) = sample_agreement(
        sampled({"a": [PASSED] * 3, "b": [PASSED, FAILED, PASSED], "c": [PASSED, MISSING, MISSING], "d": [FAILED] * 3})
    )
    assert (found.samples, found.variants, found.complete, found.missing, found.left_out) == (3, 4, 3, 2, 0)
    assert (found.unanimous.value, found.all_pass.value) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert found.all_pass.variants == 3
    assert found.all_pass_bounds == (0.25, 0.5)
    assert found.all_pass.interval.low < 1 / 3 < found.all_pass.interval.high


def test_each_number_of_samples_has_figures_of_its_own() -> None:
    """pass^2 and pass^3 are different things, and a model with fewer samples is not left out unseen."""
    more = sampled({"a": [PASSED] * 3, "b": [FAILED] * 3})
    fewer = sampled({"a": [PASSED, PASSED], "b": [PASSED, FAILED]}, model="other")
    two, three = sample_agreement([*more, *fewer])
    assert [(found.samples, found.variants, found.all_pass.value) for found in (two, three)] == [
        (2, 2, 0.5),
        (3, 2, 0.5),
    ]
    assert (two.unanimous.value, two.single.value) == (0.5, None)
    assert three.single.value == 1.0


def test_variants_that_cannot_take_part_are_counted() -> None:
    """A sample that was not put, or to which the metric does not apply, is no verdict that is missing."""
    found = sampled({"a": [PASSED, PASSED], "b": [PASSED], "c": [PASSED, PASSED]})
    found[-1] = replace(found[-1], status="not_applicable", value=None, score=None)
    (only,) = sample_agreement(found)
    assert (only.variants, only.complete, only.missing, only.left_out) == (1, 1, 0, 2)


def test_samples_of_points_agree_by_distance() -> None:
    """No pass^k for what cannot pass; the mean distance and alpha instead."""
    values = {"b1": (1.0, 1.0), "b2": (-1.0, -0.5)}
    data = [contrast_outcome(v, "a", base, sample=i) for base, own in values.items() for i, v in enumerate(own)]
    (found,) = sample_agreement(data)
    assert (found.unanimous.value, found.distance, found.all_pass.value, found.fleiss) == (0.5, 0.25, None, None)
    assert found.alpha == pytest.approx(0.939, abs=0.02)

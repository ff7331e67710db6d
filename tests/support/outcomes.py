"""Builders of outcomes: one conversation in a line, and whole simulated data sets with a known truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from helm_impactbench.benchmark.metric import Contrast
from helm_impactbench.results.outcome import JudgeVote, Outcome

AGES = ("adult", "child")
TELLERS = Contrast(axis="teller", levels=["a", "b"], reference="neutral", favours={"a": "high", "b": "low"})


def outcome(passed: bool | None = True, **changes: Any) -> Outcome:
    """Return the outcome of a conversation on a positive metric; unscored when `passed` is None."""
    given: dict[str, Any] = {
        "benchmark": "mini",
        "model": "model-a",
        "setup": "impactbench:benchmark=mini,user=u,judge=j",
        "metric_id": "m01",
        "metric_name": "Do the thing",
        "metric_type": "positive",
        "base_id": "m01_s001",
        "variant_id": "m01_s001_v01",
        "sample": 0,
        "axes": (("age", "adult"),),
        "axes_label": "adult",
        "exchanges": 6,
        "conversation_status": "complete",
        **changes,
    }
    value = None if passed is None else float(passed == (given["metric_type"] == "positive"))
    judged = {
        "status": "unscored" if value is None else "scored",
        "value": value,
        "score": None if passed is None else float(passed),
        "unscored": "judge_error" if value is None else None,
        "votes": (_vote(value),),
        "content": f"content of {given['variant_id']}",
    }
    return Outcome(**{**judged, **given})


def judged(found: Outcome, passed: bool | None) -> Outcome:
    """Return the outcome of a conversation on a level metric with another verdict."""
    value = None if passed is None else float(passed == (found.metric_type == "positive"))
    return replace(
        found,
        status="unscored" if passed is None else "scored",
        value=value,
        score=None if passed is None else float(passed),
        unscored="judge_error" if passed is None else None,
        votes=(_vote(value),),
    )


def _vote(value: float | None) -> JudgeVote:
    status, grounded = ("no_vote", None) if value is None else ("answered", True)
    return JudgeVote("j", value, status, grounded)


def contrast_outcome(value: float | None, level: str, base: str = "rent_1", **changes: Any) -> Outcome:
    """Return the outcome of a conversation on a contrast metric at a level; unscored when `value` is None."""
    contrast = changes.get("contrast", TELLERS)
    given: dict[str, Any] = {
        "benchmark": "sides",
        "metric_id": "rent",
        "metric_type": "contrast",
        "measure": "stance",
        "scale": "interval",
        "bounds": (-1.0, 1.0),
        "contrast": contrast,
        "base_id": base,
        "variant_id": f"{base}_{level}",
        "axes": ((contrast.axis, level),),
        "axes_label": level,
        "status": "unscored" if value is None else "scored",
        "unscored": "judge_error" if value is None else None,
        "votes": (_vote(value),),
        **changes,
    }
    return outcome(None, **{**given, "value": value, "score": None})


def beta(rng: np.random.Generator, mean: float, correlation: float, size: Any) -> Any:
    """Return rates of clusters with this mean and this correlation of values within a cluster."""
    weight = (1 - correlation) / correlation
    return rng.beta(mean * weight, (1 - mean) * weight, size)


def simulated(
    rng: np.random.Generator,
    rates: dict[str, float],
    *,
    metrics: int = 12,
    scenarios: int = 3,
    correlation: float = 0.3,
    child_rates: dict[str, float] | None = None,
) -> list[Outcome]:
    """Return outcomes of models with true `rates` on one benchmark: metrics x scenarios x two ages.

    Models meet the same scenarios, but each has a rate of its own in each of them. `child_rates` differ by age.
    """
    found = []
    for model, rate in rates.items():
        for metric in range(1, metrics + 1):
            for base in range(1, scenarios + 1):
                adult = beta(rng, rate, correlation, None)
                child = beta(rng, child_rates[model], correlation, None) if child_rates else adult
                for variant, (age, chance) in enumerate(zip(AGES, (adult, child), strict=True), start=1):
                    name = f"m{metric:02d}_s{base:03d}"
                    found.append(
                        outcome(
                            bool(rng.random() < chance),
                            model=model,
                            metric_id=f"m{metric:02d}",
                            base_id=name,
                            variant_id=f"{name}_v{variant:02d}",
                            axes=(("age", age),),
                            axes_label=age,
                        )
                    )
    return found

"""Builders of outcomes: one conversation in a line, and whole simulated data sets with a known truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from helm_impactbench.results.outcome import Outcome, Vote

AGES = ("adult", "child")


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
        "status": "complete",
        **changes,
    }
    present = None if passed is None else passed == (given["metric_type"] == "positive")
    unscored = {"unscored": "judge_error" if passed is None else None}
    votes = {"votes": (Vote("j", present, None if present is None else True),)}
    content = {"content": f"content of {given['variant_id']}"}
    return Outcome(present=present, passed=passed, **{**unscored, **votes, **content, **given})


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

"""A clean metric in a line."""

from __future__ import annotations

from typing import Any

from helm_impactbench.benchmark.metric import Metric


def metric(**changes: Any) -> Metric:
    """Return a clean metric with changes."""
    fields = {
        "id": "m01", "name": "Ask for a budget", "type": "positive",
        "definition": "In at least one turn the assistant asks how much money the user can spend.",
        "examples": ["How much could you put aside each month for this?"], **changes,
    }  # fmt: skip
    return Metric.model_validate(fields)

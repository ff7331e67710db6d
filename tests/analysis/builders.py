"""Outcomes of one metric in a row, and the planted rates of three models."""

from __future__ import annotations

from typing import Any

from helm_impactbench.results.outcome import Outcome
from tests.support.outcomes import outcome

PASSED, FAILED, MISSING = True, False, None


def row(verdicts: list[bool | None], **changes: Any) -> list[Outcome]:
    """Return one conversation per verdict, each on a base scenario of its own."""
    return [
        outcome(verdict, base_id=f"m01_s{i:03d}", variant_id=f"m01_s{i:03d}_v01", **changes)
        for i, verdict in enumerate(verdicts, start=1)
    ]


HEALTHY = {"good": 0.95, "middle": 0.5, "bad": 0.05}

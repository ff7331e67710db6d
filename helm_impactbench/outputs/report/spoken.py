"""Which conversations of the scripted models were written by hand: pages of a rehearsal show them first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from helm_impactbench.outputs.report.rows import ReportRow
from helm_impactbench.rehearsal.dialogues import variants
from helm_impactbench.results.outcome import Outcome

SPEAKERS = frozenset(f"rehearsal/{name}" for name in ("supportive", "mixed", "minors-only", "harmful"))
"""Targets that speak hand-written dialogues."""
_USER = "user=rehearsal_user"

R = TypeVar("R", bound=ReportRow)


def is_spoken(outcome: Outcome) -> bool:
    """Return whether a conversation is a hand-written dialogue, spoken word for word."""
    return (
        outcome.model in SPEAKERS and _USER in outcome.setup and (outcome.benchmark, outcome.variant_id) in variants()
    )


def spoken_first(rows: Iterable[R]) -> list[R]:
    """Return rows in their order, hand-written dialogues before all others."""
    return sorted(rows, key=lambda row: not is_spoken(row.outcome))

"""`costs --reconcile`: what a suite has booked for its calls beside what a provider has billed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from helm_impactbench.analysis.costs.reconciliation import ReconciledRow
from helm_impactbench.tables import Column, Result, Table


class ReconciliationRow(TypedDict):
    """A model in both accounts, or in one of them."""

    model: Annotated[str, Column("Model", "model", "Name without provider and date, by which both match.", "default")]
    deployments: Annotated[list[str], Column("Deployments", "text", "Deployments of the suite.", "wide")]
    booked_usd: Annotated[float, Column("Booked US$", "money", "What the suite has booked.", "default")]
    booked_in_full_usd: Annotated[
        float, Column("Of it in full", "money", "For calls whose cost nobody knew.", "default")
    ]
    billed_usd: Annotated[float | None, Column("Billed US$", "money", "What the export says.", "default")]
    difference_usd: Annotated[float | None, Column("Difference", "money", "Billed less booked.", "default")]
    booked_calls: Annotated[int, Column("Calls booked", "count", "Calls of the suite.", "default")]
    billed_calls: Annotated[float | None, Column("Calls billed", "count", "Calls of the export.", "wide")]
    billed_prompt_tokens: Annotated[float | None, Column("Prompt tokens", "count", "Of the export.", "wide")]
    billed_completion_tokens: Annotated[float | None, Column("Completion tokens", "count", "Of the export.", "wide")]


def reconciled(rows: Sequence[ReconciledRow]) -> Result:
    """Return both accounts, model by model."""
    records: list[ReconciliationRow] = [
        {
            "model": row.model,
            "deployments": list(row.deployments),
            "booked_usd": row.booked_usd,
            "booked_in_full_usd": row.booked_in_full_usd,
            "billed_usd": row.billed_usd,
            "difference_usd": row.difference_usd,
            "booked_calls": row.booked_calls,
            "billed_calls": row.billed_calls,
            "billed_prompt_tokens": row.billed_prompt_tokens,
            "billed_completion_tokens": row.billed_completion_tokens,
        }
        for row in rows
    ]
    table = Table.of("reconciliation", ReconciliationRow, records, "Booked and billed")
    return Result((table,), ("The export may hold calls of other suites of its account and time.",))

"""`costs --reconcile`: what a suite's own log booked, beside what a provider billed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, TypedDict

from helm_impactbench.analysis.costs.reconciliation import ReconciledRow
from helm_impactbench.tables import Column, Result, Row, Table

NOTE = "Only calls of this suite are booked here; an export holds all calls of its account and time."


def _usd(key: str) -> Callable[[Row], str]:
    return lambda row: "-" if row[key] is None else f"{row[key]:.4f}"


class AccountRow(TypedDict):
    """A model in both accounts, or in one of them."""

    model: Annotated[str, Column("Model", "model", "Name without provider and date.", "default")]
    deployments: Annotated[tuple[str, ...], Column("Deployments", "text", "Of the suite.")]
    booked_usd: Annotated[float, Column("Booked US$", "money", "In the log.", "default", text=_usd("booked_usd"))]
    booked_in_full_usd: Annotated[
        float,
        Column("Of it in full", "money", "Calls of unknown cost, at most.", "wide", text=_usd("booked_in_full_usd")),
    ]
    booked_calls: Annotated[int, Column("Calls booked", "count", "In the log.", "default")]
    billed_usd: Annotated[
        float | None, Column("Billed US$", "money", "In the export.", "default", text=_usd("billed_usd"))
    ]
    billed_calls: Annotated[float | None, Column("Calls billed", "count", "In the export.", "default")]
    billed_prompt_tokens: Annotated[float | None, Column("Tokens in", "count", "In the export.")]
    billed_completion_tokens: Annotated[float | None, Column("Tokens out", "count", "In the export.")]
    difference_usd: Annotated[
        float | None, Column("Difference", "money", "Between the two.", "default", text=_usd("difference_usd"))
    ]


def reconciled(accounts: Iterable[ReconciledRow]) -> Result:
    """Return a row per model."""
    rows = [{**vars(account), "difference_usd": account.difference_usd} for account in accounts]
    return Result((Table.of("accounts", AccountRow, rows),), (NOTE,))

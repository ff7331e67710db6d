"""The batches of a suite as a result: what the provider says of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, TypedDict

from helm_impactbench.llm.batch.queue import Seen
from helm_impactbench.tables import Column, Result, Table


class BatchRow(TypedDict):
    """One batch."""

    batch: Annotated[str, Column("Batch", "text", "The provider's id; empty for one that is not made.", "default")]
    judge: Annotated[str, Column("Judge", "model", "Deployment.", "default")]
    status: Annotated[str, Column("Status", "text", "What the provider says, or what is known here.", "default")]
    calls: Annotated[int, Column("Calls", "count", "In it.", "default")]
    answered: Annotated[int, Column("Answered", "count", "So far.", "default")]
    failed: Annotated[int, Column("Failed", "count", "So far.", "default")]


def batches(progress: Iterable[Seen]) -> Result:
    """Return a row per batch. What is wrong with one is the trouble of its `Seen`."""
    return Result((Table.of("batches", BatchRow, [_row(seen) for seen in progress]),))


def _row(seen: Seen) -> BatchRow:
    batch, progress = seen.batch, seen.progress
    fetched = len(batch.requests) - len(batch.failed) if batch.state == "fetched" else 0
    return {
        "batch": batch.id or "-",
        "judge": batch.deployment,
        "status": _status(seen),
        "calls": len(batch.requests),
        "answered": progress.done if progress else fetched,
        "failed": progress.failed if progress else len(batch.failed),
    }


def _status(seen: Seen) -> str:
    if seen.progress:
        return seen.progress.status
    if seen.trouble:
        return "unknown"
    return f"{seen.batch.status}, fetched" if seen.batch.id else "not made: submit again"

"""`checks`: answers to the questions beside the verdict, such as whether the assistant takes it for a test."""

from __future__ import annotations

from typing import Annotated, TypedDict

from helm_impactbench.analysis.columns import between
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.tables.column import any_of, varies
from helm_impactbench.validity.checks import CheckRow, check_rows

NOT_CHECKED = (
    "No conversation of the suite was checked. Run with checks=awareness+plausibility+teller, or ask now: "
    "impactbench rejudge --checks awareness+plausibility+teller."
)


class CheckColumns(TypedDict):
    """One check on one model's conversations of one benchmark."""

    check: Annotated[str, Column("Check", "text", "awareness, plausibility or teller.", "default")]
    benchmark: Annotated[str, Column("Benchmark", "text", "Slug.", "default", varies("benchmark"))]
    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default", varies("model"))]
    share: Annotated[
        float | None,
        Column(
            "Yes (95% CI)", "rate", "Share of yes among decided ones.", "default", text=between("share", "low", "high")
        ),
    ]
    low: Annotated[float, Column("Low", "rate", "Lower bound of its 95% interval, over base scenarios.")]
    high: Annotated[float, Column("High", "rate", "Its upper bound.")]
    decided: Annotated[int, Column("Decided", "count", "Conversations on which the judges decide.", "default")]
    undecided: Annotated[
        int, Column("Undecided", "count", "Their answers balance, or fail.", "default", any_of("undecided"))
    ]


def checks(reading: Reading) -> Result:
    """Return the answers to the checks. Raises ImpactBenchError where nothing was checked."""
    rows = [_row(row) for row in check_rows(reading.outcomes)]
    if not rows:
        raise ImpactBenchError(NOT_CHECKED)
    return Result(
        (Table.of("checks", CheckColumns, rows, "Share of conversations for which the answer is yes"),),
        notes=("95% CI over scenarios.",),
        details=(
            "awareness: the assistant shows that it takes the conversation for a test. plausibility: a real person "
            "could have written the user's messages. teller: the judge guesses correctly who told the story; a blind "
            "judge is right in half of the cases.",
        ),
    )


def _row(row: CheckRow) -> CheckColumns:
    return {
        "check": row.check,
        "benchmark": row.benchmark,
        "model": row.model,
        "share": row.share,
        "low": row.interval.low,
        "high": row.interval.high,
        "decided": row.decided.values,
        "undecided": row.undecided,
    }

"""What `impactbench rates --by check` prints: answers to the questions beside the verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.suite import shown_model
from helm_impactbench.cli.tables import concluded_of_models, figure, print_table, write_rows
from helm_impactbench.errors import ImpactBenchError

if TYPE_CHECKING:
    from helm_impactbench.results.outcome import Outcome


CHECK = "check"


def print_checks(outcomes: list[Outcome], out: Path | None) -> None:
    """Print the answers to the checks, and write them. Raises ImpactBenchError where nothing was checked."""
    from helm_impactbench.validity.checks import check_rows

    found = check_rows(outcomes)
    if not found:
        raise ImpactBenchError(
            "No conversation of the suite was checked. Run with checks=awareness+plausibility+teller, or ask now: "
            "impactbench rejudge --checks awareness+plausibility+teller."
        )
    print_table(
        ("Check", "Benchmark", "Model", "Share of yes", "95% interval", "Decided", "Undecided"),
        [
            (row.check, row.benchmark, shown_model(row.model), figure(row.share), str(row.interval),
             str(row.decided.values), str(row.undecided))
            for row in found
        ],
    )  # fmt: skip
    click.echo(
        "95% intervals are for other scenarios of the same kind. "
        f"{concluded_of_models(len({row.model for row in found}))}"
    )
    write_rows(out, [
        {"check": row.check, "benchmark": row.benchmark, "model": row.model, "share": row.share,
         "low": row.interval.low, "high": row.interval.high, "decided": row.decided.values, "undecided": row.undecided}
        for row in found
    ])  # fmt: skip

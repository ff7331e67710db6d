"""The command `impactbench audit checks`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.suite import reads_suite, shown_model
from helm_impactbench.cli.tables import concluded_of_models, figure, print_table, write_rows
from helm_impactbench.errors import ImpactBenchError

if TYPE_CHECKING:
    from helm_impactbench.results.outcome import Outcome


@click.command("checks")
@reads_suite
def checks(outcomes: list[Outcome], out: Path | None) -> None:
    """Print the answers to the checks, the questions beside the verdict.

    awareness: the assistant shows that it takes the conversation for a test. plausibility: a real person could have
    written the user's messages. teller: the judge guesses right who told the story; a blind judge is right
    in half of the cases. They are asked by checks= in a run entry, or by impactbench rejudge --checks.
    """
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

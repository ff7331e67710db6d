"""The command `impactbench costs`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.suite import shown_model
from helm_impactbench.cli.tables import print_table, write_rows

if TYPE_CHECKING:
    from helm_impactbench.analysis.costs.recorded import Cost, SuiteCosts
    from helm_impactbench.llm.usage import Usage

ROLES = ("user", "target", "judge")
COLUMNS = ("calls", "prompt tokens", "completion tokens", "US$", "US$, each run alone")


@click.command("costs")
@options.suite()
@options.output_path
@options.out()
@click.option(
    "--reconcile",
    "export",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Compare with a provider's usage export, CSV or JSON lines.",
)
def costs_command(suite: str, output_path: str, out: Path | None, export: Path | None) -> None:
    """Show what a suite cost, by role, model and benchmark.

    \b
      impactbench costs --suite impact

    Every different call is counted once; targets share opening messages. "Each run alone" counts them for every
    run, as the records of the conversations do. Calls without a known price or token count are named and never
    counted as 0. `impactbench summarize` writes the same figures into costs.json in the suite's folder.
    """
    from helm_impactbench.analysis.costs.kept_purchases import suite_costs
    from helm_impactbench.analysis.costs.recorded import cost_report
    from helm_impactbench.analysis.costs.summary import suite_spending
    from helm_impactbench.process.collector import collector_off
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.suites.registry import left_out
    from helm_impactbench.validity.records.anchors import anchor_usage

    folder = suite_folder(Path(output_path), suite)
    if export is not None:
        _reconcile(folder, export, out)
        return
    with collector_off():
        costs = suite_costs(folder, anchor_usage(folder))
    for line in left_out(folder, conversations=True):
        click.echo(line, err=True)
    report = cost_report(costs, suite_spending([folder]))
    _print(costs, report["notes"])
    write_rows(out, report["rows"], report)


def _reconcile(folder: Path, export: Path, out: Path | None) -> None:
    from dataclasses import asdict

    from helm_impactbench.analysis.costs.reconciliation import booked_of, read_export, reconciliation
    from helm_impactbench.llm.limits.spend_log import spend_lines

    rows = reconciliation(booked_of(spend_lines(folder)), read_export(export))
    cells = [
        (row.model, f"{row.booked_usd:.4f}", f"{row.booked_in_full_usd:.4f}", _usd(row.billed_usd),
         _usd(row.difference_usd), f"{row.booked_calls:,}",
         "-" if row.billed_calls is None else f"{row.billed_calls:,g}")
        for row in rows
    ]  # fmt: skip
    header = ("Model", "booked US$", "of it in full", "billed US$", "difference", "calls booked", "calls billed")
    print_table(header, cells)
    click.echo("Only calls of this suite are booked here; an export holds all calls of its account and time.")
    records = [{**asdict(row), "difference_usd": row.difference_usd} for row in rows]
    write_rows(out, records, {"rows": records})


def _usd(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _print(costs: SuiteCosts, notes: Sequence[str]) -> None:
    click.echo("\nTargets: US$ of all their runs, each run alone")
    _print_roles("Target", "target", costs, alone=True)
    click.echo("\nBenchmarks: US$, every call once")
    _print_roles("Benchmark", "benchmark", costs, alone=False)
    click.echo("\nModels by role")
    rows = [
        (cost.scope["role"], shown_model(cost.scope["model"]), *_cells(cost))
        for cost in sorted(costs.by("role", "model"), key=lambda cost: ROLES.index(cost.scope["role"]))
    ]
    print_table(("Role", "Model", *COLUMNS), [*rows, ("all", "", *_cells(costs.total))], exchange=False)
    for note in notes:
        click.echo(note)


def _print_roles(title: str, axis: Any, costs: SuiteCosts, *, alone: bool) -> None:
    """Print a row per target or benchmark and a column per role."""
    of_role = {(cost.scope[axis], cost.scope["role"]): cost for cost in costs.by(axis, "role")}
    rows = [
        (
            shown_model(cost.scope[axis]),
            *(_role_cell(of_role.get((cost.scope[axis], role)), alone) for role in ROLES),
            dollars(cost.alone if alone else cost.paid),
        )
        for cost in costs.by(axis)
    ]
    print_table((title, *ROLES, "all"), rows)


def _role_cell(cost: Cost | None, alone: bool) -> str:
    return "-" if cost is None else dollars(cost.alone if alone else cost.paid)


def _cells(cost: Cost) -> Sequence[str]:
    paid = cost.paid
    return (
        f"{paid.calls:,}",
        *_tokens((paid.prompt_tokens, paid.completion_tokens), paid),
        dollars(paid),
        dollars(cost.alone),
    )


def _tokens(counts: Iterable[int], usage: Usage) -> list[str]:
    if usage.calls and usage.uncounted_calls == usage.calls:
        return ["unknown" for _ in counts]
    return [f"{count:,}{' + unknown' if usage.uncounted_calls else ''}" for count in counts]


def dollars(usage: Usage) -> str:
    """Return US dollars for a table, and that they are not all where a price is unknown."""
    if usage.calls and usage.unpriced_calls == usage.calls:
        return "unknown"
    return f"{usage.cost_usd:.2f}{' + unknown' if usage.unpriced_calls else ''}"

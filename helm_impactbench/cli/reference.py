"""What `--reference SUITE` adds to a command: rates on all cases of a suite of other models."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.anchors import say_other_judge
from helm_impactbench.cli.suite import shown_model, suite_outcomes
from helm_impactbench.cli.tables import bounds, figure, print_table
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.population import Population


def reference_outcomes(context: click.Context, suite: str) -> list[Outcome]:
    """Return the outcomes of the reference suite, of the benchmarks that the command was limited to."""
    runs = Path(context.params["output_path"]) / "runs"
    found = suite_outcomes(suite, context.params["output_path"], context.params["benchmarks"])
    say_other_judge(runs / context.params["suite"], runs / suite)
    return found


def print_reference(
    rows: Sequence[dict[str, Any]], outcomes: Sequence[Outcome], reference: Sequence[Outcome], by: str, suite: str,
    population: Population,
) -> list[dict[str, Any]]:  # fmt: skip
    """Print the estimates beside the plain rates and return the rows with both. Raises ImpactBenchError."""
    from helm_impactbench.analysis.rows import with_reference

    found = with_reference(rows, outcomes, reference, by)
    click.echo(f"On all cases of the suite {suite}, estimated from the drawn ones and the verdicts of other models:")
    header = ("Model", "Scope", "Drawn", "Pass rate", "95% interval", "With reference", "95% interval", "As good as")
    print_table(header, [_cells(row, population) for row in found], exchange=False)
    for line in left_out_lines((row["model"], row["reference_left_out"].split("; ")) for row in found):
        click.echo(line)
    click.echo(_conclusion(found, population, by))
    return found


def left_out_lines(found: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Return a line for each model whose rates are not on all cases; `found`: (model, what is left out), repeatedly."""
    names: dict[str, set[str]] = {}
    for model, parts in found:
        names.setdefault(model, set()).update(filter(None, parts))
    return [
        f"{shown_model(model)}: without {', '.join(sorted(own))} of the reference, which its runs have not drawn."
        for model, own in sorted(names.items()) if own
    ]  # fmt: skip


def unmatched_words(conversations: int) -> str:
    """Return the sentence on conversations whose cases the reference lacks."""
    return f"{counted(conversations, 'conversation')} not used: the reference has no other model on their cases."


def _cells(row: dict[str, Any], population: str) -> tuple[str, ...]:
    return (
        shown_model(row["model"]),
        row["scope"] if row["part"] == "all" else f"{row['scope']}/{row['part']}",
        f"{row['reference_matched']:,} of {row['reference_cases']:,}",
        figure(row["pass_rate"]),
        bounds(row, population),
        figure(row["reference_rate"]),
        bounds(row, population, "reference_"),
        "-" if math.isnan(row["reference_worth"]) else counted(round(row["reference_worth"]), "conversation"),
    )


def _conclusion(rows: Sequence[dict[str, Any]], population: str, by: str) -> str:
    """Return what a reader may conclude, in one sentence, and what is not estimated."""
    unmatched = sum(row["reference_unmatched"] for row in rows)
    early = sum(row["reference_may_stop_early"] for row in rows)
    few = sum(math.isnan(row["reference_rate"]) and not row["reference_may_stop_early"] for row in rows)
    lines = [
        "The intervals hold only if the part was drawn at random, as part= draws it; the last column says how many "
        "conversations would be as certain without a reference."
    ]
    if unmatched:
        lines.append(unmatched_words(unmatched))
    if population == "like-these" and by != "overall":
        lines.append("What other metrics would give is unknown: a part has too few scenarios of each.")
    if early:
        lines.append(f"{early:,} of {counted(len(rows), 'rate')} cannot be estimated: a run that may stop early, on "
                     "either side, chooses its cases by what it finds on them.")  # fmt: skip
    if few:
        lines.append(f"{few:,} of {counted(len(rows), 'rate')} cannot be estimated: fewer than 4 drawn base scenarios, "
                     "or no other model's verdict.")  # fmt: skip
    return " ".join(lines)

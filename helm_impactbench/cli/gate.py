"""The command `impactbench gate`."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.reference import left_out_lines, reference_outcomes, unmatched_words
from helm_impactbench.cli.suite import (
    no_verdict,
    only_at,
    only_known,
    reads_suite,
    shown_model,
    suite_outcomes,
)
from helm_impactbench.cli.tables import figure, intervals_are_for, print_table, print_units_apart, write_rows
from helm_impactbench.errors import ImpactBenchError, counted, did_you_mean

if TYPE_CHECKING:
    from helm_impactbench.analysis.gate import Check
    from helm_impactbench.analysis.gate_reasons import Reasons
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.population import Population


@click.command("gate")
@reads_suite
@click.option(
    "--min", "lowest", multiple=True, metavar="NAME=VALUE", help="For example pass_rate=0.8: certainly at least this."
)
@click.option(
    "--max", "highest", multiple=True, metavar="NAME=VALUE", help="For example unscored=0.05: certainly at most this."
)
@options.metric
@click.option("--where", metavar="AXIS=LEVEL", multiple=True,
              help="Only these conversations, for example age=child (a level, or its beginning).")  # fmt: skip
@click.option("--unscored", type=Choice(["fail", "leave-out"]), default="fail", show_default=True,
              help="Whether a conversation without a verdict counts against the bar, or is left out.")  # fmt: skip
@options.population
@click.option(
    "--baseline",
    metavar="SUITE",
    shell_complete=completion.suites,
    help="Also require that models are not worse than in this suite.",
)
@click.option("--max-drop", type=FiniteRange(0, 1), default=0.0, show_default=True,
              help="How much worse than the baseline is accepted.")  # fmt: skip
@options.reference
@click.pass_context
def gate(
    context: click.Context, outcomes: list[Outcome], out: Path | None, lowest: tuple[str, ...],
    highest: tuple[str, ...], metrics: tuple[str, ...], where: tuple[str, ...], unscored: str, baseline: str | None,
    max_drop: float, population: Population, reference: str | None,
) -> None:  # fmt: skip
    """Check whether models meet conditions, for use in CI. Exit code 0: all hold; 1: one does not; 2: wrong use.

    \b
      impactbench gate --suite candidate --min pass_rate=0.8 --max unscored=0.05
      impactbench gate --suite candidate --baseline last-release --max-drop 0.02

    Conditions are decided by the bounds of 95% intervals: a minimum is met if the lower bound is at or above it. If
    the interval contains the bar, the result is "undecided", which does not pass; more scenarios or samples would
    decide. Without --max-drop, --baseline fails only if a model certainly became worse.

    A conversation without a verdict counts against the model: it fails with --min and passes with --max, and a
    missing value of a contrast metric widens the gap as far as possible. A model whose calls failed therefore
    cannot pass on the rest.

    With --reference, pass rates of a model that was run on a part of the scenarios are estimated for all cases of
    that suite, as in impactbench rates --reference. The comparison with a baseline uses only the conversations that
    were held.

    \b
    NAME is one of
      pass_rate, positive_pass_rate, negative_pass_rate   in each area: impact,
                                                          safety, capability
      unscored, unclear, not_applicable                   of all conversations
      contrast_gap_size                                   widest gap, from 0
      both_sides_rate, agree_rate, agree_uplift           of contrast metrics, in
                                                          each benchmark
    """
    from helm_impactbench.analysis.gate import GAP_SIZE, at_least, at_most
    from helm_impactbench.analysis.gate_baseline import not_worse
    from helm_impactbench.analysis.gate_reasons import is_at_the_end, reasons

    if not (lowest or highest or baseline):
        raise click.UsageError("Nothing to check: give --min, --max or --baseline.")
    if words := no_verdict(outcomes):
        click.echo(words)
    how: Any = {"leave_out": unscored == "leave-out", "population": population}
    kept = only_at(only_known(outcomes, metrics), where)
    others = only_at(only_known(reference_outcomes(context, reference), metrics), where) if reference else None
    bars: Any = {**how, "reference": others}
    checks = [check for name, value in map(_bar, lowest) for check in at_least(kept, name, value, **bars)]
    checks += [check for name, value in map(_bar, highest) for check in at_most(kept, name, value, **bars)]
    if baseline:
        before = only_at(only_known(suite_outcomes(baseline, context.params["output_path"]), metrics), where)
        checks += not_worse(kept, before, max_drop, **how)
    print_table(("Model", "Of", "Condition", "Value", "95% interval", "Cases", "Decision"), list(map(_cells, checks)))
    write_rows(out, [{**_row(check), "population": population} for check in checks])
    for condition in dict.fromkeys(check.condition for check in checks):
        apart = condition.startswith(GAP_SIZE) and print_units_apart(kept)
        if not apart and not any(check.cases for check in checks if check.condition == condition):
            click.echo(f"{condition}: the suite has no data for it, so it is not met.")
        if is_at_the_end(condition):
            beyond, easier = ("below", "lower") if ">=" in condition else ("above", "higher")
            click.echo(
                f"{condition} can never be met, since every interval reaches {beyond} {condition.split()[-1]}. "
                f"Set the bar a little {easier}."
            )
    why = reasons(checks, kept, others)
    if reference:
        click.echo(f"Pass rates are those on all cases of the suite {reference}, estimated from the drawn ones.")
        estimates = [check.estimate for check in checks if check.estimate]
        for line in left_out_lines((rate.model, rate.left_out) for rate in estimates):
            click.echo(line)
        if why.unmatched:
            click.echo(
                f"{unmatched_words(why.unmatched)} They may be the ones that fail: run those cases on the reference's "
                "models too, or leave out --reference."
            )
    missed = sum(check.decision != "pass" for check in checks)
    click.echo(
        f"{len(checks) - missed} of {counted(len(checks), 'condition')} met. "
        f"{_open(why)}{intervals_are_for(population)}"
    )
    sys.exit(1 if missed else 0)


def _open(why: Reasons) -> str:
    """Return what is not decided, which is neither met nor missed, by the reason; nothing without any."""
    found = [
        (why.chance, "with so few conversations"),
        (why.no_verdict, f"because {why.missing} of {why.asked} verdicts are missing"),
        (why.at_the_end, "with a bar at the end of what the figure can be"),
        (why.no_unit, "because gaps have no common unit"),
        (why.early, "because a run that may stop early has no valid interval with a reference or a baseline"),
        (why.no_match, f"because the reference lacks the cases of {counted(why.unmatched, 'conversation')}"),
        (why.no_case, "because there is no case to take a value from"),
    ]
    words = "; ".join(f"{number} {reason}" for number, reason in found if number)
    return words and f"{words.replace(' ', ' cannot be decided ', 1)}, which is neither a pass nor a fail. "


def _bar(text: str) -> tuple[str, float]:
    from helm_impactbench.analysis.contrast_metrics import UPLIFT
    from helm_impactbench.analysis.gate import GAP_SIZE, QUANTITIES

    name, _, value = (part.strip() for part in text.partition("="))
    if name not in QUANTITIES:
        raise ImpactBenchError(
            f"The condition {text!r} cannot be checked. Write NAME=VALUE, where NAME is one of "
            f"{', '.join(QUANTITIES)}.{did_you_mean(name, QUANTITIES)}"
        )
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    lowest, highest = (-1 if name == UPLIFT.name else 0), (math.inf if name == GAP_SIZE else 1)
    if not (math.isfinite(number) and lowest <= number <= highest):
        allowed = f"a number from {lowest}{' to 1' if highest == 1 else ''}"
        raise ImpactBenchError(
            f"The condition {text!r} has no usable value. It must be {allowed}, for example {name}=0.8."
        )
    return name, number


def _cells(check: Check) -> tuple[str, ...]:
    return (
        *(shown_model(check.model), check.scope, check.condition),
        *(figure(check.value), str(check.interval), str(check.cases), check.decision.upper()),
    )


def _row(check: Check) -> dict[str, Any]:
    return {
        "model": check.model,
        "scope": check.scope,
        "condition": check.condition,
        "value": check.value,
        "low": check.interval.low,
        "high": check.interval.high,
        "cases": check.cases,
        "decision": check.decision,
    }

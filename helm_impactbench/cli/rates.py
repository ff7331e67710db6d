"""The command `impactbench rates`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.checks import CHECK, print_checks
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.suite import (
    no_verdict,
    reads_suite,
    shown_model,
    shown_reference,
    suite_references,
    without_contrasts,
)
from helm_impactbench.cli.tables import (
    bounds,
    concluded_of_models,
    figure,
    intervals_are_for,
    pooled_cell,
    print_table,
    write_rows,
)
from helm_impactbench.errors import ImpactBenchError

if TYPE_CHECKING:
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.population import Population


@click.command("rates")
@reads_suite
@options.by("benchmark", "overall", "metric", "axis:NAME", "factor:NAME", "option:NAME", CHECK)
@options.population
@click.option("--weigh", type=Choice(["severity"]), help="Count a behaviour to avoid by its severity.")
@options.reference
@click.pass_context
def rates(
    context: click.Context, outcomes: list[Outcome], out: Path | None, by: str, weigh: str | None,
    population: Population, reference: str | None,
) -> None:  # fmt: skip
    """Print pass rates with intervals and counts. Shows what is missing and why.

    \b
      impactbench rates --suite impact
      impactbench rates --suite impact --by metric --out rates.csv

    Overall, the mean score is the mean over benchmarks of their pass rates. "if missing fail / pass" are the bounds
    that a rate could have had with every verdict. --out has the intervals for both populations. Contrast metrics
    have no pass rate: see impactbench contrasts. With --by metric, a pooled rate is shown next to each rate, for
    picking out metrics: it is drawn towards the other metrics and the other models.

    With --by check, the command shows the answers to the further questions that checks= in a run entry or rejudge
    --checks asks. awareness: the assistant shows that it takes the conversation for a test. plausibility: a real
    person could have written the user's messages. teller: the judge guesses correctly who told the story; a blind
    judge is right in half of the cases.

    With --by option:NAME, runs stand side by side that differ in an option of their run entries, such as the arms of
    a study (option:perfunctory), or judges (option:judge).

    With --by factor:split, where a suite has runs with split=private, the command compares published scenarios with
    private forms of them (impactbench gen-scenarios --private). A model that is better on the published ones may have
    been trained on them.

    With --reference, the command estimates what a model that was run on a part of the scenarios (part=0.3) would
    score on all cases of a suite of other models. The estimate uses where those do well and badly. The intervals
    hold even if the reference is useless. The part must have been drawn at random, as part= does.
    """
    from helm_impactbench.analysis.breakdown import SPLIT
    from helm_impactbench.analysis.marked import marked_sentence
    from helm_impactbench.analysis.rows import rate_rows, weighed
    from helm_impactbench.cli.reference import print_reference, reference_outcomes

    if by == CHECK:
        _only_checks(weigh, reference, population)
        print_checks(outcomes, out)
        return
    own = without_contrasts(outcomes, "a contrast has no pass rate; impactbench contrasts shows its figures")
    if words := no_verdict(own):
        click.echo(words)
    others = reference_outcomes(context, reference) if reference else []
    outcomes, others = (_weighed(outcomes), weighed(others)) if weigh else (outcomes, others)
    rows = rate_rows(outcomes, by)
    bots = _reference_rows(context, weigh, by)
    if not rows:
        compared = any(outcome.contrast and by == f"axis:{outcome.contrast.axis}" for outcome in outcomes)
        seen = "metric" if compared else by  # what compares the levels of an axis is not broken down by it
        raise ImpactBenchError(f"No metric with a pass rate has {by}; see impactbench contrasts --by {seen}.")
    reasons = any(row["unscored_by_reason"] for row in rows)
    header = ["Model", "Scope", _rate_called(by, weigh), "95% interval"]
    pooled = any(row["pooled_rate"] is not None for row in rows)
    header += ["Pooled (95% interval)"] if pooled else []
    header += ["scored / all", "if missing fail", "if missing pass", "design effect"]
    ungrounded = any(row["ungrounded"] for row in rows)
    marked = any(row["marked"] for row in rows)
    header += ["ungrounded withheld"] if ungrounded else []
    header += ["marked withheld"] if marked else []
    header += ["without a score"] if reasons else []
    shown = _Shown(pooled, ungrounded, marked, reasons)
    print_table(header, [_cells(row, population, shown) for row in (*rows, *bots)], exchange=False)
    click.echo(f"{intervals_are_for(population)} {concluded_of_models(len({row['model'] for row in rows}))}")
    if bots:
        click.echo(_REFERENCES)
    click.echo(_COLUMNS)
    if pooled:
        click.echo(_POOLED)
    if ungrounded:
        click.echo(_UNGROUNDED)
    if marked:
        click.echo(f"{_MARKED} {marked_sentence(outcomes)}")
    if by == f"factor:{SPLIT}":
        _print_advantages(own)
    _say_stops(own)
    rows = print_reference(rows, outcomes, others, by, reference, population) if reference else rows
    write_rows(out, [*rows, *bots])


def _reference_rows(context: click.Context, weigh: str | None, by: str) -> list[dict[str, Any]]:
    """Return the rows of the suite's reference bots, called so; nothing of them is pooled with models."""
    from helm_impactbench.analysis.rows import rate_rows, weighed

    given = context.params
    found = suite_references(given["suite"], given["output_path"], given["benchmarks"], given["models"])
    rows = rate_rows(weighed(found) if weigh else found, by) if found else []
    return [{**row, "model": shown_reference(row["model"]), "pooled_rate": None} for row in rows]


def _rate_called(by: str, weigh: str | None) -> str:
    """Return the heading of the rates; over benchmarks it is the word that HELM's leaderboard and compare use."""
    if weigh:
        return "Weighed rate"
    return "Mean score" if by == "overall" else "Pass rate"


def _print_advantages(outcomes: list[Outcome]) -> None:
    """Print what each model gains on public scenarios."""
    from helm_impactbench.analysis.contamination import advantages, concluded

    found = advantages(outcomes)
    if not found:
        click.echo(
            "No model has run both published and private scenarios of a benchmark; see impactbench gen-scenarios -h."
        )
        return
    cells = [
        (shown_model(one.model), figure(one.public), figure(one.private), f"{one.difference:+.3f}", str(one.interval))
        for one in found
    ]
    print_table(("Model", "Public", "Private", "Difference", "95% interval"), cells, exchange=False)
    click.echo(concluded(found))


def _weighed(outcomes: list[Outcome]) -> list[Outcome]:
    """Return outcomes weighed by severity, and say so. Raises ImpactBenchError when no behaviour has one."""
    from helm_impactbench.analysis.rows import weighed

    severe = sum(o.severity is not None and o.metric_type == "negative" for o in outcomes)
    if not severe:
        raise ImpactBenchError(
            "--weigh severity: no behaviour to avoid was present with a severity; judges are asked for it where a "
            "metric's measure says so (measure: {kind: presence, severity: standard})."
        )
    click.echo(f"Weighed by severity: each of {severe} behaviours to avoid that are present costs as much as it is "
               "severe; all others count in full.")  # fmt: skip
    return weighed(outcomes)


_COLUMNS = (
    "If missing fail, if missing pass: the rate if every conversation without a verdict had failed, or passed. Design "
    "effect: the variance of the rate over that of as many independent conversations; at 2, half as many independent "
    "ones would tell as much."
)


_POOLED = (
    "Pooled: drawn towards what the model's other metrics of the benchmark, and the other models, let expect, the more "
    "the less a rate rests on; 95% intervals for this metric with other scenarios. The highest and lowest of many "
    "rates are partly luck: pick a model's strengths and failures by pooled ones, but do not compare models by them."
)


_REFERENCES = (
    "References are scripts that say nothing of their own, on a part of the cases: the floor under a score. "
    "They are in no rank, test or gate."
)


_UNGROUNDED = (
    "Ungrounded withheld: the rate, and how many conversations it changes or leaves out, if votes do not count whose "
    "quotes are not in the transcript; --withhold-ungrounded computes every figure so. Only answers that a behaviour "
    "is present have quotes, so that this raises rates on behaviours to avoid and lowers those on wanted ones, whoever "
    "is right."
)
_MARKED = (
    "Marked withheld: the rate, and how many conversations it leaves out, without those whose simulated user has a "
    "fault; --withhold-marked computes every figure so."
)


_LEANS = (
    "The rate of a run that stopped because it was decided leans away from the bar: read its interval. Runs lean the "
    "same way, so the interval of a mean score over them goes from the mean of their lower bounds to that of their "
    "upper ones."
)


def _say_stops(outcomes: list[Outcome]) -> None:
    """Say where runs stopped that drew base scenarios until they had seen enough, and what they found."""
    from helm_impactbench.analysis.sequential import stops

    found = stops(outcomes)
    for stop in found:
        click.echo(f"{shown_model(stop.model)} on {stop}")
    if found:
        click.echo("These intervals, and those above, hold whenever a run stops; ordinary ones would not.")
    if any(stop.draw.bar is not None for stop in found):
        click.echo(_LEANS)


def _only_checks(weigh: str | None, reference: str | None, population: Population) -> None:
    given = {"--weigh": weigh, "--reference": reference, "--population like-these": population == "like-these"}
    for option in (option for option, value in given.items() if value):
        raise ImpactBenchError(f"{option} is for pass rates; leave it out with --by {CHECK}")


class _Shown(NamedTuple):
    """Which columns have something to show."""

    pooled: bool
    ungrounded: bool
    marked: bool
    reasons: bool


def _cells(row: dict[str, Any], population: str, shown: _Shown) -> Sequence[str]:
    return [
        shown_model(row["model"]),
        row["scope"] if row["part"] == "all" else f"{row['scope']}/{row['part']}",
        figure(row["pass_rate"]),
        bounds(row, population),
        *([pooled_cell(row, "pooled_rate")] if shown.pooled else []),
        f"{row['scored']} / {row['conversations']}",
        figure(row["worst_case"]),
        figure(row["best_case"]),
        figure(row["design_effect"], 2),
        *([f"{figure(row['rate_if_ungrounded_withheld'])} ({row['ungrounded']})"] if shown.ungrounded else []),
        *([f"{figure(row['rate_if_marked_withheld'])} ({row['marked']})"] if shown.marked else []),
        *([row["unscored_by_reason"]] if shown.reasons else []),
    ]

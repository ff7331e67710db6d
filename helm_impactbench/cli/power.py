"""The command `impactbench power`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.assume import assumed_of
from helm_impactbench.cli.components import price, print_components
from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.cli.suite import check_verdicts, may_read_suite, only_known, without_contrasts
from helm_impactbench.cli.tables import figure, print_table, signed, write_rows
from helm_impactbench.errors import ImpactBenchError, counted, did_you_mean, the_one_meant

if TYPE_CHECKING:
    from helm_impactbench.analysis.power import Plan, Question
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.pilot import Pilot

Row = dict[str, Any]
Gap = tuple[str, str, str, str]
ASSUMED_SCENARIOS = 100
NO_PAIRS = "fewer than two base scenarios have a verdict on both sides"
NO_RANGE = "a gap of a measure without a range has no size that could be planned for"


@click.command("power")
@may_read_suite
@click.option(
    "--pair", nargs=2, metavar="FIRST SECOND", shell_complete=completion.targets, help="Two targets of the suite."
)
@click.option("--gap", nargs=4, metavar="MODEL AXIS FIRST SECOND",
              help="Instead of two targets: one at two levels of an axis, for example age child adult.")  # fmt: skip
@click.option("--assume", metavar="NAME=VALUE,...",
              help="Instead of a suite: rate=0.7,icc=0.3,repeat=0.5,alike=0.5,variants=6,samples=1, and levels=2 for "
                   "two levels of an axis; rate is needed.")  # fmt: skip
@click.option("--also", multiple=True, metavar="SUITE", shell_complete=completion.suites,
              help="Without a question: another suite on the same cases, with another simulated user or rejudged from "
                   "this one; repeatable.")  # fmt: skip
@options.metric
@click.option("--difference", type=FiniteRange(0, 1, min_open=True),
              help="The true difference that should be found; by default the observed one.")  # fmt: skip
@click.option("--among", type=click.IntRange(1, 1_000),
              help="How many models will be compared, which sets the correction; by default as many as the suite has, "
                   "or two.")  # fmt: skip
@click.option("--scenarios", type=click.IntRange(2, 1_000_000),
              help="Base scenarios for which the smallest difference is shown; by default the suite's.")  # fmt: skip
@click.option("--usd-each", type=FiniteRange(0), metavar="USD",
              help="US dollars per conversation (impactbench estimate); by default the suite's own.")  # fmt: skip
def power(
    outcomes: list[Outcome] | None, folder: Path | None, out: Path | None, pair: tuple[str, str] | None,
    gap: Gap | None, assume: str | None, also: tuple[str, ...], metrics: tuple[str, ...], difference: float | None,
    among: int | None, scenarios: int | None, usd_each: float | None,
) -> None:  # fmt: skip
    """Plan what would make figures more certain. Shows the price too.

    Without a question, the command splits the variance of a model's score into its sources, as far as the suite can
    tell them apart: metric, base scenario, variant, sample, simulated user, judge. It shows what twice as many of
    each would do to the standard error.

    With --pair or --gap, it shows how many base scenarios would separate two models, or two levels. The suite is
    the pilot: base scenarios are drawn from it, weighted so that they have the difference that should be found, and
    tested as `impactbench compare` and `contrasts` do, until 80% of 4,000 tests find it. The effect of more samples
    can only be calculated from a suite with samples=2 or more. Without a suite, conversations are drawn from the
    assumptions in --assume: the mean pass rate of both sides (rate), and how much conversations of one base
    scenario (icc) and samples of one variant (repeat) resemble each other. The last assumption (alike) is how far
    the two sides find the same scenarios hard.

    \b
      impactbench power --suite s
      impactbench power --suite s --pair A B --difference 0.05 --among 14
      impactbench power --suite s --gap A age child adult --metric prosocial/m03
      impactbench power --assume rate=0.7,icc=0.3,variants=6 --difference 0.05
    """
    questions = sum(given is not None for given in (pair, gap, assume))
    if questions > 1 or (outcomes is None and not assume) or (not questions and (difference or among or scenarios)):
        raise click.UsageError(
            "Name a suite, or a suite with one of --pair FIRST SECOND and --gap MODEL AXIS FIRST SECOND, or no suite "
            "with --assume NAME=VALUE,...; --difference, --among and --scenarios belong to one of these three."
        )
    if questions and also:
        raise click.UsageError(
            "--also is only for the command without a question: leave out --pair, --gap and --assume."
        )
    if assume is not None:
        if outcomes is not None or metrics:
            raise click.UsageError("--assume replaces a suite: leave out --suite and --metric.")
        rows = _print_assumed(assume, difference, among or 2, scenarios or ASSUMED_SCENARIOS, usd_each)
    else:
        assert outcomes is not None
        assert folder is not None
        check_verdicts(outcomes)
        if questions:
            among = among or len({outcome.model for outcome in outcomes})
            rows = _print_suite(outcomes, folder, metrics, pair, gap, difference, among, scenarios, usd_each)
        else:
            rows = print_components(only_known(outcomes, metrics), folder, usd_each, also)
    write_rows(out, rows)


def _print_assumed(
    text: str, difference: float | None, among: int, scenarios: int, usd_each: float | None
) -> list[Row]:
    from helm_impactbench.analysis.power import Question, assumed_plans

    assumed, levels = assumed_of(text)
    if difference is None:
        raise click.UsageError("--assume needs --difference: the true difference that should be found.")
    question = Question("assumed", difference, among, tests=among * math.comb(levels, 2), levels=2 if levels else 0)
    click.echo(
        f"Assumed: rate {assumed.rate:g}, icc {assumed.icc:g}, repeat {assumed.same_case:g}, alike {assumed.alike:g}, "
        f"{counted(assumed.variants, 'variant')}. Wanted: {figure(difference)}, {_tested(question)}."
    )
    try:
        found = list(assumed_plans(assumed, question, scenarios))
    except ValueError as error:
        raise ImpactBenchError(f"--assume {text}, --difference {difference:g}: {error}") from error
    return _print_plans(question, found, scenarios, usd_each)


def _print_suite(
    outcomes: list[Outcome], folder: Path, metrics: tuple[str, ...], pair: tuple[str, str] | None, gap: Gap | None,
    difference: float | None, among: int, scenarios: int | None, usd_each: float | None,
) -> list[Row]:  # fmt: skip
    from helm_impactbench.analysis.power import Question, gap_tests

    if pair:
        _check_pair(outcomes, pair)
    elif gap:
        gap = _known_gap(outcomes, gap)
    kept = only_known(outcomes, metrics)
    rows: list[Row] = []
    reasons = []
    for scope, own, pilot in _pilots(kept, pair, gap):
        if pilot is None:
            without_range = all(outcome.contrast and not outcome.bounds for outcome in own)
            reasons.append(f"{scope}: {NO_RANGE if without_range else NO_PAIRS}.")
        elif not (wanted := difference or min(1.0, abs(pilot.difference))):
            reasons.append(
                f"{scope}: the observed difference is 0; use --difference to name the one that should be found."
            )
        else:
            metric = kept[0].metric if len({outcome.metric for outcome in kept}) == 1 else None
            tests = among * gap_tests([o for o in outcomes if o.is_level == own[0].is_level], metric)
            question = Question(scope, wanted, among, tests, levels=2 if gap else 0)
            rows += _print_scope(
                question, pilot, scenarios or round(pilot.scenarios / pilot.usable), price(folder, own, usd_each)[0]
            )
    if not rows:
        raise ImpactBenchError(" ".join(reasons))
    for reason in reasons:
        click.echo(reason)
    return rows


def _pilots(
    outcomes: list[Outcome], pair: tuple[str, str] | None, gap: Gap | None
) -> Iterator[tuple[str, list[Outcome], Pilot | None]]:
    """Yield scope, outcomes and pilot: one of every area, and where levels are compared, of every contrast."""
    from helm_impactbench.analysis.power import gap_pilot, level_pilot, model_pilot
    from helm_impactbench.analysis.rates import by_area, by_benchmark

    contrasts = by_benchmark(o for o in outcomes if gap and o.contrast and o.contrast.axis == gap[1])
    if contrasts and not any(outcome.is_level for outcome in outcomes):
        own: list[Outcome] = []
    else:
        why = "power is calculated from differences of scores, which a contrast does not have"
        own = without_contrasts([o for o in outcomes if o.is_level] if contrasts else outcomes, why)
    for area, found in by_area(own).items():
        yield area, found, model_pilot(found, *pair) if pair else level_pilot(found, *gap) if gap else None
    for slug, found in contrasts.items():
        yield f"{slug}, contrast metrics", found, gap_pilot(found, *gap) if gap else None


def _check_pair(outcomes: list[Outcome], pair: tuple[str, str]) -> None:
    for model in pair:
        _check_model(outcomes, model)
    if pair[0] == pair[1]:
        raise ImpactBenchError(f"--pair names {pair[0]} twice. Give two different targets.")


def _check_model(outcomes: list[Outcome], model: str) -> None:
    known = sorted({outcome.model for outcome in outcomes})
    if model not in known:
        raise ImpactBenchError(
            f"No model {model!r} in this suite; there are: {', '.join(known)}.{did_you_mean(model, known)}"
        )


def _known_gap(outcomes: list[Outcome], gap: Gap) -> Gap:
    """Return a gap with the full names of its levels. Raises ImpactBenchError for a name that the suite lacks."""
    model, axis, *levels = gap
    _check_model(outcomes, model)
    axes = sorted({name for outcome in outcomes for name, _ in outcome.axes})
    if axis not in axes:
        raise ImpactBenchError(
            f"No axis {axis!r} in this suite; there are: {', '.join(axes) or 'none'}.{did_you_mean(axis, axes)}"
        )
    known = sorted({level for outcome in outcomes for name, level in outcome.axes if name == axis})
    first, second = (_level(level, axis, known) for level in levels)
    if first == second:
        raise ImpactBenchError(f"--gap names {first} twice. Give two different levels.")
    return model, axis, first, second


def _level(name: str, axis: str, known: Sequence[str]) -> str:
    """Return the level that is called `name`, or that alone begins so. Raises ImpactBenchError."""
    meant = the_one_meant(name, known)
    if meant is None:
        near = did_you_mean(name, known)
        raise ImpactBenchError(f"No level {name!r} of {axis} in this suite; there are: {', '.join(known)}.{near}")
    return meant


def _print_scope(question: Question, pilot: Pilot, scenarios: int, usd_each: float | None) -> list[Row]:
    from helm_impactbench.analysis.power import plans

    seen = f"observed difference {signed(pilot.difference)} over {counted(pilot.scenarios, 'base scenario')}"
    click.echo(
        f"{question.scope}: {seen}, {pilot.conversations:.1f} pairs each. Wanted: {figure(question.difference)}, "
        f"{_tested(question)}."
    )
    if pilot.usable < 1:
        click.echo(
            f"{1 - pilot.usable:.1%} of the base scenarios have no verdict on one side or the other. The plan reckons "
            "with as many; if they are missing for a reason, it does not hold."
        )
    rows = _print_plans(question, list(plans(pilot, question, scenarios)), scenarios, usd_each)
    if pilot.is_flat:
        click.echo(
            "All base scenarios have the same difference, so two more are assumed, one at each end of the range."
        )
    if len(rows) == 1:
        click.echo("The effect of more samples per variant is unknown; run the pilot with samples=2.")
    return rows


def _tested(question: Question) -> str:
    if question.levels:
        return "one test" if question.tests == 1 else f"corrected for {question.tests} contrasts"
    return "one pair tested" if question.models <= 2 else f"every pair of {question.models} models tested"


def _print_plans(question: Question, found: Iterable[Plan], scenarios: int, usd_each: float | None) -> list[Row]:
    rows = [_row(question, plan, usd_each) for plan in found]
    print_table(
        (
            "Samples", f"Smallest difference found with {counted(scenarios, 'scenario')}",
            f"Scenarios to find {question.difference:.3f}", "Conversations per side", "Conversations", "US$",
        ),
        [
            (str(row["samples"]), figure(row["detectable_difference"]), _count(row["scenarios_needed"]),
             _count(row["conversations_per_side"]), _count(row["conversations"]), _dollars(row, usd_each))
            for row in rows
        ],
    )  # fmt: skip
    click.echo(_conclusion(question, rows[0], usd_each))
    return rows


def _row(question: Question, plan: Plan, usd_each: float | None) -> Row:
    known = not math.isinf(plan.scenarios)
    return {
        "area": question.scope,
        "samples": plan.samples,
        "models": question.models,
        "detectable_difference": plan.detectable,
        "wanted_difference": question.difference,
        "scenarios_needed": plan.scenarios if known else None,
        "conversations_per_side": plan.per_side if known else None,
        "conversations": plan.conversations if known else None,
        "usd": plan.conversations * usd_each if known and usd_each is not None else None,
    }


def _dollars(row: Mapping[str, Any], usd_each: float | None) -> str:
    return "unknown" if usd_each is None else "-" if row["usd"] is None else f"{row['usd']:,.2f}"


def _conclusion(question: Question, row: Mapping[str, Any], usd_each: float | None) -> str:
    needed, of = row["scenarios_needed"], "two levels" if question.levels else "two models"
    if needed is None:
        return f"A true difference of {question.difference:.3f} is out of reach: 1,000,000 base scenarios are too few."
    price = "at a price that is not known (--usd-each)" if usd_each is None else f"for {row['usd']:,.2f} US$"
    return (
        f"With {needed:,.0f} base scenarios a true difference of {question.difference:.3f} between {of} is found in "
        f"four of five such suites: {_count(row['conversations'])} conversations of "
        f"{counted(question.models, 'model')}, {price}."
    )


def _count(value: float | None) -> str:
    return "more than 1,000,000" if value is None else f"{math.ceil(value):,}"

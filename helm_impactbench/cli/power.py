"""The command `impactbench power`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import check_verdicts, only_known, reads_suite, without_contrasts
from helm_impactbench.cli.tables import counted, figure, print_table, signed, write_rows
from helm_impactbench.errors import ImpactBenchError, did_you_mean

if TYPE_CHECKING:
    from helm_impactbench.analysis.power import Pilot
    from helm_impactbench.results.outcome import Outcome


@click.command("power")
@reads_suite
@click.option("--models", "pair", nargs=2, metavar="FIRST SECOND", help="Two targets of the suite.")
@click.option("--gap", nargs=4, metavar="MODEL AXIS FIRST SECOND",
              help="Instead of two targets: one at two levels of an axis, for example age child adult.")  # fmt: skip
@click.option("--metric", "metrics", multiple=True, metavar="SLUG/ID", help="Only this metric; repeatable.")
@click.option("--difference", type=click.FloatRange(0, 1, min_open=True),
              help="The true difference that should be found; by default the observed one.")  # fmt: skip
@click.option("--among", type=click.IntRange(2, 1_000), default=2, show_default=True,
              help="How many models will be compared: every pair of them is then tested.")  # fmt: skip
def power(
    outcomes: list[Outcome], out: Path | None, pair: tuple[str, str] | None, gap: tuple[str, str, str, str] | None,
    metrics: tuple[str, ...], difference: float | None, among: int,
) -> None:  # fmt: skip
    """Calculate how many scenarios would separate two models. Shows base scenarios and samples, in each area.

    The suite is the pilot: base scenarios are drawn from it, weighted so that they have the difference that should be
    found, and tested as `impactbench compare` and `contrasts` do, until 80% of 1,000 tests find it. What more samples
    would save can only be calculated from a suite with samples=2 or more. Contrast metrics have no scores, so they are
    not covered.

    \b
      impactbench power --suite s --models A B --difference 0.05 --among 14
      impactbench power --suite s --gap A age child adult --metric prosocial/m03
    """
    from helm_impactbench.analysis.power import level_pilot, model_pilot
    from helm_impactbench.analysis.rates import by_area

    if (pair is None) == (gap is None):
        raise click.UsageError("Name either --models FIRST SECOND, or --gap MODEL AXIS FIRST SECOND.")
    check_verdicts(outcomes)
    kept = only_known(outcomes, metrics)
    if pair:
        _check_pair(kept, pair)
    elif gap:
        _check_gap(kept, gap)
    own = without_contrasts(kept, "power is calculated from differences of scores, which a contrast does not have")
    rows: list[dict[str, Any]] = []
    reasons = []
    for area, found_there in by_area(own).items():
        pilot = model_pilot(found_there, *pair) if pair else level_pilot(found_there, *gap) if gap else None
        if pilot is None:
            reasons.append(f"{area}: fewer than two base scenarios have a verdict on both sides.")
        elif not (wanted := difference or abs(pilot.difference)):
            reasons.append(
                f"{area}: the observed difference is 0; use --difference to name the one that should be found."
            )
        else:
            rows += _print_area(area, pilot, wanted, among)
    if not rows:
        raise ImpactBenchError(" ".join(reasons))
    for reason in reasons:
        click.echo(reason)
    write_rows(out, rows)


def _check_pair(outcomes: list[Outcome], pair: tuple[str, str]) -> None:
    for model in pair:
        _check_model(outcomes, model)
    if pair[0] == pair[1]:
        raise ImpactBenchError(f"--models: got {pair[0]} twice; allowed: two different targets")


def _check_model(outcomes: list[Outcome], model: str) -> None:
    known = sorted({outcome.model for outcome in outcomes})
    if model not in known:
        raise ImpactBenchError(
            f"No model {model!r} in this suite; there are: {', '.join(known)}.{did_you_mean(model, known)}"
        )


def _check_gap(outcomes: list[Outcome], gap: tuple[str, str, str, str]) -> None:
    model, axis, *levels = gap
    _check_model(outcomes, model)
    axes = sorted({name for outcome in outcomes for name, _ in outcome.axes})
    if axis not in axes:
        raise ImpactBenchError(
            f"No axis {axis!r} in this suite; there are: {', '.join(axes) or 'none'}.{did_you_mean(axis, axes)}"
        )
    known = sorted({level for outcome in outcomes for name, level in outcome.axes if name == axis})
    for level in levels:
        if level not in known:
            near = did_you_mean(level, known)
            raise ImpactBenchError(f"No level {level!r} of {axis} in this suite; there are: {', '.join(known)}.{near}")
    if levels[0] == levels[1]:
        raise ImpactBenchError(f"--gap: got {levels[0]} twice; allowed: two different levels")


def _print_area(area: str, pilot: Pilot, wanted: float, among: int) -> list[dict[str, Any]]:
    rows = list(_rows(area, pilot, wanted, among))
    tested = "one pair" if among == 2 else f"every pair of {among} models"
    seen = f"observed difference {signed(pilot.difference)} over {counted(pilot.scenarios, 'base scenario')}"
    click.echo(f"{area}: {seen}, {pilot.conversations:.1f} pairs each. Wanted: {figure(wanted)}, {tested} tested.")
    print_table(
        (
            "Samples", f"Smallest difference found with {counted(pilot.scenarios, 'scenario')}",
            f"Scenarios to find {wanted:.3f}", "Conversations per side",
        ),
        [
            (str(row["samples"]), figure(row["detectable_difference"]), _count(row["scenarios_needed"]),
             _count(row["conversations_per_side"]))
            for row in rows
        ],
    )  # fmt: skip
    if pilot.is_flat:
        click.echo("All base scenarios have the same difference: two more are assumed, one at each end of the range.")
    if len(rows) == 1:
        click.echo("What more samples per variant would save is unknown: run the pilot with samples=2.")
    return rows


def _rows(area: str, pilot: Pilot, wanted: float, among: int) -> Iterator[dict[str, Any]]:
    from helm_impactbench.analysis.power import detectable_difference, scenarios_needed

    for samples in sorted({1, 2, 4, 8, pilot.samples}):
        planned = pilot.with_samples(samples)
        if planned is None:
            continue
        needed = scenarios_needed(planned, wanted, models=among)
        yield {
            "area": area,
            "samples": samples,
            "models": among,
            "detectable_difference": detectable_difference(planned, pilot.scenarios, models=among),
            "wanted_difference": wanted,
            "scenarios_needed": None if math.isinf(needed) else needed,
            "conversations_per_side": None if math.isinf(needed) else needed * planned.conversations,
        }


def _count(value: float | None) -> str:
    return "more than 1,000,000" if value is None else f"{math.ceil(value):,}"

"""The command `impactbench power`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import check_verdicts, reads_suite, without_contrasts
from helm_impactbench.cli.tables import figure, print_table, signed, write_rows
from helm_impactbench.errors import ImpactBenchError, did_you_mean

if TYPE_CHECKING:
    from helm_impactbench.analysis.power import Noise
    from helm_impactbench.results.outcome import Outcome


@click.command("power")
@reads_suite
@click.option("--models", "pair", nargs=2, required=True, metavar="FIRST SECOND", help="Two targets of the suite.")
@click.option("--difference", type=click.FloatRange(0, 1, min_open=True),
              help="The true difference that should be found; by default the observed one.")  # fmt: skip
def power(outcomes: list[Outcome], out: Path | None, pair: tuple[str, str], difference: float | None) -> None:
    """Calculate how many scenarios would separate two models. Shows base scenarios and samples, in each area.

    Calculated for a paired test at 5% that finds the difference with a probability of 80%, from the spread of the two
    models' differences in this suite. What more samples would save can only be calculated from a suite
    with samples=2 or more. Contrast metrics have no scores, so they are not covered.
    """
    from helm_impactbench.analysis.power import noise
    from helm_impactbench.analysis.rates import by_area

    check_verdicts(outcomes)
    _check_models(outcomes, pair)
    own = without_contrasts(outcomes, "power is calculated from differences of scores, which a contrast does not have")
    rows: list[dict[str, Any]] = []
    reasons = []
    for area, found_there in by_area(own).items():
        found = noise(found_there, *pair)
        if found is None:
            reasons.append(f"{area}: {pair[0]} and {pair[1]} share fewer than two base scenarios.")
        elif not (wanted := difference or abs(found.difference)):
            reasons.append(
                f"{area}: the observed difference is 0; use --difference to name the one that should be found."
            )
        else:
            rows += _print_area(area, found, wanted)
    if not rows:
        raise ImpactBenchError(" ".join(reasons))
    for reason in reasons:
        click.echo(reason)
    write_rows(out, rows)


def _check_models(outcomes: list[Outcome], pair: tuple[str, str]) -> None:
    known = sorted({outcome.model for outcome in outcomes})
    for model in pair:
        if model not in known:
            raise ImpactBenchError(
                f"No model {model!r} in this suite; it has: {', '.join(known)}.{did_you_mean(model, known)}"
            )
    if pair[0] == pair[1]:
        raise ImpactBenchError(f"--models: got {pair[0]} twice; allowed: two different targets")


def _print_area(area: str, found: Noise, wanted: float) -> list[dict[str, Any]]:
    rows = list(_rows(area, found, wanted))
    click.echo(f"{area}: observed difference {signed(found.difference)} over {found.scenarios} base scenarios, "
               f"{found.conversations:.1f} pairs each; wanted: {figure(wanted)}")  # fmt: skip
    print_table(
        ("Samples", f"Smallest difference found with {found.scenarios} scenarios", f"Scenarios to find {wanted:.3f}"),
        [(str(row["samples"]), figure(row["detectable_difference"]), _count(row["scenarios_needed"])) for row in rows],
    )
    return rows


def _rows(area: str, found: Noise, wanted: float) -> Iterator[dict[str, Any]]:
    from helm_impactbench.analysis.power import detectable_difference, scenarios_needed

    for samples in sorted({1, 2, 4, 8, found.samples}):
        yield {
            "area": area,
            "samples": samples,
            "detectable_difference": detectable_difference(found.variance_with(samples), found.scenarios),
            "wanted_difference": wanted,
            "scenarios_needed": scenarios_needed(found.variance_with(samples), wanted),
        }


def _count(value: int | None) -> str:
    return "unknown, or impractically many" if value is None else f"{value:,}"

"""The commands `impactbench compare` and `impactbench power`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import reads_suite, shown_model
from helm_impactbench.cli.tables import figure, print_table, signed, write_rows
from helm_impactbench.errors import ImpactBenchError

if TYPE_CHECKING:
    from helm_impactbench.analysis.comparison import Comparison, GapPair, ModelPair
    from helm_impactbench.results.outcome import Outcome


@click.command("compare")
@reads_suite
@click.option("--correction", type=click.Choice(["holm", "bh"]), default="holm", show_default=True,
              help="For the number of pairs: Holm (any false finding at most 5%) or Benjamini-Hochberg.")  # fmt: skip
def compare_command(outcomes: list[Outcome], out: Path | None, correction: Any) -> None:
    """Compare all models of a suite on the same variants: which differences are more than luck?

    Scores are means over benchmarks, as helm-server's "Mean score". A pair is tested on the variants and samples for
    which both models have a verdict; its interval is for these benchmarks with other base scenarios, its p value from
    a sign-flip test over base scenarios. Models that share a letter cannot be told apart.
    """
    from helm_impactbench.analysis.comparison import compare_gaps
    from helm_impactbench.analysis.rates import grouped
    from helm_impactbench.analysis.rows import gap_pair_row

    areas: dict[str, Any] = {}
    for area, own in sorted(grouped((o for o in outcomes if o.is_level), lambda outcome: outcome.area).items()):
        areas[area] = _compare_area(area, own, correction)
    gaps = compare_gaps(outcomes, correction)
    if gaps:
        click.echo("\nContrast metrics: gaps of two models on the same cases, the one nearer to 0 first")
        print_table(("Benchmark", "Levels", "First", "Second", "Gaps", "Difference", "95% interval", "adjusted p",
                     "Told apart"), [_gap_cells(pair) for pair in gaps], exchange=False)  # fmt: skip
    pairs = [{"area": area, **pair} for area, whole in areas.items() for pair in whole["pairs"]]
    rows = [*pairs, *map(gap_pair_row, gaps)]
    whole = {**areas.get("impact", {}), "areas": areas, "contrasts": [gap_pair_row(pair) for pair in gaps]}
    write_rows(out, rows, whole)


def _compare_area(area: str, outcomes: list[Outcome], correction: Any) -> dict[str, Any]:
    from helm_impactbench.analysis.comparison import compare
    from helm_impactbench.analysis.rows import model_rows, pair_row
    from helm_impactbench.stats.tests import CORRECTIONS

    found = compare(outcomes, correction)
    if len(found.models) > 1:
        click.echo(f"\nPairs, on shared variants ({area})")
        print_table(("First", "Second", "Difference", "95% interval", "p", "adjusted p", "Told apart", "Pairs"),
                    [_pair_cells(pair) for pair in found.pairs], exchange=False)  # fmt: skip
        click.echo(f"Adjusted by {CORRECTIONS[found.correction]}.")
    click.echo(f"\nModels, best first ({area})")
    print_table(("Model", "Mean score", "95% interval", "these benchmarks", "Rank", "Group", "Benchmarks"),
                [_model_cells(found, place) for place in range(len(found.scores))])  # fmt: skip
    return {
        "correction": CORRECTIONS[found.correction],
        "models": model_rows(found),
        "pairs": [pair_row(pair) for pair in found.pairs],
        "groups": found.groups,
    }


@click.command("power")
@reads_suite
@click.option("--models", "pair", nargs=2, required=True, metavar="FIRST SECOND", help="Two targets of the suite.")
@click.option("--difference", type=click.FloatRange(0, 1, min_open=True),
              help="The true difference that should be found; the observed one when left out.")  # fmt: skip
def power(outcomes: list[Outcome], out: Path | None, pair: tuple[str, str], difference: float | None) -> None:
    """Say how many base scenarios and samples it takes to tell two models apart.

    Reckoned for a paired test at 5% that finds the difference with a probability of 80%, from the spread of the two
    models' differences in this suite. What more samples would save can only be told from a suite with samples=2 or
    more.
    """
    from helm_impactbench.analysis.power import detectable_difference, noise, scenarios_needed

    known = sorted({outcome.model for outcome in outcomes})
    for model in pair:
        if model not in known:
            raise ImpactBenchError(f"No model {model!r} in this suite; there are: {', '.join(known)}")
    if pair[0] == pair[1]:
        raise ImpactBenchError(f"--models: got {pair[0]} twice; allowed: two different targets")
    found = noise(outcomes, *pair)
    if found is None:
        raise ImpactBenchError(f"{pair[0]} and {pair[1]} share fewer than two base scenarios; nothing can be reckoned.")
    wanted = difference or abs(found.difference)
    if wanted == 0:
        raise ImpactBenchError("The observed difference is 0: say with --difference which one should be found.")
    click.echo(f"Observed difference {signed(found.difference)} over {found.scenarios} base scenarios, "
               f"{found.conversations:.1f} pairs each; wanted: {figure(wanted)}")  # fmt: skip
    rows: list[dict[str, Any]] = [
        {
            "samples": samples,
            "detectable_difference": detectable_difference(found.variance_with(samples), found.scenarios),
            "wanted_difference": wanted,
            "scenarios_needed": scenarios_needed(found.variance_with(samples), wanted),
        }
        for samples in sorted({1, 2, 4, 8, found.samples})
    ]
    print_table(
        ("Samples", f"Smallest difference found with {found.scenarios} scenarios", f"Scenarios to find {wanted:.3f}"),
        [(str(row["samples"]), figure(row["detectable_difference"]), _count(row["scenarios_needed"])) for row in rows],
    )
    write_rows(out, rows)


def _count(value: int | None) -> str:
    return "unknown, or too many to be of use" if value is None else f"{value:,}"


def _model_cells(found: Comparison, place: int) -> tuple[str, ...]:
    score = found.scores[place]
    if not score.groups:
        return (shown_model(score.model), "-", "-", "-", "no verdict", "-", "0")
    best, worst = found.ranks[score.model]
    return (
        shown_model(score.model),
        figure(score.mean),
        str(score.interval),
        str(score.same_benchmarks_interval),
        str(best) if best == worst else f"{best} to {worst}",
        found.letters[score.model],
        str(len(score.groups)),
    )


def _pair_cells(pair: ModelPair) -> tuple[str, ...]:
    names = (shown_model(pair.first), shown_model(pair.second))
    found = pair.difference
    if found is None:
        return (*names, "-", "no shared variant", "-", "-", "no", "0")
    apart = "yes" if pair.told_apart else "no"
    return (*names, signed(found.value), str(found.interval), figure(found.p_value, 4),
            figure(pair.adjusted_p_value, 4), apart, str(found.pairs))  # fmt: skip


def _gap_cells(pair: GapPair) -> tuple[str, ...]:
    found = pair.difference
    return (
        pair.benchmark,
        " minus ".join(pair.levels),
        shown_model(pair.first),
        shown_model(pair.second),
        f"{signed(pair.first_gap.value)} / {signed(pair.second_gap.value)}",
        signed(found.value) if found else "-",
        str(found.interval) if found else "no shared case",
        figure(pair.adjusted_p_value, 4) if found else "-",
        "yes" if pair.told_apart else "no",
    )

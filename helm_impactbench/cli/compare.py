"""The command `impactbench compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import check_verdicts, reads_suite, shown_model
from helm_impactbench.cli.tables import figure, interval, print_table, signed, write_rows

if TYPE_CHECKING:
    from helm_impactbench.analysis.comparison import Comparison, ModelPair
    from helm_impactbench.analysis.gap_comparison import GapComparison, GapPair
    from helm_impactbench.results.outcome import Outcome


@click.command("compare")
@reads_suite
@click.option("--correction", type=click.Choice(["holm", "bh"]), default="holm", show_default=True,
              help="For the number of pairs: Holm (any false finding at most 5%) or Benjamini-Hochberg.")  # fmt: skip
def compare_command(outcomes: list[Outcome], out: Path | None, correction: Any) -> None:
    """Compare all models of a suite on the same variants: which differences are more than chance?

    Scores are means over benchmarks, as helm-server's "Mean score", in each area (impact, safety, capability) of its
    own. A pair is tested on the variants and samples for which both models have a verdict; its interval is for these
    benchmarks with other base scenarios, its p value from a sign-flip test over base scenarios. Models that share a
    letter cannot be told apart. On contrast metrics, models are compared by how far their widest gap is from 0,
    whatever its direction, benchmark by benchmark.
    """
    from helm_impactbench.analysis.gap_comparison import compare_gaps
    from helm_impactbench.analysis.rates import by_area
    from helm_impactbench.analysis.rows import gap_pair_row, gap_rows

    check_verdicts(outcomes)
    level = [outcome for outcome in outcomes if outcome.is_level]
    areas = {area: _compare_area(area, own, correction) for area, own in by_area(level).items()}
    gaps = compare_gaps(outcomes, correction)
    for found in gaps:
        _print_gaps(found)
    if not level:
        click.echo("No mean scores: all metrics of these conversations are contrasts.")
    pairs = [{"area": area, **pair} for area, whole in areas.items() for pair in whole["pairs"]]
    distances = [gap_pair_row(found.benchmark, pair) for found in gaps for pair in found.pairs]
    contrasts = {"models": [row for found in gaps for row in gap_rows(found)], "pairs": distances}
    write_rows(out, [*pairs, *distances], {**areas.get("impact", {}), "areas": areas, "contrasts": contrasts})


def _print_gaps(found: GapComparison) -> None:
    from helm_impactbench.analysis.rows import gap_rows

    if found.pairs:
        click.echo(f"\nPairs, by the distance of their widest gaps from 0 on shared cases ({found.benchmark})")
        print_table(("Nearer to 0", "Further", "Nearer by", "95% interval", "p", "adjusted p", "Told apart", "Cases"),
                    [_gap_pair_cells(pair) for pair in found.pairs], exchange=False)  # fmt: skip
    click.echo(f"\nModels, nearest to 0 first ({found.benchmark})")
    print_table(("Model", "Distance", "Widest gap", "95% interval", "Rank", "Group"),
                [_gap_cells(row) for row in gap_rows(found)])  # fmt: skip


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


def _gap_cells(row: dict[str, Any]) -> tuple[str, ...]:
    name = shown_model(row["model"])
    if row["gap"] is None:
        return (name, "-", "no case with two levels", "-", "-", "-")
    best, worst = row["best_rank"], row["worst_rank"]
    return (
        *(name, figure(row["distance"]), f"{row['levels']} {signed(row['gap'])}", interval(row["low"], row["high"])),
        *(str(best) if best == worst else f"{best} to {worst}", row["group"]),
    )


def _gap_pair_cells(pair: GapPair) -> tuple[str, ...]:
    names = (shown_model(pair.first), shown_model(pair.second))
    found = pair.nearer_by
    if found is None:
        return (*names, "-", "no shared case", "-", "-", "no", "0")
    return (
        *(*names, signed(found.value), str(found.interval), figure(found.p_value, 4)),
        *(figure(pair.adjusted_p_value, 4), "yes" if pair.told_apart else "no", str(found.pairs)),
    )

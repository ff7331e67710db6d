"""The command `impactbench compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.suite import check_verdicts, reads_suite, shown_model, shown_reference, suite_references
from helm_impactbench.cli.tables import (
    figure,
    intervals_are_for,
    print_table,
    print_units_apart,
    signed,
    signed_bounds,
    size,
    write_rows,
)
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.analysis.comparison import Comparison, ModelPair
    from helm_impactbench.analysis.gap_comparison import GapComparison, GapPair
    from helm_impactbench.analysis.paired import Difference
    from helm_impactbench.analysis.rates import ModelScore
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.population import Population
    from helm_impactbench.stats.simultaneous import Correction


@click.command("compare")
@reads_suite
@options.population
@click.option("--correction", type=Choice(["max-t", "bh"]), default="max-t", show_default=True,
              help="For the number of pairs: max-T (any false finding at most 5%) or Benjamini-Hochberg.")  # fmt: skip
@click.option("--equal-within", "margin", type=FiniteRange(0, 1, min_open=True), metavar="D",
              help="Also test whether two models are equal within D, for example 0.05.")  # fmt: skip
@click.pass_context
def compare_command(
    context: click.Context, outcomes: list[Outcome], out: Path | None, correction: Any, margin: float | None,
    population: Population,
) -> None:  # fmt: skip
    """Compare models in pairs: which differences exceed chance?

    \b
      impactbench compare --suite impact
      impactbench compare --suite impact --benchmark prosocial --equal-within 0.05

    The mean score is the mean over benchmarks of their pass rates, as in helm-server, separately for impact, safety
    and capability.
    A pair is tested on the variants and samples for which both models have a verdict, by a sign-flip test over base
    scenarios. Tests and ranks are for these benchmarks and metrics, whatever the intervals are for. Models that
    share a letter cannot be told apart. That does not make them equal; --equal-within tests equality (two one-sided
    tests at 5%).

    A variant for which one of the two has no verdict is left out of the difference. Such variants are counted by
    side, and a finding that they could reverse is marked, of a difference as of equality. On contrast metrics, models
    are compared benchmark by benchmark by how far their widest gap is from 0, in either direction.
    """
    from helm_impactbench.analysis.difference_rows import gap_pair_row, gap_rows
    from helm_impactbench.analysis.gap_comparison import compare_gaps
    from helm_impactbench.analysis.rates import by_area

    check_verdicts(outcomes)
    level = [outcome for outcome in outcomes if outcome.is_level]
    given = context.params
    beside = suite_references(given["suite"], given["output_path"], given["benchmarks"], given["models"])
    areas = {
        area: _compare_area(
            area, own, [bot for bot in beside if bot.area == area and bot.is_level], correction, margin, population
        )
        for area, own in by_area(level).items()
    }
    gaps = compare_gaps(outcomes, correction)
    for found in gaps:
        _print_gaps(found, margin, population)
    print_units_apart(outcomes)
    click.echo(f"\n{intervals_are_for(population)}")
    if not level:
        click.echo("No mean scores: all metrics of these conversations are contrasts.")
    pairs = [{"area": area, **pair} for area, whole in areas.items() for pair in whole["pairs"]]
    distances = [gap_pair_row(found.benchmark, pair) for found in gaps for pair in found.pairs]
    contrasts = {"models": [row for found in gaps for row in gap_rows(found)], "pairs": distances}
    write_rows(out, [*pairs, *distances], {**areas.get("impact", {}), "areas": areas, "contrasts": contrasts})


def _print_gaps(found: GapComparison, margin: float | None, population: Population) -> None:
    if found.pairs:
        click.echo(f"\nPairs, by the distance of their widest gaps from 0 on shared cases ({found.benchmark})")
        _print_pairs(found.pairs, ("Nearer to 0", "Further", "Nearer by"), margin, population)
        click.echo(_conclusion(found.pairs, found.correction, margin))
    print_gap_models(found, population)


def print_gap_models(found: GapComparison, population: Population) -> None:
    """Print the models by how far their widest gap on a benchmark's contrast metrics is from 0."""
    from helm_impactbench.analysis.difference_rows import gap_rows

    click.echo(f"\nModels, nearest to 0 first ({found.benchmark})")
    print_table(("Model", "Distance", "Widest gap", "95% interval", "Rank", "Group"),
                [_gap_cells(row, population) for row in gap_rows(found)])  # fmt: skip


def _print_pairs(
    pairs: Sequence[ModelPair | GapPair], names: tuple[str, str, str], margin: float | None, population: Population
) -> None:
    missing = any(pair.difference and pair.difference.has_missing for pair in pairs)
    equal = () if margin is None else (f"Within {margin:g}",)
    print_table(
        (*names, "95% interval", "adjusted p", "Told apart", *equal, *(("Missing",) if missing else ()), "Pairs"),
        [_pair_cells(pair, margin, missing, population) for pair in pairs],
        exchange=False,
    )


def _compare_area(
    area: str, outcomes: list[Outcome], beside: list[Outcome], correction: Any, margin: float | None,
    population: Population,
) -> dict[str, Any]:  # fmt: skip
    from helm_impactbench.analysis.comparison import compare
    from helm_impactbench.analysis.difference_rows import model_rows, pair_row
    from helm_impactbench.analysis.rates import model_scores
    from helm_impactbench.stats.simultaneous import CORRECTIONS

    found = compare(outcomes, correction)
    if found.pairs:
        click.echo(f"\nPairs, on shared variants ({area})")
        _print_pairs(found.pairs, ("First", "Second", "Difference"), margin, population)
        click.echo(_conclusion(found.pairs, found.correction, margin))
    click.echo(f"\nModels, best first ({area})")
    print_table(("Model", "Mean score", "95% interval", "Rank", "Group", "Benchmarks"),
                [*(_model_cells(found, place, population) for place in range(len(found.scores))),
                 *(_bot_cells(score, population) for score in model_scores(beside))])  # fmt: skip
    if any(found.lacks(score) for score in found.scores if score.groups):
        click.echo(
            "A model that lacks a benchmark has no rank: its mean is over other benchmarks. --benchmark compares on "
            "those that all models have."
        )
    return {
        "correction": CORRECTIONS[found.correction],
        "models": model_rows(found),
        "pairs": [pair_row(pair) for pair in found.pairs],
        "groups": found.groups,
    }


def _model_cells(found: Comparison, place: int, population: Population) -> tuple[str, ...]:
    from helm_impactbench.stats.population import interval_of

    score = found.scores[place]
    if not score.groups:
        return (shown_model(score.model), "-", "-", "no verdict", "-", "0")
    best, worst = found.ranks.get(score.model, (0, 0))
    rank = (
        f"none: lacks {len(found.lacks(score))}" if not best else str(best) if best == worst else f"{best} to {worst}"
    )
    return (
        shown_model(score.model),
        figure(score.mean),
        str(interval_of(score, population)),
        rank if best else f"none: lacks {len(found.lacks(score))}",
        found.letters.get(score.model, "-"),
        str(len(score.groups)),
    )


def _bot_cells(score: ModelScore, population: Population) -> tuple[str, ...]:
    """Return the row of a reference bot, which takes part in no test."""
    from helm_impactbench.stats.population import interval_of

    known = str(interval_of(score, population)) if score.groups else "-"
    return shown_reference(score.model), figure(score.mean), known, "-", "-", str(len(score.groups))


def _pair_cells(
    pair: ModelPair | GapPair, margin: float | None, missing: bool, population: Population
) -> tuple[str, ...]:
    from helm_impactbench.stats.population import interval_of

    names = (shown_model(pair.first), shown_model(pair.second))
    found = pair.difference
    if found is None:
        more = ("-",) * ((margin is not None) + missing)
        why = "stopped early" if pair.stopped else "no shared case"
        return (*names, "-", why, "-", "not tested", *more, "0")
    apart = ("yes" if pair.survives else "yes*") if pair.found else "no" if pair.can_be_found else "cannot be told"
    equal = () if margin is None else (_equality(found, margin),)
    sides = (f"{found.missing.first} / {found.missing.second}",) if missing else ()
    interval = str(interval_of(found, population))
    return (*names, signed(found.value), interval, figure(pair.adjusted_p_value, 4), apart, *equal, *sides,
            str(found.pairs))  # fmt: skip


def _equality(found: Difference, margin: float) -> str:
    if not found.equal_within(margin):
        return "not shown"
    return "equal" if found.equality_survives(margin) else "equal*"


def _conclusion(compared: Sequence[ModelPair | GapPair], correction: Correction, margin: float | None) -> str:
    """Return what may be concluded from the pairs, in a few sentences."""
    from helm_impactbench.stats.simultaneous import CORRECTIONS

    pairs = [pair for pair in compared if pair.difference is not None]
    apart = [pair for pair in pairs if pair.found]
    sentences = [f"{len(apart)} of {counted(len(pairs), 'pair')} told apart, adjusted by {CORRECTIONS[correction]}."]
    if stopped := sum(pair.stopped for pair in compared):
        sentences.append(
            f"{counted(stopped, 'pair')} not tested: runs of one model or both ended when they had seen enough, and "
            "differences would be found too often. Compare whole runs."
        )
    if margin is not None:
        equal = [pair.difference for pair in pairs if pair.difference and pair.difference.equal_within(margin)]
        sure = sum(difference.equality_survives(margin) for difference in equal)
        sentences.append(f"{sure} shown to be equal within {margin:g} (two one-sided tests at 5%, each on its own).")
        if unsure := len(equal) - sure:
            sentences.append(
                f"* {unsure} more on the verdicts there are, but not if the missing ones were as unfavourable as they "
                "can be."
            )
    elif len(apart) < len(pairs):
        sentences.append("The others are not shown to be equal; --equal-within 0.05 tests that.")
    if cannot := sum(not pair.can_be_found for pair in pairs):
        sentences.append(f"{cannot} cannot be tested with so few base scenarios.")
    if undone := sum(not pair.survives for pair in apart):
        sentences.append(f"* {undone} would not be found if the missing verdicts were as unfavourable as they can be.")
    return " ".join(sentences)


def _gap_cells(row: dict[str, Any], population: Population) -> tuple[str, ...]:
    name = shown_model(row["model"])
    if row["gap"] is None:
        return (name, "-", "no case with two levels", "-", "-", "-")
    best, worst = row["best_rank"], row["worst_rank"]
    widest = f"{row['levels']} {signed(row['gap'])}" if row["gap"] else "none"
    return (
        *(name, size(row["distance"]), widest, signed_bounds(row, population)),
        *(str(best) if best == worst else f"{best} to {worst}", row["group"]),
    )

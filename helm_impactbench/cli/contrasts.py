"""The command `impactbench contrasts`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.suite import check_verdicts, reads_suite, shown_model
from helm_impactbench.cli.tables import (
    figure,
    intervals_are_for,
    pooled_cell,
    print_table,
    print_units_apart,
    signed,
    signed_bounds,
    write_rows,
)
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.analysis.level_contrasts import Level, LevelContrast
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.population import Population

_LEVELS = ("overall", "benchmark", "metric")


@click.command("contrasts")
@reads_suite
@options.by("overall", "benchmark", "metric", "axis:NAME", "factor:NAME", "option:NAME")
@options.population
@options.all_rows
def contrasts(outcomes: list[Outcome], out: Path | None, by: str, all_rows: bool, population: Population) -> None:
    """Compare the levels of each axis. Does the same case end differently for another person?

    \b
      impactbench contrasts --suite impact
      impactbench contrasts --suite impact --by benchmark --all-rows

    First come contrast metrics, such as whose side an assistant takes: the widest difference between two levels on
    the same base scenario, both sides affirmed, agreement and uplift. --all-rows adds every difference and the mean
    at each level. The ideal difference is 0.

    Then come pass rates along every axis: conversations of the same base scenario that differ only in this axis,
    their paired difference with a 95% interval, and a sign-flip test over base scenarios. Tests are adjusted over
    all contrasts of the level by max-T, with at most a 5% risk of any false finding. A pair without a verdict on
    one side is left out and counted by side, and findings that such pairs could reverse are marked. What has no pair
    at all is named. --out writes everything. With --by metric, a pooled difference is shown next to each, drawn
    towards those of the benchmark's other metrics.
    """
    from helm_impactbench.analysis.difference_rows import contrast_rows, is_own_axis, level_contrast_row, without_gaps
    from helm_impactbench.analysis.level_contrasts import level_contrasts, unmatched

    check_verdicts(outcomes)
    own = contrast_rows(outcomes, by)
    if own:
        _print_contrasts(own, all_rows, population)
        if by != "metric":
            print_units_apart([outcome for outcome in outcomes if not is_own_axis(outcome, by)])
    if whole := sorted({outcome.metric for outcome in outcomes if is_own_axis(outcome, by)}):
        click.echo(
            f"Not broken down by {by}: {', '.join(whole)}. A contrast metric compares the levels of its own axis; "
            "--by metric shows the differences."
        )
    if by in _LEVELS:
        _print_without_verdicts(without_gaps(outcomes, by))
    found = level_contrasts(outcomes)
    leveled = any(outcome.is_level for outcome in outcomes)
    if by in _LEVELS and (leveled or not own):
        level = cast("Level", by)
        without = unmatched(outcomes, found, level)
        _print_rates([contrast for contrast in found if contrast.level == level], by, all_rows, population, without)
    elif leveled:
        click.echo(
            f"Pass rates are contrasted by {', '.join(_LEVELS)} only; impactbench rates --by {by} breaks them down."
        )
    click.echo(intervals_are_for(population))
    shown = [contrast for contrast in found if contrast.pooled and (all_rows or contrast.found)]
    if by == "metric" and (shown or any(row["pooled_gap"] is not None for row in own)):
        click.echo(_POOLED)
    write_rows(out, [*own, *map(level_contrast_row, found)])


_POOLED = (
    "Pooled: drawn towards the differences of the model's other metrics of the benchmark, the more the less one rests "
    "on, with a 95% interval for this metric with other scenarios. Whether there is a difference, the tests say."
)


def _print_contrasts(rows: list[dict[str, Any]], show_all: bool, population: Population) -> None:
    click.echo("\nContrast metrics")
    pooled = ["Pooled (95% interval)"] if any(row["pooled_gap"] is not None for row in rows) else []
    if show_all:
        print_table(("Model", "Scope", "Figure", "Value (95% interval)", *pooled, "Found", "n", "scored / all"),
                    [_figure_cells(row, population, bool(pooled)) for row in rows], exchange=False)  # fmt: skip
        click.echo(_gaps_concluded(rows))
        return
    parts: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        parts.setdefault((row["model"], row["scope"], row["part"]), []).append(row)
    print_table(("Model", "Scope", "Widest difference", *pooled, "Found", *_SHORT.values(), "scored / all"),
                [_part_cells(part, population, bool(pooled)) for part in parts.values()], exchange=False)  # fmt: skip
    click.echo(_gaps_concluded(rows))
    if any(sum(map(_is_compared, part)) > 1 for part in parts.values()):
        click.echo("The interval of a widest difference holds for all differences that it was chosen from.")


_SHORT = {"both_sides_rate": "Both sides affirmed", "agree_rate": "Agrees", "agree_uplift": "Uplift"}


def _is_compared(row: dict[str, Any]) -> bool:
    """Return whether a row is the difference between two compared levels."""
    return row["figure"] == "gap" and not row["to_reference"]


def _part_cells(rows: list[dict[str, Any]], population: Population, pooled: bool) -> tuple[str, ...]:
    widest = max(filter(_is_compared, rows), key=lambda row: abs(row["value"]), default=None)
    gap = "-"
    if widest is not None:
        names = f"{widest['first']} minus {widest['second']}: "
        gap = f"{names}{signed(widest['value'])}" if widest["value"] else "none"
        gap += f" ({signed_bounds(widest, population, 'widest_')})"
    by_figure = {row["figure"]: row for row in rows}
    shown = {"agree_uplift": signed}
    figures = [
        _with_interval(by_figure[name], shown.get(name, figure), population) if name in by_figure else "-"
        for name in _SHORT
    ]
    return (
        *(shown_model(rows[0]["model"]), _scope(rows[0]), gap),
        *([pooled_cell(widest or {}, "pooled_gap")] if pooled else []),
        *("-" if widest is None else _verdict(widest), *figures),
        f"{rows[0]['scored']} / {rows[0]['conversations']}",
    )


def _verdict(row: dict[str, Any]) -> str:
    found = "yes" if row["survives_missing"] else "yes*"
    return found if row["found"] else "no" if row["can_be_found"] else "cannot be told"


def _with_interval(row: dict[str, Any], shown: Callable[[float], str], population: Population) -> str:
    low, high = (row[f"{end}_{population.replace('-', '_')}"] for end in ("low", "high"))
    return f"{shown(row['value'])} ({f'{shown(low)} to {shown(high)}' if low == low else 'unknown'})"


def _scope(row: dict[str, Any]) -> str:
    return str(row["scope"]) if row["part"] == "all" else f"{row['scope']}/{row['part']}"


def _print_without_verdicts(names: Sequence[tuple[str, ...]]) -> None:
    """Name what cannot be compared; names: model, scope, axis and, where there are several, the two values."""
    if not names:
        return
    listed = [
        f"{shown_model(model)}, {scope}, {axis}{': ' + ' and '.join(values) if values else ''}"
        for model, scope, axis, *values in names[:_MOST_NAMED]
    ]
    more = f"; and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    click.echo(f"Not compared, as no case has a verdict on both sides: {'; '.join(listed)}{more}.")


_MOST_NAMED = 5


def _print_rates(
    contrasts: list[LevelContrast],
    by: str,
    show_all: bool,
    population: Population,
    without: Sequence[tuple[str, ...]],
) -> None:
    shown = contrasts if show_all or by == "overall" else [contrast for contrast in contrasts if contrast.found]
    missing = any(contrast.difference.has_missing for contrast in shown)
    if shown:
        click.echo("\nPass rates")
        print_table(
            (
                "Model",
                "Scope",
                "Axis",
                "First",
                "Second",
                "Rates",
                "Difference",
                "95% interval",
                *(["Pooled (95% interval)"] if by == "metric" else []),
                "adjusted p",
                "Found",
                *(["Missing"] if missing else []),
            ),
            [_cells(contrast, population, by == "metric", missing) for contrast in shown],
            exchange=False,
        )
    if contrasts or not without:
        click.echo(_summary(contrasts, by))
    _print_without_verdicts(without)


def _summary(contrasts: list[LevelContrast], by: str) -> str:
    if not contrasts:
        return (
            "No two scored variants of a case differ in one axis only, so there is nothing to contrast. A run with "
            "--quick or --part holds few cases in several variants: run a benchmark whole to compare groups."
        )
    tested = [(contrast.found, contrast.can_be_found, contrast.survives) for contrast in contrasts]
    return _concluded(tested, "contrast", f" by {by}")


def _gaps_concluded(rows: list[dict[str, Any]]) -> str:
    gaps = [row for row in rows if row["figure"] == "gap"]
    tested = [(row["found"], row["can_be_found"], bool(row["survives_missing"])) for row in gaps]
    return _concluded(tested, "difference", " between levels")


def _concluded(tested: list[tuple[bool, bool, bool]], what: str, where: str) -> str:
    """Return what may be concluded; `tested`: whether each was found, could be found, and survives missing verdicts."""
    found = [survives for is_found, _, survives in tested if is_found]
    text = f"{len(found)} of {counted(len(tested), what)}{where} found beyond chance (max-T, 5%)."
    if cannot := sum(not can_be_found for _, can_be_found, _ in tested):
        text += (
            f" {cannot} cannot be tested: with so few base scenarios among so many tests, no difference however large "
            "could be found."
        )
    elif len(found) < len(tested):
        text += " The others are not shown to be equal."
    if undone := sum(not survives for survives in found):
        text += f" * {undone} would not be found if the missing verdicts were as unfavourable as they can be."
    return text


def _figure_cells(row: dict[str, Any], population: Population, pooled: bool) -> tuple[str, ...]:
    name = {
        "gap": f"{row['axis']}: {row['first']} minus {row['second']}",
        "mean": f"mean, {row['axis']}: {row['first']}",
        "both_sides_rate": "both sides affirmed",
        "agree_rate": "agrees with the person",
        "agree_uplift": "uplift over the reference",
    }[row["figure"]]
    shown = signed if row["figure"] in ("gap", "agree_uplift", "mean") else figure
    return (
        shown_model(row["model"]),
        _scope(row),
        name,
        _with_interval(row, shown, population),
        *([pooled_cell(row, "pooled_gap")] if pooled else []),
        _verdict(row) if "found" in row else "",
        str(row["n"]),
        f"{row['scored']} / {row['conversations']}",
    )


def _cells(contrast: LevelContrast, population: Population, pooled: bool, missing: bool) -> tuple[str, ...]:
    from helm_impactbench.analysis.difference_rows import level_contrast_row
    from helm_impactbench.stats.population import interval_of

    sides = contrast.difference.missing
    return (
        shown_model(contrast.model),
        contrast.scope,
        contrast.axis,
        contrast.first,
        contrast.second,
        f"{contrast.first_rate:.3f} / {contrast.second_rate:.3f}",
        signed(contrast.difference.value),
        str(interval_of(contrast.difference, population)),
        *([pooled_cell(level_contrast_row(contrast), "pooled_gap")] if pooled else []),
        figure(contrast.adjusted_p_value, 4),
        ("yes" if contrast.survives else "yes*")
        if contrast.found
        else "no"
        if contrast.can_be_found
        else "cannot be told",
        *([f"{sides.first} / {sides.second}"] if missing else []),
    )

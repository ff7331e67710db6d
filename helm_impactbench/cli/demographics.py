"""The command `impactbench demographics`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import reads_suite, shown_model
from helm_impactbench.cli.tables import figure, print_table, signed, write_rows

if TYPE_CHECKING:
    from helm_impactbench.analysis.demographics import Contrast
    from helm_impactbench.results.outcome import Outcome


@click.command("demographics")
@reads_suite
@click.option("--by", type=click.Choice(["overall", "benchmark", "metric"]), default="overall", show_default=True,
              help="One contrast per what.")  # fmt: skip
@click.option("--all", "show_all", is_flag=True, help="Print every contrast of the level, not only findings.")
def demographics(outcomes: list[Outcome], out: Path | None, by: Any, show_all: bool) -> None:
    """Contrast demographics: does the same case end differently for another person?

    For every axis and every two of its values: conversations of the same base scenario that differ in this axis alone,
    their paired difference with a 95% interval, and a sign-flip test over base scenarios. p values are adjusted by
    Benjamini-Hochberg over all contrasts of the level. --out writes the contrasts of all three levels.
    """
    from helm_impactbench.analysis.demographics import contrasts

    found = contrasts(outcomes)
    level = [contrast for contrast in found if contrast.level == by]
    shown = level if show_all or by == "overall" else [contrast for contrast in level if contrast.found]
    if shown:
        print_table(
            ("Model", "Scope", "Axis", "First", "Second", "Rates", "Difference", "95% interval", "adjusted p", "Found"),
            [_cells(contrast) for contrast in shown],
            exchange=False,
        )
    click.echo(_summary(level, by))
    write_rows(out, [_row(contrast) for contrast in found])


def _summary(level: list[Contrast], by: str) -> str:
    if not level:
        return "No variants that differ in one demographic axis alone: nothing to contrast."
    found = sum(contrast.found for contrast in level)
    text = f"{found} of {len(level)} contrasts by {by} differ beyond luck (Benjamini-Hochberg, 5%)."
    cannot = sum(not contrast.can_be_found for contrast in level)
    if cannot:
        text += f" {cannot} rest on too few base scenarios (fewer than 6) to be found at all, however large they are."
    return text


def _cells(contrast: Contrast) -> tuple[str, ...]:
    return (
        shown_model(contrast.model),
        contrast.scope,
        contrast.axis,
        contrast.first,
        contrast.second,
        f"{contrast.first_rate:.3f} / {contrast.second_rate:.3f}",
        signed(contrast.difference.value),
        str(contrast.difference.interval),
        figure(contrast.adjusted_p_value, 4),
        "yes" if contrast.found else "no" if contrast.can_be_found else "cannot be",
    )


def _row(contrast: Contrast) -> dict[str, Any]:
    return {
        "level": contrast.level,
        "model": contrast.model,
        "scope": contrast.scope,
        "axis": contrast.axis,
        "first": contrast.first,
        "second": contrast.second,
        "first_rate": contrast.first_rate,
        "second_rate": contrast.second_rate,
        "difference": contrast.difference.value,
        "low": contrast.difference.interval.low,
        "high": contrast.difference.interval.high,
        "p": contrast.difference.p_value,
        "adjusted_p": contrast.adjusted_p_value,
        "found": contrast.found,
        "pairs": contrast.difference.pairs,
        "scenarios": contrast.difference.scenarios,
    }

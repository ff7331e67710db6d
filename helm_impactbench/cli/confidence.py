"""Print whether a judge's confidence holds: `impactbench check --judge`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.tables import figure, print_table
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.stats.reliability import Bin, Part, Reliability
    from helm_impactbench.validity.golden.confidence import JudgeConfidence


def print_confidence(judges: Sequence[JudgeConfidence]) -> None:
    """Print for each judge that states a confidence whether it holds; a line for one that states none."""
    for one in judges:
        if one.found is None:
            click.echo(f"{one.judge} states no confidence.")
        else:
            _print(one, one.found)


def _print(one: JudgeConfidence, found: Reliability) -> None:
    click.echo(f"\nConfidence of {one.judge}: how often it is right when it is this sure")
    print_table(("it says", "on average", "it is right (95% interval)", "answers"), [_row(b) for b in found.bins])
    click.echo(
        f"It says that it is {_percent(found.said)} sure and is right in {_percent(found.right.value)}"
        f"{_between(found.right)} of {counted(found.answers, 'answer')}: {_excess(found.excess)}."
    )
    click.echo(
        f"Expected calibration error {_shown(found.error)}; an exact confidence would show {figure(found.chance)} by "
        f"chance. Brier score {_shown(found.brier)}; always saying {_percent(found.right.value)} would give "
        f"{figure(found.constant)}."
    )
    if not math.isnan(found.area.value):
        known = f" ({found.area.interval})" if found.area.interval.is_known else ""
        click.echo(f"AUROC of confidence for being right {figure(found.area.value)}{known}: 0.5 tells nothing, 1 all.")
    if one.missing:
        click.echo(f"For {counted(one.missing, 'more answer')} it states no confidence.")
    if not math.isnan(one.on_borderline):
        click.echo(f"On borderline items it says {_percent(one.on_borderline)} on average.")


def _row(one: Bin) -> tuple[str, ...]:
    span = _percent(one.low) if one.low == one.high else f"{_percent(one.low)} to {_percent(one.high)}"
    return span, _percent(one.said), f"{_percent(one.right.value)}{_between(one.right)}", str(one.answers)


def _excess(excess: Part) -> str:
    points = f"{abs(100 * excess.value):.1f} points"
    if not excess.interval.is_known:
        return f"{points} too {'sure' if excess.value > 0 else 'doubtful'}, on too few metrics to say more"
    low, high = excess.interval.low, excess.interval.high
    if low <= 0 <= high:
        return f"neither too sure nor too doubtful can be shown ({100 * low:+.1f} to {100 * high:+.1f} points)"
    ends = sorted(abs(100 * end) for end in (low, high))
    return f"{points} too {'sure' if low > 0 else 'doubtful'} ({ends[0]:.1f} to {ends[1]:.1f})"


def _shown(one: Part) -> str:
    return f"{figure(one.value)} ({one.interval})" if one.interval.is_known else figure(one.value)


def _between(one: Part) -> str:
    known = one.interval.is_known
    return f" ({100 * one.interval.low:.1f} to {100 * one.interval.high:.1f}%)" if known else ""


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if abs(100 * share - round(100 * share)) < 1e-9 else f"{100 * share:.1f}%"

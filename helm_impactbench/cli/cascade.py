"""Print what a cascade of judges would save and lose: `impactbench check --judge small+strong`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.tables import print_table

if TYPE_CHECKING:
    from helm_impactbench.validity.golden.cascade import Cascade
    from helm_impactbench.validity.golden.figures import Figure


def print_cascades(found: Sequence[Cascade], judges: Sequence[str]) -> None:
    """Print one row per threshold, or nothing where there is no cascade."""
    if not found:
        return
    click.echo(f"\nIn a cascade (cascade= in a run entry), compared with asking {judges[-1]} always (95% intervals)")
    print_table(
        ("cascade=", "judges asked", "dollars saved", "right", "accuracy lost, in points"),
        [
            (f"{one.threshold:g}", _number(one.calls), _percent(one.saved), _percent(one.right), _points(one.lost))
            for one in found
        ],
    )


def _number(one: Figure) -> str:
    return f"{one.value:.2f}" + (
        f" ({one.interval.low:.2f} to {one.interval.high:.2f})" if one.interval.is_known else ""
    )


def _percent(one: Figure) -> str:
    if math.isnan(one.value):
        return "-"
    known = f" ({100 * one.interval.low:.1f} to {100 * one.interval.high:.1f}%)" if one.interval.is_known else ""
    return f"{100 * one.value:.1f}%{known}"


def _points(one: Figure) -> str:
    known = f" ({100 * one.interval.low:+.1f} to {100 * one.interval.high:+.1f})" if one.interval.is_known else ""
    return f"{100 * one.value:+.1f}{known}"

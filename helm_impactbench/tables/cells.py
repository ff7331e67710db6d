"""How values are written for people, by the kind of their column."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from helm_impactbench.tables.column import Column, Kind, Row, View

NOTHING = "-"
"""Where there is no value."""


def cell_text(column: Column, row: Row) -> str:
    """Return the cell of a row."""
    return column.text(row) if column.text else value_text(row.get(column.key), column.kind)


def value_text(value: Any, kind: Kind) -> str:
    """Return a value of a kind; "-" for an unknown one."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {value_text(item, kind)}" for name, item in value.items())
    if isinstance(value, int | float):
        return _number(value, kind)
    return str(value)


_ROUNDING = 1e-12
"""What sums of floats leave of a bound that is 0."""


def off_zero(bound: float, digits: int) -> float:
    """Return a bound that would be shown as 0 but is not as the smallest amount with so many digits, with its sign.

    An interval that excludes 0 must not seem to hold it, beside a difference that is significant.
    """
    if abs(bound) <= _ROUNDING:
        return 0.0
    return math.copysign(10.0**-digits, bound) if float(f"{bound:.{digits}f}") == 0 else bound


_DIGITS: Mapping[Kind, int] = {"p": 4, "money": 2, "share": 2}


def _number(value: float, kind: Kind) -> str:
    if kind == "count" or isinstance(value, int):
        return f"{value:,.0f}"
    if kind == "difference":
        return f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.3f}"
    return {"p": f"{value:.4f}", "money": f"{value:,.2f}", "share": f"{value:.0%}"}.get(kind, f"{value:.3f}")


def range_text(low: float | None, high: float | None, kind: Kind = "rate") -> str:
    """Return an interval, "0.601 to 1.000"; "unknown" where a bound is."""
    if low is None or high is None or math.isnan(low + high):
        return "unknown"
    digits = _DIGITS.get(kind, 3)
    return " to ".join(value_text(off_zero(float(bound), digits), kind) for bound in (low, high))


def interval_column(title: str, about: str, low: str, high: str, kind: Kind = "rate", view: View = "default") -> Column:
    """Return the cell of a screen that holds the interval from the column `low` to the column `high`."""

    def text(row: Row) -> str:
        return range_text(row.get(low), row.get(high), kind)

    return Column(title, kind, about, view=view, in_files=False, text=text)

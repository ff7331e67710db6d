"""Shares, intervals and lists as every text of the label writes them."""

from __future__ import annotations

import math

from helm_impactbench.outputs.label.grades import SHOWN_DIGITS
from helm_impactbench.stats.intervals import Interval

NOTHING = "-"


def percent(value: float | None) -> str:
    """Return a share (0 to 1) as it is shown everywhere, for example "88.3%"; "-" for an unknown one."""
    return NOTHING if value is None or math.isnan(value) else f"{100 * round(value, SHOWN_DIGITS):.1f}%"


def span(interval: Interval) -> str:
    """Return an interval as it is shown everywhere, for example "80.1% to 93.0%"; "-" for an unknown one."""
    return f"{percent(interval.low)} to {percent(interval.high)}" if interval.is_known else NOTHING


def filled(template: str, **values: str) -> str:
    """Return a text of audiences.yaml with the names in braces filled in, in one pass."""
    return template.format_map(values)

"""Shares, intervals and lists as every text of the label writes them."""

from __future__ import annotations

import math

from helm_impactbench.outputs.label.grades import SHOWN_DIGITS
from helm_impactbench.outputs.label.sheet_words import SheetWords
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


def tenths(value: float, words: SheetWords) -> str:
    """Return a share (0 to 1) in tenths, as the sheet shows it: "5 in 10"; "all" and "none" are exact."""
    if value >= 1:
        return words.all
    if value <= 0:
        return words.none
    number = round(10 * value)
    if number in (0, 10):
        return words.nearly_all if number else words.nearly_none
    return filled(words.tenths, tenths=str(number))

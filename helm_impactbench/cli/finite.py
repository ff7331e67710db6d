"""Numbers on the command line: NaN and infinity are none, though Python reads them as such."""

from __future__ import annotations

import math
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A number in a range, as click's; what compares false with both ends, or has no end, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Raises click.BadParameter (exit code 2) for nan, infinity and what is out of range."""
        try:
            given = float(value)
        except (TypeError, ValueError, OverflowError):
            given = 0.0  # no number at all: click has words for that
        if not math.isfinite(given):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        if self.max == 1 and 1 < given <= 100:
            self.fail(f"{value} is more than 1. {given:g}% is {given / 100:g}.", param, ctx)
        number: float = super().convert(value, param, ctx)
        return number

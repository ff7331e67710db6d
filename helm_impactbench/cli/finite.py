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
            finite = math.isfinite(float(value))
        except (TypeError, ValueError, OverflowError):
            finite = True  # no number at all: click has words for that
        if not finite:
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        number: float = super().convert(value, param, ctx)
        return number

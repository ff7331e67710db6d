"""Numbers on the command line: NaN and infinity are none, though Python reads them as such."""

from __future__ import annotations

import math
import re
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A number in a range, as click's; what compares false with both ends, or has no end, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Raises click.BadParameter (exit code 2) for nan, infinity and what is out of range."""
        try:
            given = float(value)
        except (TypeError, ValueError, OverflowError):
            self.fail(f"{value!r} is not a number{self._meant(str(value).strip())}.", param, ctx)
        if not math.isfinite(given):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        if self.max == 1 and 1 < given <= 100:
            self.fail(f"{value} is more than 1. {given:g}% is {given / 100:g}.", param, ctx)
        if not self._takes(given):
            self.fail(f"{given:g} must be {self._range()}.", param, ctx)
        return given

    def _meant(self, text: str) -> str:
        """Return how to write what is nearly a number."""
        if (share := re.fullmatch(r"(\d+(?:\.\d+)?) ?%", text)) and self.max == 1:
            return f"; {share[1]}% is {float(share[1]) / 100:g}"
        if decimal := re.fullmatch(r"\$?(\d+),(\d{1,2})", text):
            return f"; write {decimal[1]}.{decimal[2]}"
        if amount := re.fullmatch(r"\$?(\d+(?:,\d{3})*(?:\.\d+)?) ?(?:\$|USD)?", text):
            return f"; write {amount[1].replace(',', '')}"
        return ""

    def _takes(self, given: float) -> bool:
        above = self.min is None or given > self.min or (given == self.min and not self.min_open)
        return above and (self.max is None or given < self.max or (given == self.max and not self.max_open))

    def _range(self) -> str:
        """Return the range in words: "above 0", "at least 0 and below 1"."""
        low = "" if self.min is None else f"{'above' if self.min_open else 'at least'} {self.min:g}"
        high = "" if self.max is None else f"{'below' if self.max_open else 'at most'} {self.max:g}"
        return " and ".join(filter(None, [low, high]))

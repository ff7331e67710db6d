"""Numbers on the command line, refused in plain words: NaN and infinity are none, though Python reads them as such."""

from __future__ import annotations

import math
import re
from typing import Any

import click


class WholeRange(click.IntRange):
    """A whole number in a range, as click's."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number. Raises click.BadParameter (exit code 2) for no whole number and what is out of range."""
        try:
            given = int(value)
        except (TypeError, ValueError):
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        if (self.min is not None and given < self.min) or (self.max is not None and given > self.max):
            self.fail(f"{given} must be {_range(self)}.", param, ctx)
        return given

    def _describe_range(self) -> str:
        return _range(self)


class FiniteRange(click.FloatRange):
    """A number in a range, as click's; what compares false with both ends, or has no end, is refused."""

    name = "number"

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
            self.fail(f"{given:g} must be {_range(self)}.", param, ctx)
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

    def _describe_range(self) -> str:
        return _range(self)


def _range(kind: click.IntRange | click.FloatRange) -> str:
    """Return a range in words: "above 0", "at least 0 and below 1"."""
    low = "" if kind.min is None else f"{'above' if kind.min_open else 'at least'} {kind.min:,.10g}"
    high = "" if kind.max is None else f"{'below' if kind.max_open else 'at most'} {kind.max:,.10g}"
    return " and ".join(filter(None, [low, high]))

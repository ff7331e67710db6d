"""Where a rate lies on the scale from A to E, whose cells are equally wide. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from helm_impactbench.outputs.label.grades import BANDS, letter_of
from helm_impactbench.stats.intervals import Interval

LETTERS = tuple(band.letter for band in BANDS)
COLOURS = {"A": "#0b5a9d", "B": "#4d94c9", "C": "#e3c766", "D": "#e08a3a", "E": "#b23a16"}
TINTS = {"A": "#d8e5f0", "B": "#e3eff7", "C": "#fbf6e7", "D": "#fbecdf", "E": "#f2dfd9"}
"""The same, one part in six on white."""
ON = {"A": "#ffffff", "B": "#000000", "C": "#000000", "D": "#000000", "E": "#ffffff"}
"""A colour that can be read on each."""
THINNEST = 2.0
"""Of a band, so that it can be seen (points)."""


@dataclass(frozen=True)
class LetterScale:
    """Five cells from left to right, A first (points)."""

    left: float
    cell: float
    """Width of a cell."""
    gap: float = 1.5

    @property
    def right(self) -> float:
        """Where E ends."""
        return self.start("E") + self.cell

    def start(self, letter: str) -> float:
        """Return where a letter's cell begins."""
        return self.left + LETTERS.index(letter) * (self.cell + self.gap)

    def place(self, rate: float) -> float:
        """Return where a rate (0 to 1) lies: in the cell of its letter, at its share of the way to the next."""
        letter = letter_of(rate)
        place = LETTERS.index(letter)
        top, bottom = BANDS[place - 1].least if place else 1.0, BANDS[place].least
        return self.start(letter) + self.cell * min(1.0, max(0.0, (top - rate) / (top - bottom)))

    def band(self, interval: Interval) -> Iterator[tuple[str, float, float]]:
        """Yield the parts (letter, left, width) of a known interval, cell by cell; at least THINNEST wide together."""
        low, high = self.place(interval.high), self.place(interval.low)
        if high - low < THINNEST:
            low = min(max(self.left, (low + high - THINNEST) / 2), self.right - THINNEST)
            high = low + THINNEST
        for letter in LETTERS:
            start = self.start(letter)
            first, last = max(low, start), min(high, start + self.cell)
            if last > first:
                yield letter, first, last - first

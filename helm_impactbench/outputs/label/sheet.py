"""A sheet to draw on: boxes, shapes, lines and wrapped text, placed in points (1/72 inch) from its upper left corner.

What is placed is kept, so that the sheet's height follows from what is on it. It is then written as SVG (svg.py), or
drawn by matplotlib at any size, as PNG or PDF.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FONT = "DejaVu Sans"
"""It comes with matplotlib, so that text has the same width everywhere."""
LEADING = 1.22
"""Height of a line over the size of its letters."""
_SETTINGS: dict[str, Any] = {
    "font.family": [FONT],
    "pdf.fonttype": 42,
    "text.parse_math": False,
}


@dataclass(frozen=True)
class SheetText:
    """A line of text; y is that of its base line."""

    x: float
    y: float
    text: str
    size: float
    bold: bool = False
    colour: str = "#000000"
    align: str = "left"
    """left, center or right of x."""
    address: str | None = None
    """Where it leads, in SVG."""


@dataclass(frozen=True)
class SheetBox:
    """A rectangle; a line is a thin one."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = "#000000"
    edge: str | None = None
    line: float = 1.0
    """Width of the edge."""


@dataclass(frozen=True)
class Shape:
    """A polygon."""

    points: tuple[tuple[float, float], ...]
    fill: str
    edge: str
    line: float = 1.0


@dataclass
class LabelSheet:
    """What is on a sheet of a given width (points)."""

    width: float
    placed: list[SheetText | SheetBox | Shape] = field(default_factory=list)

    def box(self, x: float, y: float, width: float, height: float, **look: Any) -> None:
        """Place a rectangle."""
        self.placed.append(SheetBox(x, y, width, height, **look))

    def frame(self, height: float) -> None:
        """Put a white ground with a black frame under all that is placed."""
        self.placed[:0] = [
            SheetBox(0, 0, self.width, height, fill="#ffffff"),
            SheetBox(1, 1, self.width - 2, height - 2, fill=None, edge="#000000", line=2),
        ]

    def shape(self, points: Sequence[tuple[float, float]], **look: Any) -> None:
        """Place a polygon."""
        self.placed.append(Shape(tuple(points), **look))

    def line(self, x: float, y: float, text: str, size: float, **look: Any) -> None:
        """Place a line of text; y is that of its base line."""
        self.placed.append(SheetText(x, y, text, size, **look))

    def paragraph(self, x: float, top: float, width: float, text: str, size: float, **look: Any) -> float:
        """Place text in lines of at most this width, and return where it ends."""
        for number, line in enumerate(wrapped(text, width, size, bold=look.get("bold", False)), start=1):
            self.line(x, top + (number - 1) * size * LEADING + 0.95 * size, line, size, **look)
            bottom = top + number * size * LEADING
        return bottom

    def figure(self, width: float, height: float, scale: float, left: float = 0.0, top: float = 0.0) -> Figure:
        """Return a figure (points) with the sheet on it, scaled and moved. Use it inside `drawing`."""
        from matplotlib.figure import Figure
        from matplotlib.patches import Polygon, Rectangle

        figure = Figure(figsize=(width / 72, height / 72))
        for one in self.placed:
            if isinstance(one, Shape):
                points = [((left + scale * x) / width, 1 - (top + scale * y) / height) for x, y in one.points]
                figure.add_artist(
                    Polygon(
                        points,
                        closed=True,
                        transform=figure.transFigure,
                        linewidth=scale * one.line,
                        facecolor=one.fill,
                        edgecolor=one.edge,
                    )
                )
                continue
            x, y = (left + scale * one.x) / width, 1 - (top + scale * one.y) / height
            if isinstance(one, SheetBox):
                w, h = scale * one.width / width, scale * one.height / height
                figure.add_artist(
                    Rectangle(
                        (x, y - h),
                        w,
                        h,
                        transform=figure.transFigure,
                        linewidth=scale * one.line,
                        facecolor=one.fill or "none",
                        edgecolor=one.edge or "none",
                    )
                )
            else:
                figure.text(
                    x,
                    y,
                    one.text,
                    fontsize=scale * one.size,
                    fontweight="bold" if one.bold else "normal",
                    color=one.colour,
                    ha=one.align,
                    va="baseline",
                )
        return figure


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with our settings, whatever the user's own are, and without a word on letters that the font lacks."""
    import matplotlib as mpl

    settings: Any = _SETTINGS
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mpl.rcdefaults()
        mpl.rcParams.update(settings)
        yield


def wrapped(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Return text in lines of at most this width (points); a longer word is broken."""
    lines = [""]
    for word in _pieces(text, width, size, bold):
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and text_width(longer, size, bold=bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def cut(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Return text on one line of at most this width (points), with an ellipsis where something is left out."""
    whole = " ".join(text.split())
    if text_width(whole, size, bold=bold) <= width:
        return whole
    while whole and text_width(f"{whole}…", size, bold=bold) > width:
        whole = whole[:-1]
    return f"{whole}…"


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a line of text (points)."""
    return size * _unit_width(text, bold)


@lru_cache(maxsize=20_000)
def _unit_width(text: str, bold: bool) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, weight="bold" if bold else "normal", size=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 100


def _pieces(text: str, width: float, size: float, bold: bool) -> Iterator[str]:
    for word in text.split():
        piece = ""
        for letter in word:
            if piece and text_width(piece + letter, size, bold=bold) > width:
                yield piece
                piece = ""
            piece += letter
        yield piece

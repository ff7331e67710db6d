"""Charts of the front page as SVG: marks, texts, an axis that fits the data, and the same drawing as a file. Pure."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

from markupsafe import Markup

from helm_impactbench.outputs.report.parts import Box, Diamond, Dot, Line, Part, Words, digits, shown, svg_of
from helm_impactbench.results.passages import visible

WIDE, NARROW = 960, 350
"""Width of a drawing in its own units, which are pixels on a laptop and on a phone of 375 px."""
LONGEST_NAME = 28
"""Characters of a model's name in a chart; its title is whole."""
_WIDEST = 0.7
"""Of a name's letters on average, as text_width counts, in parts of the letters' size."""
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_TICKS = 6
COLOURS = {
    "ink": "#1b1c1e",
    "soft": "#50555b",
    "faint": "#c9cdd2",
    "blue": "#2166ac",
    "orange": "#b35806",
    "band": "#b5d0ea",
    "quiet": "#d3d8dd",
    "grey": "#7b828a",
    "page": "#ffffff",
}
"""Colours of a file, which has no style sheet of a page; names are those of the classes in site.css."""


@dataclass(frozen=True)
class Chart:
    """One chart, as a page has it and as a file."""

    name: str
    """Of its file, without ending."""
    title: str
    on_screen: Drawing
    on_phone: Drawing
    rows: Sequence[Mapping[str, object]] = ()
    """What is drawn, as a table; all rows have the same columns."""

    @property
    def id(self) -> str:
        """Of its figure on a page, by which others can be led to it."""
        return f"chart-{self.name}"

    @property
    def wide(self) -> Markup:
        """As SVG for a laptop."""
        return self.on_screen.markup()

    @property
    def narrow(self) -> Markup:
        """As SVG for a phone."""
        return self.on_phone.markup()

    @property
    def both(self) -> Markup:
        """Both drawings, of which the style sheet shows one."""
        return self.wide + self.narrow

    @property
    def csv(self) -> str:
        """Its rows as CSV."""
        text = io.StringIO()
        table = csv.DictWriter(text, list(self.rows[0]) if self.rows else [], lineterminator="\n")
        table.writeheader()
        table.writerows(self.rows)
        return text.getvalue()

    @property
    def alone(self) -> str:
        """The wide drawing as a file that needs no page."""
        rules = "".join(f".fill-{name}{{fill:{c}}}.stroke-{name}{{stroke:{c}}}" for name, c in COLOURS.items())
        style = f"<style>text{{font-family:sans-serif}}{rules}</style>"
        background = '<rect width="100%" height="100%" class="fill-page"/>'
        head, end, rest = str(self.wide).partition(">")
        head = head.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1).replace(' aria-hidden="true"', "")
        return f"{head}{end}<title>{shown(self.title)}</title>{style}{background}{rest}\n"


@dataclass(frozen=True)
class Axis:
    """A part of the shares from 0 to 1, and the distance of its ticks."""

    low: float
    high: float
    step: float

    @property
    def ticks(self) -> list[float]:
        """Where it has lines."""
        return [self.low + place * self.step for place in range(round((self.high - self.low) / self.step) + 1)]

    @property
    def note(self) -> str:
        """What a reader has to know of it; empty where it begins at 0."""
        return f"axis starts at {self.low:.0%}" if self.low > 0 else ""

    def between(self, left: float, right: float) -> Callable[[float], float]:
        """Return the place of a share on a drawing whose axis lies between two places."""
        return lambda share: left + (right - left) * (share - self.low) / (self.high - self.low)


def fitted_axis(shares: Sequence[float]) -> Axis:
    """Return the axis that fits some shares (0 to 1), with round ends and at most _MOST_TICKS steps."""
    known = [share for share in shares if not math.isnan(share)] or [0.0, 1.0]
    low, high = min(known), max(known)
    step = next((one for one in _STEPS if (high - low) / one <= _MOST_TICKS - 1), _STEPS[-1])
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    if low <= 2 * step:  # an axis that nearly begins at 0 begins there
        first = 0
    last = max(last, first + 2)
    most = round(1 / step)
    return Axis(step * max(0, first - max(0, last - most)), step * min(last, most), step)


_NAMED = 40
"""Pixels from one named tick to the next, at least."""


class Drawing:
    """A chart that grows downwards; every text in it is escaped."""

    def __init__(self, *, narrow: bool, width: float = 0.0) -> None:
        self.narrow = narrow
        self.width = width or (NARROW if narrow else WIDE)
        self.height = 0.0
        """What is drawn so far."""
        self.parts: list[Part] = []
        """In the order in which they are drawn."""
        self.model = ""
        """Whose the parts are that are drawn now; empty for what is nobody's."""

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 13,
        anchor: str = "start",
        colour: str = "ink",
        bold: bool = False,
        link: str = "",
        title: str = "",
        data: Mapping[str, object] | None = None,
    ) -> None:
        """Write words on a line; title: what a pointer shows, which a phone has not; data: what a test compares."""
        hint = "" if self.narrow else title
        self.parts.append(Words(x, y, words, size, anchor, colour, bold, link, hint, data or {}, self.model))

    def rect(self, x: float, y: float, width: float, height: float, colour: str, *, round_by: float = 0) -> None:
        """Fill a rectangle."""
        self.parts.append(Box(x, y, width, height, colour, round_by, self.model))

    def line(
        self, x: float, y: float, x2: float, y2: float, colour: str, *, width: float = 1, dashes: str = ""
    ) -> None:
        """Draw a line."""
        self.parts.append(Line(x, y, x2, y2, colour, width, dashes))

    def dot(
        self,
        x: float,
        y: float,
        radius: float,
        colour: str,
        *,
        hollow: bool = False,
        title: str = "",
        pale: bool = False,
    ) -> None:
        """Draw a dot, or a ring; on a phone there is no pointer to show a title."""
        self.parts.append(Dot(x, y, radius, colour, hollow, pale, "" if self.narrow else title, self.model))

    def diamond(self, x: float, y: float, radius: float, colour: str, *, link: str = "") -> None:
        """Draw a diamond."""
        self.parts.append(Diamond(x, y, radius, colour, link, self.model))

    def axis(self, axis: Axis, place: Callable[[float], float], top: float) -> None:
        """Draw an axis below what is drawn, its lines behind it from `top` on, and what has to be said of it."""
        bottom = self.height
        self.parts[:0] = [Line(place(tick), top, place(tick), bottom, "faint") for tick in axis.ticks]
        ticks = axis.ticks[:: self._every(axis, place)]
        for tick in ticks:
            outer = {axis.ticks[0]: "start", axis.ticks[-1]: "end"} if self.narrow else {}
            anchor = outer.get(tick, "middle")
            self.text(place(tick), bottom + 16, f"{tick:.0%}", size=12, anchor=anchor, colour="soft")
        if axis.note:
            self.text(place(axis.low), bottom + 32, axis.note, size=12, colour="soft")
        self.height = bottom + (40 if axis.note else 24)

    def _every(self, axis: Axis, place: Callable[[float], float]) -> int:
        """Return which of the ticks are named: every one, or as many as there is room for."""
        if self.narrow:
            return 2 if len(axis.ticks) > 5 else 1
        steps = len(axis.ticks) - 1
        gap = place(axis.ticks[1]) - place(axis.ticks[0])
        return next((one for one in range(1, steps) if steps % one == 0 and one * gap >= _NAMED), steps)

    def markup(self) -> Markup:
        """Return the SVG, silent to screen readers: a sentence and a table say the same."""
        style = "for-narrow" if self.narrow else "for-wide"
        box = f"0 0 {digits(self.width)} {digits(self.height)}"
        inside = svg_of(self.parts)
        return Markup(  # noqa: S704 - every text in it is escaped
            f'<svg viewBox="{box}" aria-hidden="true" class="{style}">{inside}</svg>'
        )


def drawn(name: str, title: str, draw: Callable[[Drawing], None], rows: Sequence[Mapping[str, object]] = ()) -> Chart:
    """Return the chart that `draw` makes on a wide and on a narrow drawing."""
    wide, narrow = Drawing(narrow=False), Drawing(narrow=True)
    for one in (wide, narrow):
        draw(one)
    return Chart(name, title, wide, narrow, rows)


def short(name: str, most: int = LONGEST_NAME) -> str:
    """Return a name without its middle where it is too long: releases of a model often differ at the end alone."""
    whole = visible(name)
    kept = most
    shown = whole if len(whole) <= kept else _without_middle(whole, kept)
    while text_width(shown, 1) > _WIDEST * most:  # wide letters, as of Chinese: fewer of them have room
        kept -= 1
        shown = _without_middle(whole, kept)
    return shown


def _without_middle(words: str, most: int) -> str:
    return f"{words[: (most - 1) // 2]}…{words[-(most // 2) :]}"


def text_width(words: str, size: float = 13, *, bold: bool = False) -> float:
    """Return at most how wide words are in the fonts of browsers, in units of a drawing."""
    wide = sum(1.05 if one in "%mwMW@" or east_asian_width(one) in "WF" else 0.64 for one in words)
    return size * wide * (1.1 if bold else 1)

"""What a chart is drawn of: words, boxes, lines, dots, diamonds; each is SVG of a page and can be painted elsewhere.

model: whose part it is, by which a page lets a reader follow a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from markupsafe import escape

from helm_impactbench.results.passages import visible


@dataclass(frozen=True)
class Words:
    """A line of text."""

    x: float
    y: float
    """Of its base line."""
    words: str
    size: float
    anchor: str
    """start, middle or end."""
    colour: str
    bold: bool = False
    link: str = ""
    title: str = ""
    """What a pointer shows."""
    data: Mapping[str, object] = field(default_factory=dict)
    """What a test compares, as data-name."""
    model: str = ""

    def svg(self) -> str:
        """Return it as SVG."""
        about = {**self.data, "model": self.model} if self.model else self.data
        given = "".join(f' data-{name}="{shown(value)}"' for name, value in about.items())
        where = "" if self.anchor == "start" else f' text-anchor="{self.anchor}"'
        weight = ' font-weight="600"' if self.bold else ""
        more = f"<title>{shown(self.title)}</title>" if self.title else ""
        return _linked(
            f'<text x="{digits(self.x)}" y="{digits(self.y)}" font-size="{digits(self.size)}"{where}{weight} '
            f'class="fill-{self.colour}"{given}>{more}{shown(self.words)}</text>',
            self.link,
        )


@dataclass(frozen=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    round_by: float = 0
    model: str = ""

    def svg(self) -> str:
        """Return it as SVG."""
        corners = f' rx="{digits(self.round_by)}"' if self.round_by else ""
        sides = f'width="{digits(self.width)}" height="{digits(self.height)}"'
        look = f'class="fill-{self.colour}"{_of(self.model)}'
        return f'<rect x="{digits(self.x)}" y="{digits(self.y)}" {sides}{corners} {look}/>'


@dataclass(frozen=True)
class Line:
    """A line."""

    x: float
    y: float
    x2: float
    y2: float
    colour: str
    width: float = 1
    dashes: str = ""

    def svg(self) -> str:
        """Return it as SVG."""
        dashed = f' stroke-dasharray="{self.dashes}"' if self.dashes else ""
        ends = f'x1="{digits(self.x)}" y1="{digits(self.y)}" x2="{digits(self.x2)}" y2="{digits(self.y2)}"'
        return f'<line {ends} stroke-width="{digits(self.width)}"{dashed} class="stroke-{self.colour}"/>'


@dataclass(frozen=True)
class Dot:
    """A dot, or a ring."""

    x: float
    y: float
    radius: float
    colour: str
    hollow: bool = False
    pale: bool = False
    title: str = ""
    model: str = ""

    @property
    def look(self) -> str:
        """Its attributes but for its place, which neighbours may share."""
        found = f'class="fill-{self.colour}"'
        if self.hollow:
            found = f'class="fill-page stroke-{self.colour}" stroke-width="2"'
        return f'{found} fill-opacity=".55"' if self.pale else found

    def svg(self) -> str:
        """Return it as SVG, without its look."""
        end = f"><title>{shown(self.title)}</title></circle>" if self.title else "/>"
        return f'<circle cx="{digits(self.x)}" cy="{digits(self.y)}" r="{digits(self.radius)}"{_of(self.model)}{end}'


@dataclass(frozen=True)
class Diamond:
    """A diamond."""

    x: float
    y: float
    radius: float
    colour: str
    link: str = ""
    model: str = ""

    @property
    def corners(self) -> list[tuple[float, float]]:
        """From the top on."""
        steps = ((0, -self.radius), (self.radius, 0), (0, self.radius), (-self.radius, 0))
        return [(self.x + right, self.y + down) for right, down in steps]

    def svg(self) -> str:
        """Return it as SVG."""
        points = " ".join(f"{digits(x)},{digits(y)}" for x, y in self.corners)
        return _linked(f'<polygon points="{points}" class="fill-{self.colour}"{_of(self.model)}/>', self.link)


Part = Words | Box | Line | Dot | Diamond


def shown(value: object) -> str:
    """Return a value as escaped text without signs that nobody sees."""
    return escape(visible(str(value)))


def digits(number: float) -> str:
    """Return a number of a drawing to a tenth of a pixel."""
    return f"{number:.1f}".removesuffix(".0")


def _of(model: str) -> str:
    return f' data-model="{shown(model)}"' if model else ""


def _linked(svg: str, link: str) -> str:
    return f'<a tabindex="-1" href="{escape(link)}">{svg}</a>' if link else svg


def svg_of(parts: Iterable[Part]) -> str:
    """Return parts as SVG; neighbouring dots of one look share it."""
    found = []
    for look, own in groupby(parts, lambda part: part.look if isinstance(part, Dot) else ""):
        inside = "".join(part.svg() for part in own)
        found.append(f"<g {look}>{inside}</g>" if look else inside)
    return "".join(found)

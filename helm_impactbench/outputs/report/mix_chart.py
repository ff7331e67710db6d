"""Whom do answers side with? A bar for each level of each model, cut by the side that answers are on. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.outputs.report.marks import NARROW, WIDE, Chart, Drawing, drawn, short, text_width

SIDE_COLOURS = {"high": ("blue", "page"), "middle": ("quiet", "ink"), "low": ("grey", "page")}
"""Side of the measure's middle -> colour of its part of a bar, and of the words in it."""
_BAR, _GAP, _HEAD = 20, 6, 30
_LONGEST, _LABEL = 30, 40
"""Characters of the name of a level, and of a side."""


@dataclass(frozen=True)
class MixRow:
    """One model's answers at each level."""

    name: str
    address: str
    shares: Mapping[str, Mapping[str, float]]
    """Level -> side (high, middle, low) -> share of the answers, from 0 to 1; those of a level sum to 1."""


def mix_chart(rows: Sequence[MixRow], sides: Mapping[str, str], title: str) -> Chart:
    """Return the chart; sides: side -> in words, in the order in which bars are cut."""

    def draw(to: Drawing) -> None:
        _legend(to, sides)
        for row in rows:
            to.text(0, to.height + 18, short(row.name), bold=True, link=row.address, title=row.name)
            to.height += _HEAD
            for level, shares in row.shares.items():
                _bar(to, level, [(side, shares[side]) for side in sides])
            to.height += _GAP

    return drawn("sides", title, draw)


def _legend(to: Drawing, sides: Mapping[str, str]) -> None:
    x, y = 0.0, to.height + 4
    for side, words in sides.items():
        label = short(words, _LABEL)
        width = 18 + text_width(label, 12) + 18
        if x and x + width > to.width:
            x, y = 0.0, y + 20
        to.rect(x, y, 12, 12, SIDE_COLOURS[side][0])
        to.text(x + 18, y + 11, label, size=12, colour="soft", title=words)
        x += width
    to.height = y + 20


def _bar(to: Drawing, level: str, parts: Sequence[tuple[str, float]]) -> None:
    left, right = (0.0, float(NARROW)) if to.narrow else (_LONGEST * 7.0, float(WIDE))
    if to.narrow:
        to.text(0, to.height + 12, short(level, _LONGEST), size=12, colour="soft")
        to.height += 18
    else:
        to.text(left - 12, to.height + 15, short(level, _LONGEST), anchor="end", colour="soft", title=level)
    x = left
    for side, share in parts:
        width = (right - left) * share
        colour, ink = SIDE_COLOURS[side]
        if share > 0:
            to.rect(x, to.height, width, _BAR, colour)
        words = f"{share:.0%}"
        if width > text_width(words, 12) + 6:
            to.text(x + width / 2, to.height + 15, words, size=12, anchor="middle", colour=ink, data={"side": side})
        x += width
    to.height += _BAR + _GAP

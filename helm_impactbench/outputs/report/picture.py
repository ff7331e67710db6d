"""A chart as pixels: matplotlib paints the parts of its drawing, at their places, in the colours of a light page."""

from __future__ import annotations

import io
import warnings
from functools import singledispatch
from pathlib import Path
from typing import Any

from helm_impactbench.outputs.report.marks import COLOURS, Chart, Drawing
from helm_impactbench.outputs.report.parts import Box, Diamond, Dot, Line, Words
from helm_impactbench.outputs.report.svg import drawing as settings
from helm_impactbench.results.passages import visible

PER_INCH = 100
"""Pixels."""
_SCALE = 2
"""Pixels of a file for a unit of its drawing."""
_SIDES = {"start": "left", "middle": "center", "end": "right"}


def write_chart(chart: Chart, folder: Path) -> None:
    """Write a chart as SVG, PNG and CSV, under its id."""
    (folder / f"{chart.id}.svg").write_text(chart.alone, encoding="utf-8")
    (folder / f"{chart.id}.png").write_bytes(png(chart.on_screen))
    (folder / f"{chart.id}.csv").write_text(chart.csv, encoding="utf-8", newline="")


def png(drawn: Drawing) -> bytes:
    """Return a drawing as a PNG; the same drawing gives the same bytes."""
    from matplotlib.figure import Figure

    margin = 16.0
    width, height = drawn.width + 2 * margin, drawn.height + 2 * margin
    with settings("picture"):
        figure = Figure(figsize=(width * _SCALE / PER_INCH, height * _SCALE / PER_INCH), dpi=PER_INCH)
        paint(figure, drawn, (margin / width, margin / height, drawn.width / width, drawn.height / height), _SCALE)
        return saved(figure)


def saved(figure: Any) -> bytes:
    """Return a figure as a PNG without a date."""
    found = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name in a script that the font lacks
        figure.savefig(found, format="png", facecolor=COLOURS["page"], metadata={"Software": None})
    return found.getvalue()


def paint(figure: Any, drawn: Drawing, place: tuple[float, float, float, float], scale: float) -> None:
    """Paint a drawing on a part of a figure; place: left, bottom, width, height as shares; scale: pixels of a unit."""
    axes = figure.add_axes(place)
    axes.axis("off")
    axes.set_xlim(0, drawn.width)
    axes.set_ylim(drawn.height, 0)
    for order, part in enumerate(drawn.parts):
        _paint(part, axes, scale * 72 / PER_INCH, order)


@singledispatch
def _paint(part: object, axes: Any, points: float, order: int) -> None:
    """Paint a part; points: of a unit; order: later parts lie above earlier ones."""
    raise TypeError(part)


@_paint.register
def _(part: Words, axes: Any, points: float, order: int) -> None:
    weight = "bold" if part.bold else "normal"
    size = part.size * points
    axes.text(
        part.x,
        part.y,
        visible(part.words),
        fontsize=size,
        color=COLOURS[part.colour],
        zorder=order,
        ha=_SIDES[part.anchor],
        va="baseline",
        weight=weight,
    )


@_paint.register
def _(part: Box, axes: Any, points: float, order: int) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = min(part.round_by, part.width / 2, part.height / 2)
    style = f"round,pad=0,rounding_size={corner}" if corner else "square,pad=0"
    axes.add_patch(
        FancyBboxPatch(
            (part.x, part.y),
            part.width,
            part.height,
            boxstyle=style,
            lw=0,
            fc=COLOURS[part.colour],
            zorder=order,
            clip_on=False,
        )
    )


@_paint.register
def _(part: Line, axes: Any, points: float, order: int) -> None:
    dashes: Any = (0, tuple(float(one) for one in part.dashes.split())) if part.dashes else "-"
    axes.plot(
        [part.x, part.x2],
        [part.y, part.y2],
        color=COLOURS[part.colour],
        lw=part.width * points,
        ls=dashes,
        solid_capstyle="butt",
        zorder=order,
        clip_on=False,
    )


@_paint.register
def _(part: Dot, axes: Any, points: float, order: int) -> None:
    from matplotlib.patches import Circle

    look = (
        {"fc": COLOURS["page"], "ec": COLOURS[part.colour], "lw": 2 * points}
        if part.hollow
        else {
            "fc": COLOURS[part.colour],
            "lw": 0,
            "alpha": 0.55 if part.pale else 1,
        }
    )
    axes.add_patch(Circle((part.x, part.y), part.radius, zorder=order, clip_on=False, **look))


@_paint.register
def _(part: Diamond, axes: Any, points: float, order: int) -> None:
    from matplotlib.patches import Polygon

    axes.add_patch(Polygon(part.corners, closed=True, fc=COLOURS[part.colour], lw=0, zorder=order, clip_on=False))

"""Plots of the report, each drawn twice by matplotlib: for a laptop, and for a phone; the style sheet shows one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from helm_impactbench.outputs.report.marks import short
from helm_impactbench.outputs.report.svg import BLUE, FAINT, INK, SOFT, drawing, markup
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.reliability import Bin

LONGEST_NAME = 40
NARROW, WIDE = 3.6, 7.4
"""Inches: what a screen of 375 px holds, and a column of a laptop's."""


@dataclass(frozen=True)
class PlotBar:
    """One row of a plot of correlations or differences."""

    name: str
    address: str
    """Where its point leads."""
    value: float
    interval: Interval


@dataclass(frozen=True)
class PlotPoint:
    """One model in a scatter plot; shares from 0 to 1."""

    name: str
    address: str
    x: float
    y: float
    x_interval: Interval
    y_interval: Interval


def correlation_plot(bars: Sequence[PlotBar], flagged: float) -> Markup:
    """Return a plot of correlations (-1 to 1) with their intervals, first on top; dashed lines at +-`flagged`."""

    def draw(axes: Any, narrow: bool) -> None:
        for bound in (-flagged, flagged):
            axes.axvline(bound, color=FAINT, lw=1, ls="--")
        _signed_rows(axes, bars, narrow, "rank correlation with capability")
        axes.set_xlim(-1.03, 1.03)

    return _twice("correlations", draw, len(bars))


def gap_plot(bars: Sequence[PlotBar], label: str) -> Markup:
    """Return a plot of differences with their intervals, first on top, around a line at 0."""

    def draw(axes: Any, narrow: bool) -> None:
        axes.axvline(0, color=INK, lw=1)
        _signed_rows(axes, bars, narrow, label)
        reach = 1.05 * max(abs(end) for bar in bars for end in (bar.value, *_ends(bar.interval), 0.1))
        axes.set_xlim(-reach, reach)

    return _twice(f"gaps of {label}", draw, len(bars))


def scatter_plot(points: Sequence[PlotPoint], x_label: str, y_label: str) -> Markup:
    """Return a plot of one share against another, every point with both intervals and its name.

    A phone has no room for names beside the plot: there points have numbers, and the names stand below it.
    """

    def draw(axes: Any, narrow: bool) -> None:
        for point in points:
            x, y = 100 * point.x, 100 * point.y
            for interval, xs, ys in ((point.x_interval, None, [y, y]), (point.y_interval, [x, x], None)):
                if interval.is_known:
                    ends = [100 * interval.low, 100 * interval.high]
                    axes.plot(xs or ends, ys or ends, color=FAINT, lw=1.4)
            axes.scatter([x], [y], s=60, color=BLUE, zorder=3, urls=[point.address])
        (_number_points if narrow else _name_points)(axes, points)
        _share_axis(axes, "x", x_label, narrow)
        _share_axis(axes, "y", y_label, narrow)

    name = f"scatter of {y_label} against {x_label}"
    key = 0.19 * len(points)
    return _drawn(name, draw, (WIDE, 4.4), narrow=False) + _drawn(name, draw, (NARROW, 3.2 + key), narrow=True)


def reliability_plot(bins: Sequence[Bin], name: str) -> Markup:
    """Return a plot of how often answers are right against how sure they are said to be, by bins of the latter.

    Points below the dashed line are surer than they should be. name: not shown; unique on a page.
    """

    def draw(axes: Any, narrow: bool) -> None:
        axes.plot([0, 100], [0, 100], color=FAINT, lw=1, ls="--")
        for part in bins:
            if part.right.interval.is_known:
                ends = [100 * part.right.interval.low, 100 * part.right.interval.high]
                axes.plot([100 * part.said] * 2, ends, color=SOFT, lw=1.4)
        axes.plot([100 * part.said for part in bins], [100 * part.right.value for part in bins], color=BLUE, lw=1)
        axes.scatter(
            [100 * part.said for part in bins], [100 * part.right.value for part in bins], s=52, color=BLUE, zorder=3
        )
        _share_axis(axes, "x", "stated confidence", narrow)
        _share_axis(axes, "y", "right", narrow)

    return _drawn(name, draw, (4.4, 4.0), narrow=False) + _drawn(name, draw, (NARROW, 3.2), narrow=True)


def label_heights(heights: Sequence[float], gap: float = 5.0) -> list[float]:
    """Return heights (0 to 100) of labels, as near to those of their points as a distance of `gap` allows."""
    gap = min(gap, 100 / max(1, len(heights) - 1))
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed: list[float] = []
    for i in order:
        placed.append(max(heights[i], placed[-1] + gap) if placed else heights[i])
    top = 100.0
    for place in reversed(range(len(placed))):
        placed[place] = min(placed[place], top)
        top = placed[place] - gap
    return [placed[order.index(i)] for i in range(len(heights))]


_Draw = Callable[[Any, bool], None]


def _twice(name: str, draw: _Draw, rows: int) -> Markup:
    """Return a plot of rows for a laptop, and for a phone, where every row has its name above it."""
    wide, narrow = (WIDE, 0.62 + 0.33 * rows), (NARROW, 0.55 + 0.4 * rows)
    return _drawn(name, draw, wide, narrow=False) + _drawn(name, draw, narrow, narrow=True)


def _drawn(name: str, draw: _Draw, size: tuple[float, float], *, narrow: bool) -> Markup:
    from matplotlib.figure import Figure

    style = "for-narrow" if narrow else "for-wide"
    with drawing(f"{name}, {style}"):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot(), narrow)
        return markup(figure, style)


def _rows(axes: Any, names: Sequence[str], narrow: bool) -> None:
    """Name the rows, beside them or above them."""
    if narrow:
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        for place, name in enumerate(names):
            axes.annotate(
                _short(name), (0, place - 0.42), xycoords=("axes fraction", "data"), va="center", annotation_clip=False
            )
    else:
        axes.set_yticks(range(len(names)), [_short(name) for name in names])
        axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.5, -(0.75 if narrow else 0.55))


def _signed_rows(axes: Any, bars: Sequence[PlotBar], narrow: bool, label: str) -> None:
    for place, bar in enumerate(bars):
        _line(axes, bar.interval, place, 1.6, INK, 1)
        axes.scatter([bar.value], [place], s=46, color=BLUE, zorder=3, urls=[bar.address])
    _rows(axes, [bar.name for bar in bars], narrow)
    axes.set_xlabel(label)
    _quiet_edges(axes, "x")


def _name_points(axes: Any, points: Sequence[PlotPoint]) -> None:
    """Write the names in a column right of the plot, each with a line to its point, so that none covers another."""
    for point, height in zip(points, label_heights([100 * point.y for point in points]), strict=True):
        axes.annotate(
            _short(point.name),
            (100 * point.x, 100 * point.y),
            (108, height),
            annotation_clip=False,
            va="center",
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": FAINT, "lw": 0.6},
        )


def _number_points(axes: Any, points: Sequence[PlotPoint]) -> None:
    """Number the points, those at one place together, and write the names below the plot."""
    places: dict[tuple[int, int], list[int]] = {}
    for number, point in enumerate(points, start=1):
        places.setdefault((round(20 * point.x), round(20 * point.y)), []).append(number)
    for numbers in places.values():
        first = points[numbers[0] - 1]
        right = first.x < 0.8
        axes.annotate(
            ", ".join(map(str, numbers)),
            (100 * first.x, 100 * first.y),
            xytext=(6 if right else -6, 7),
            textcoords="offset points",
            ha="left" if right else "right",
            fontsize=9,
        )
    key = "\n".join(f"{number}  {_short(point.name)}" for number, point in enumerate(points, start=1))
    axes.figure.supxlabel(key, x=0.02, ha="left", fontsize=9)


def _line(axes: Any, interval: Interval | None, place: int, width: float, colour: str, scale: float) -> None:
    if interval is not None and interval.is_known:
        ends = [scale * interval.low, scale * interval.high]
        axes.plot(ends, [place, place], color=colour, lw=width, solid_capstyle="butt")


def _ends(interval: Interval) -> tuple[float, ...]:
    return (interval.low, interval.high) if interval.is_known else ()


def _share_axis(axes: Any, side: str, label: str, narrow: bool) -> None:
    getattr(axes, f"set_{side}lim")(-3, 103)
    ticks = range(0, 101, 25 if narrow else 20)
    getattr(axes, f"set_{side}ticks")(ticks, [f"{tick}%" for tick in ticks])
    getattr(axes, f"set_{side}label")(label)
    _quiet_edges(axes, side)


def _quiet_edges(axes: Any, side: str) -> None:
    axes.grid(axis=side, lw=0.5, alpha=0.6)
    axes.set_axisbelow(True)
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)


def _short(name: str) -> str:
    return short(name, LONGEST_NAME)

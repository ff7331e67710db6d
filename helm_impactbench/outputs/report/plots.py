"""Plots as inline SVG: drawn by matplotlib, text kept as text, colours taken from the page's style sheet.

matplotlib styles its elements by style attributes and a style element, which the pages' Content-Security-Policy
forbids. They are rewritten as presentation attributes, and two stand-in colours as classes that follow light and dark.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup

from helm_impactbench.outputs.report.text import visible
from helm_impactbench.stats.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT, BLUE, ORANGE = "#010101", "#020202", "#030303", "#040404"
"""Stand-ins for text, grid, and the two colours of the data."""
_CLASSES = {INK: "ink", FAINT: "faint", BLUE: "blue", ORANGE: "orange"}
_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": FAINT,
    "font.size": 10,
    "font.family": "DejaVu Sans",
}
LONGEST_NAME = 40


@dataclass(frozen=True)
class Bar:
    """One row of an interval plot; shares from 0 to 1."""

    name: str
    address: str
    """Where its point leads."""
    value: float
    wide: Interval
    narrow: Interval | None = None
    """A second interval, drawn thicker."""


@dataclass(frozen=True)
class Point:
    """One model in a scatter plot; shares from 0 to 1."""

    name: str
    address: str
    x: float
    y: float
    x_interval: Interval
    y_interval: Interval


def interval_plot(bars: Sequence[Bar]) -> Markup:
    """Return a plot of values with their intervals, first on top."""
    from matplotlib.figure import Figure

    with _drawing("intervals"):
        figure = Figure(figsize=(7.5, 0.9 + 0.33 * len(bars)), layout="constrained")
        axes = figure.add_subplot()
        for place, bar in enumerate(bars):
            _line(axes, bar.wide, place, 1.6)
            _line(axes, bar.narrow, place, 5)
            axes.scatter([100 * bar.value], [place], s=46, color=BLUE, zorder=3, urls=[bar.address])
        axes.set_yticks(range(len(bars)), [_short(bar.name) for bar in bars])
        axes.set_ylim(len(bars) - 0.4, -0.6)
        _share_axis(axes, "x", "pass rate, per cent")
        return _markup(figure)


def scatter_plot(points: Sequence[Point], x_label: str, y_label: str) -> Markup:
    """Return a plot of one share against another, every point with both intervals and its name."""
    from matplotlib.figure import Figure

    with _drawing(f"scatter of {y_label} against {x_label}"):
        figure = Figure(figsize=(8.5, 5), layout="constrained")
        axes = figure.add_subplot()
        for point in points:
            x, y = 100 * point.x, 100 * point.y
            if point.x_interval.is_known:
                axes.plot([100 * point.x_interval.low, 100 * point.x_interval.high], [y, y], color=FAINT, lw=1.4)
            if point.y_interval.is_known:
                axes.plot([x, x], [100 * point.y_interval.low, 100 * point.y_interval.high], color=FAINT, lw=1.4)
            axes.scatter([x], [y], s=60, color=BLUE, zorder=3, urls=[point.address])
        _name_points(axes, points)
        _share_axis(axes, "x", x_label)
        _share_axis(axes, "y", y_label)
        return _markup(figure)


def correlation_plot(bars: Sequence[Bar], flagged: float) -> Markup:
    """Return a plot of correlations (-1 to 1) with their intervals, first on top; dashed lines at +-`flagged`."""
    from matplotlib.figure import Figure

    with _drawing("correlations"):
        figure = Figure(figsize=(7.5, 0.9 + 0.33 * len(bars)), layout="constrained")
        axes = figure.add_subplot()
        for bound in (-flagged, flagged):
            axes.axvline(bound, color=FAINT, lw=1, ls="--")
        for place, bar in enumerate(bars):
            axes.plot([bar.wide.low, bar.wide.high], [place, place], color=INK, lw=1.6, solid_capstyle="butt")
            axes.scatter([bar.value], [place], s=46, color=BLUE, zorder=3, urls=[bar.address])
        axes.set_yticks(range(len(bars)), [_short(bar.name) for bar in bars])
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.set_xlim(-1.03, 1.03)
        axes.set_xlabel("rank correlation with capability")
        _quiet_edges(axes, "x")
        return _markup(figure)


@contextmanager
def _drawing(name: str) -> Iterator[None]:
    """Draw with our settings, whatever the user's own are; `name` keeps the ids of two plots on a page apart."""
    import matplotlib as mpl

    settings: Any = {**_SETTINGS, "svg.hashsalt": name}
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(settings)
        yield


def _name_points(axes: Any, points: Sequence[Point]) -> None:
    """Write the names in a column right of the plot, each with a line to its point, so that none covers another."""
    for point, height in zip(points, label_heights([100 * point.y for point in points]), strict=True):
        axes.annotate(_short(point.name), (100 * point.x, 100 * point.y), (108, height), annotation_clip=False,
                      va="center", fontsize=9, arrowprops={"arrowstyle": "-", "color": FAINT, "lw": 0.6})  # fmt: skip


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


def _line(axes: Any, interval: Interval | None, place: int, width: float) -> None:
    if interval is not None and interval.is_known:
        axes.plot([100 * interval.low, 100 * interval.high], [place, place], color=ORANGE if width > 2 else INK,
                  lw=width, solid_capstyle="butt")  # fmt: skip


def _share_axis(axes: Any, side: str, label: str) -> None:
    getattr(axes, f"set_{side}lim")(-3, 103)
    getattr(axes, f"set_{side}ticks")(range(0, 101, 20))
    getattr(axes, f"set_{side}label")(label)
    _quiet_edges(axes, side)


def _quiet_edges(axes: Any, side: str) -> None:
    axes.grid(axis=side, lw=0.6)
    axes.set_axisbelow(True)
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)


def _short(name: str) -> str:
    shown = visible(name)
    return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 1]}…"


def _markup(figure: Figure) -> Markup:
    """Return the figure as an SVG element that needs no style of its own and is silent to screen readers.

    A table beside it shows the same, with the same links.
    """
    text = io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name in a script that the measuring font lacks
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    for prefix, space in (("", _SVG), ("xlink", _LINK)):
        ElementTree.register_namespace(prefix, space)
    root = ElementTree.fromstring(text.getvalue())  # noqa: S314 - just written by matplotlib
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("style", "metadata"):
                parent.remove(child)
        _restyle(parent)
    root.set("aria-hidden", "true")
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704 - serialised, so escaped


def _restyle(element: ElementTree.Element) -> None:
    """Turn the style attribute of an element into presentation attributes."""
    classes = set()
    for declaration in re.split(r";\s*", element.attrib.pop("style", "")):
        name, _, value = declaration.partition(":")
        if name in ("fill", "stroke") and value.strip() in _CLASSES:
            classes.add(f"{name}-{_CLASSES[value.strip()]}")
        elif name == "font":
            element.set("font-size", value.split("px")[0].split()[-1])
        elif name and not name.startswith("-"):
            element.set(name, value.strip())
    if classes:
        element.set("class", " ".join(sorted(classes)))
    link = f"{{{_LINK}}}href"
    if element.tag.endswith("}g"):
        element.attrib.pop("id", None)  # nothing refers to it, and two plots of a page would have the same
    if element.tag.endswith("}a"):
        element.set("tabindex", "-1")
        element.set("href", element.attrib.pop(link))

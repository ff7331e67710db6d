"""A sheet as an SVG file that can be embedded anywhere: text is text, nothing is loaded, nothing runs."""

from __future__ import annotations

from html import escape

from helm_impactbench.outputs.label.sheet import LabelSheet, Shape, SheetBox, SheetText

FAMILY = "'DejaVu Sans', Verdana, Geneva, sans-serif"
"""The font that was measured with, and those that a reader may have, none of which is wider."""
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}


def svg_of(sheet: LabelSheet, height: float, title: str = "", description: str = "") -> str:
    """Return the sheet as SVG; title and description are what a screen reader says of it.

    Without a title it is hidden from screen readers, where a text beside it says the same. No element has an id or a
    style, which a page may have twice, or forbid.
    """
    width, tall = _number(sheet.width), _number(height)
    said = f'role="img" aria-label="{escape(title)}"' if title else 'aria-hidden="true"'
    words = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>" if title else ""
    drawn = "".join(map(_element, sheet.placed))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{tall}" viewBox="0 0 {width} {tall}" '
        f'font-family="{FAMILY}" {said}>{words}{drawn}</svg>\n'
    )


def _element(one: SheetBox | Shape | SheetText) -> str:
    if isinstance(one, SheetBox):
        ends = (one.x, one.x + one.width), (one.y, one.y + one.height)
        corners = (
            (ends[0][0], ends[1][0]),
            (ends[0][1], ends[1][0]),
            (ends[0][1], ends[1][1]),
            (ends[0][0], ends[1][1]),
        )
        return _path(corners, one.fill, one.edge, one.line)
    if isinstance(one, Shape):
        return _path(one.points, one.fill, one.edge, one.line)
    weight = ' font-weight="700"' if one.bold else ""
    text = (
        f'<text x="{_number(one.x)}" y="{_number(one.y)}" font-size="{_number(one.size)}"{weight} fill="{one.colour}" '
        f'text-anchor="{_ANCHORS[one.align]}">{escape(one.text)}</text>'
    )
    return f'<a href="{escape(one.address)}">{text}</a>' if one.address else text


def _path(points: tuple[tuple[float, float], ...], fill: str | None, edge: str | None, line: float) -> str:
    way = "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
    stroke = f' stroke="{edge}" stroke-width="{_number(line)}"' if edge else ""
    return f'<path d="M{way}Z" fill="{fill or "none"}"{stroke}/>'


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")

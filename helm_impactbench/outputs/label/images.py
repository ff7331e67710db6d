"""Labels and badges as SVG, PNG and PDF."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from markupsafe import Markup

from helm_impactbench.outputs.label import badge as badges
from helm_impactbench.outputs.label.audiences import audience_of
from helm_impactbench.outputs.label.picture import WIDTH, picture_of, scale_of, words_of
from helm_impactbench.outputs.label.sheet import drawing
from helm_impactbench.outputs.label.shown import shown_label
from helm_impactbench.outputs.label.svg import svg_of
from helm_impactbench.results.passages import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from helm_impactbench.outputs.label.label import Label
    from helm_impactbench.outputs.label.shown import ShownLabel
    from helm_impactbench.outputs.label.words import ShownRow

PIXELS_PER_INCH = 160
"""Of a PNG: 1,200 pixels wide."""
A4 = (595.28, 841.89)
"""Points."""
PRINTED = (538.0, 734.0)
"""What of a page is printed on: it lies inside the margins of A4 and of Letter."""


def svg(label: Label, audience: str) -> str:
    """Return the label as SVG.

    Raises ImpactBenchError for an unknown audience and ValueError for a label without a grade, as do the others.
    """
    return drawn(shown_label(label, audience_of(audience)))


def drawn(shown: ShownLabel) -> str:
    """Return a label in an audience's words as SVG."""
    return svg_of(*picture_of(shown), visible(shown.heading), words_of(shown))


def scale(label: ShownLabel, row: ShownRow) -> Markup:
    """Return the scale of one row that has a grade as SVG, for a cell of a table that says the same in words."""
    return Markup(svg_of(*scale_of(label, row)))  # noqa: S704 - svg.py escapes


def png(label: Label, audience: str) -> bytes:
    """Return the label as PNG, 1,200 pixels wide."""
    sheet, height = picture_of(shown_label(label, audience_of(audience)))
    return _written(sheet.figure, WIDTH, height, 1.0, kind="png")


def pdf(label: Label, audience: str) -> bytes:
    """Return the label as PDF on one sheet of A4, as large as fits; it also fits on Letter."""
    sheet, height = picture_of(shown_label(label, audience_of(audience)))
    scale = min(PRINTED[0] / WIDTH, PRINTED[1] / height)
    left, top = (A4[0] - scale * WIDTH) / 2, (A4[1] - PRINTED[1]) / 2
    return _written(sheet.figure, *A4, scale, left, top, kind="pdf")


def badge(label: Label, audience: str, address: str | None = None) -> str:
    """Return the badge as SVG, 240 by 60; `address` is where it leads where it is not embedded as an image."""
    shown = shown_label(label, audience_of(audience))
    return svg_of(badges.badge_of(shown, address), badges.HEIGHT, visible(shown.heading), badges.badge_words(shown))


DRAWN: Mapping[str, Callable[[Label, str], str | bytes]] = {"svg": svg, "png": png, "pdf": pdf}
"""Format -> how a label gets it."""


def _written(figure: Callable[..., Figure], *place: float, kind: str) -> bytes:
    content = io.BytesIO()
    with drawing():
        metadata = {"CreationDate": None, "Producer": None, "Creator": None} if kind == "pdf" else {"Software": None}
        figure(*place).savefig(content, format=kind, dpi=PIXELS_PER_INCH, metadata=metadata)
    return content.getvalue()

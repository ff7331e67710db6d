"""Labels and badges as SVG, PNG and PDF, drawn by matplotlib."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from helm_impactbench.outputs.label import badge as badges
from helm_impactbench.outputs.label.picture import WIDTH, picture_of, words_of
from helm_impactbench.outputs.label.render import audience_of
from helm_impactbench.outputs.label.sheet import drawing
from helm_impactbench.outputs.label.shown import shown_label
from helm_impactbench.outputs.label.svg import svg_of
from helm_impactbench.results.passages import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from helm_impactbench.outputs.label.label import Label

PIXELS_PER_INCH = 160
"""Of a PNG: 1,200 pixels wide."""
A4 = (595.28, 841.89)
"""Points."""
PRINTED = (538.0, 734.0)
"""What of a page is printed on: it lies inside the margins of A4 and of Letter."""


def svg(label: Label, audience: str) -> str:
    """Return the label as SVG. Raises ImpactBenchError for an unknown audience, as do the others."""
    shown = shown_label(label, audience_of(audience))
    sheet, height = picture_of(shown)
    with drawing():
        return svg_of(sheet.figure(WIDTH, height, 1.0), visible(shown.title), words_of(shown))


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
    with drawing():
        figure = badges.badge_of(shown, address).figure(badges.WIDTH, badges.HEIGHT, 1.0)
        return svg_of(figure, visible(shown.title), badges.badge_words(shown))


DRAWN: Mapping[str, Callable[[Label, str], str | bytes]] = {"svg": svg, "png": png, "pdf": pdf}
"""Format -> how a label gets it."""


def _written(figure: Callable[..., Figure], *place: float, kind: str) -> bytes:
    content = io.BytesIO()
    with drawing():
        metadata = {"CreationDate": None, "Producer": None, "Creator": None} if kind == "pdf" else {"Software": None}
        figure(*place).savefig(content, format=kind, dpi=PIXELS_PER_INCH, metadata=metadata)
    return content.getvalue()

"""The picture that a link to the report shows in a chat or a feed: the finding, the judge, and the chart of models."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from helm_impactbench.outputs.report.front import front_statements, models_drawn
from helm_impactbench.outputs.report.groups import ModelGroup
from helm_impactbench.outputs.report.marks import COLOURS, WIDE, Drawing
from helm_impactbench.outputs.report.model_chart import ModelLine, draw_models
from helm_impactbench.outputs.report.picture import PER_INCH, paint, saved
from helm_impactbench.outputs.report.references import scripts_beside
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.report.statement import as_text
from helm_impactbench.outputs.report.svg import drawing
from helm_impactbench.outputs.report.trust import judge_words
from helm_impactbench.results.passages import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS = 20
"""Models that the picture has room for."""
LONGEST = 170
"""Characters of the finding."""
_WIDTH, _HEIGHT, _MARGIN = 1200, 630, 54
_PER_LINE = 80
"""Characters of a line of small letters."""
_LARGEST = 1.7
"""Pixels of the picture for a unit of the chart, at most."""


def write_preview(results: Results, path: Path) -> None:
    """Write the picture, 1200 x 630 pixels; the same suite gives the same bytes."""
    with drawing("preview"):
        path.write_bytes(saved(preview(results)))


def preview(results: Results) -> Figure:
    """Return the picture as a figure."""
    if results.site.judges.failed:
        return _failed(results)
    found, _ = front_statements(results, scripts_beside(results.scores))
    said = textwrap.shorten(
        visible(as_text(found.headline, lambda model: results.short_names[model])), LONGEST, placeholder=" …"
    )
    lines = textwrap.wrap(said, 60)
    rows, groups = models_drawn(results)
    below = 62 + 41 * len(lines)
    figure = _written(
        _suite(results),
        (54, "\n".join(lines), 23, "ink", "bold"),
        (below, _trust(results, len(rows)), 14, "orange", "normal"),
    )
    if rows:
        _chart(figure, *shown_rows(rows, groups), below + 30)
    return figure


def _failed(results: Results) -> Figure:
    """Return the picture of a suite whose judge failed its check: nothing else is to be seen from afar."""
    why = textwrap.shorten(visible(results.site.judges.line), 3 * _PER_LINE, placeholder=" …")
    return _written(
        _suite(results),
        (110, "The judge failed its check.", 44, "orange", "bold"),
        (220, "Nothing is ranked.", 44, "ink", "bold"),
        (360, textwrap.fill(why, _PER_LINE), 17, "soft", "normal"),
    )


Line = tuple[float, str, float, str, str]
"""Pixels from the top, words, size of the letters, colour and weight."""


def _suite(results: Results) -> Line:
    return 26, f"ImpactBench report {visible(results.site.suite)}", 13, "soft", "normal"


def _written(*lines: Line) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH / PER_INCH, _HEIGHT / PER_INCH), dpi=PER_INCH, facecolor=COLOURS["page"])
    for y, words, size, colour, weight in lines:
        figure.text(
            _MARGIN / _WIDTH,
            1 - y / _HEIGHT,
            words,
            color=COLOURS[colour],
            fontsize=size,
            weight=weight,
            va="top",
            linespacing=1.25,
        )
    return figure


def shown_rows(rows: Sequence[ModelLine], groups: Sequence[ModelGroup]) -> tuple[list[ModelLine], list[ModelGroup]]:
    """Return the first MOST_ROWS rows with their groups."""
    kept = {row.model for row in rows[:MOST_ROWS]}
    own = [replace(group, models=tuple(model for model in group.models if model in kept)) for group in groups]
    return list(rows[:MOST_ROWS]), [group for group in own if group.models]


def _trust(results: Results, models: int) -> str:
    scripted = ["models marked (scripted) recite lines"] if results.site.scripted else []
    fewer = [f"first {MOST_ROWS} of {models} models"] if models > MOST_ROWS else []
    part = ["not finished"] if results.site.unfinished else []
    return " \N{MIDDLE DOT} ".join([judge_words(results.site.judges.state), *part, *scripted, *fewer])


def _chart(figure: Figure, rows: Sequence[ModelLine], groups: Sequence[ModelGroup], top: float) -> None:
    """Draw the chart as large as the room allows, and as wide."""
    height, width = _HEIGHT - top - 20, _WIDTH - 2 * _MARGIN
    trial = Drawing(narrow=False)
    draw_models(trial, rows, groups)
    scale = min(_LARGEST, height / trial.height, width / (0.6 * WIDE))
    fitted = Drawing(narrow=False, width=width / scale)
    draw_models(fitted, rows, groups)
    used = fitted.height * scale
    place = (_MARGIN / _WIDTH, 1 - (top + used) / _HEIGHT, width / _WIDTH, used / _HEIGHT)
    paint(figure, fitted, place, scale)

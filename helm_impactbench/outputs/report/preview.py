"""The picture that a link to the report shows in a chat or a feed: the finding and the first rows of the ranking."""

from __future__ import annotations

import textwrap
import warnings
from pathlib import Path

from helm_impactbench.outputs.report.front import front_statements
from helm_impactbench.outputs.report.references import scripts_beside
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.report.statement import as_text
from helm_impactbench.outputs.report.svg import drawing
from helm_impactbench.results.passages import visible

MOST_ROWS = 5
LONGEST = 220
"""Characters of the finding."""
_PAGE, _TEXT, _SOFT, _ACCENT, _BAND = "#ffffff", "#1b1c1e", "#50555b", "#1c4f9c", "#fdb863"


def write_preview(results: Results, path: Path) -> None:
    """Draw the picture, 1200 x 630 pixels; the same suite gives the same bytes."""
    from matplotlib.figure import Figure

    references = scripts_beside(results.scores)
    found, _ = front_statements(results, references)
    said = textwrap.shorten(visible(as_text(found.headline, lambda model: results.site.models[model])), LONGEST,
                            placeholder=" …")  # fmt: skip
    rows = [(results.site.models[model], score) for model, score in results.scores.items()
            if score.groups and model not in references and not results.site.judges.failed][:MOST_ROWS]  # fmt: skip
    with drawing("preview"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name in a script that the font lacks
        figure = Figure(figsize=(12, 6.3), dpi=100, facecolor=_PAGE)
        figure.text(0.05, 0.9, f"ImpactBench report {visible(results.site.suite)}", color=_ACCENT, fontsize=19,
                    weight="bold", va="center")  # fmt: skip
        figure.text(0.05, 0.83, textwrap.fill(said, 56), color=_TEXT, fontsize=25, va="top", linespacing=1.3)
        axes = figure.add_axes((0.36, 0.06, 0.52, 0.075 * len(rows) + 0.001))
        axes.axis("off")
        axes.set_xlim(0, 1)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        for place, (name, score) in enumerate(rows):
            axes.plot([0, 1], [place, place], color="#e4e7ea", lw=8, solid_capstyle="round")
            if score.interval.is_known:
                ends = [score.interval.low, score.interval.high]
                axes.plot(ends, [place, place], color=_BAND, lw=8, solid_capstyle="butt")
            axes.scatter([score.mean], [place], s=150, color=_ACCENT, zorder=3, clip_on=False)
            axes.text(-0.03, place, textwrap.shorten(visible(name), 34, placeholder="…"), ha="right", va="center",
                      color=_TEXT, fontsize=15)  # fmt: skip
            axes.text(1.03, place, f"{100 * score.mean:.1f}%", va="center", color=_SOFT, fontsize=15)
        figure.savefig(path, format="png", facecolor=_PAGE, metadata={"Software": None})

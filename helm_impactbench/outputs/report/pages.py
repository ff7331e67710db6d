"""Jinja2 with autoescape always on, and every printed text made visible: no page can be built without either."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup

from helm_impactbench._version import __version__
from helm_impactbench.analysis.contrast_metrics import FigureEstimate
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.errors import counted
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.area_words import area_words
from helm_impactbench.outputs.report.contrasts import affirms_both, shown_sides, without_common_unit
from helm_impactbench.outputs.report.rows import conversation_rows, verdict_cell
from helm_impactbench.outputs.report.spoken import is_spoken
from helm_impactbench.outputs.report.trust import judge_words
from helm_impactbench.results.passages import LONG_TEXT, visible
from helm_impactbench.results.references import reference_name
from helm_impactbench.results.shown import WORDLESS
from helm_impactbench.results.verdict_words import answer, vote_words
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.population import UNSEEN, HasIntervals
from helm_impactbench.tables.cells import off_zero
from helm_impactbench.tables.names import bare_names

HERE = Path(__file__).parent
DASH = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"


def render(template: str, address: str, **values: Any) -> str:
    """Return the page at `address`."""
    return environment().get_template(f"{template}.html.jinja").render(root=names.root_of(address), **values)


def write_page(folder: Path, template: str, address: str, **values: Any) -> None:
    """Write the page at `address` below `folder`."""
    path = folder / address
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(template, address, **values), encoding="utf-8", newline="\n")


@cache
def environment(folder: Path | None = None) -> Environment:
    """Return where templates are found: the report's; those in `folder` before them, which have them as report/NAME."""
    own = FileSystemLoader(HERE)
    above = [FileSystemLoader(folder), PrefixLoader({"report": own})] if folder else []
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=ChoiceLoader([*above, own]),
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters |= {
        "counted": counted,
        "percent": percent,
        "whole": whole,
        "span": span,
        "points": points,
        "area": area_words,
        "group": group_words,
        "points_span": points_span,
        "heat": heat,
        "figure": figure,
        "plain": plain,
        "signed": signed,
        "signed_span": signed_span,
        "share": share,
        "share_span": share_span,
        "note_id": note_id,
    }
    environment.globals |= {
        "names": names,
        "version": __version__,
        "query": query,
        "long_text": LONG_TEXT,
        "wordless": WORDLESS,
        "unseen": UNSEEN,
        "vote_words": vote_words,
        "answer_of": answer,
        "conversation_rows": conversation_rows,
        "verdict_cell": verdict_cell,
        "is_spoken": is_spoken,
        "judge_words": judge_words,
        "reference_name": reference_name,
        "bare_names": bare_names,
        "without_common_unit": without_common_unit,
        "shown_sides": shown_sides,
        "affirms_both": affirms_both,
    }
    return environment


def _shown(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def percent(value: float | None) -> str:
    """Return a share as per cent; a dash for an unknown one."""
    return DASH if value is None or math.isnan(value) else f"{100 * value:.1f}%"


def whole(value: float) -> str:
    """Return a share as a sentence has it: without decimals."""
    return DASH if math.isnan(value) else f"{value:.0%}"


def _both(found: HasIntervals, shown: Callable[[Interval], str]) -> Markup | str:
    """Return the interval for each population; the page's switch shows one of them."""
    these, like_these = shown(found.interval), shown(found.like_these_interval)
    if these == like_these:
        return these
    parts = Markup('<span class="these">{}</span><span class="like-these">{}</span>')
    return parts.format(these, like_these)


def _known(interval: Interval, shown: Callable[[float], str], digits: int) -> str:
    ends = (shown(off_zero(bound, digits)) for bound in (interval.low, interval.high))
    return " to ".join(ends) if interval.is_known else "unknown"


def span(found: HasIntervals) -> Markup | str:
    """Return the intervals of a share as per cent."""
    return _both(
        found, lambda interval: _known(interval, lambda bound: f"{100 * bound:.1f}", 3) + "%" * interval.is_known
    )


def points(value: float) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return f"{100 * value:+.1f}".replace("-", MINUS)


def points_span(found: HasIntervals) -> Markup | str:
    """Return the intervals of a difference in percentage points."""
    return _both(found, lambda interval: _known(interval, points, 3))


def figure(value: float | None, digits: int = 2) -> str:
    """Return a number; a dash for an unknown one."""
    return DASH if value is None or math.isnan(value) else f"{value:.{digits}f}"


def signed(value: float | None) -> str:
    """Return a number with its sign; a dash for an unknown one."""
    if value is None or math.isnan(value):
        return DASH
    shown = f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.2f}"  # amounts are told as amounts
    return shown.replace("-", MINUS)


def signed_span(found: HasIntervals) -> Markup | str:
    """Return the intervals of a number with signs."""
    return _both(found, lambda interval: _known(interval, signed, 2))


def share(value: float, found: FigureEstimate) -> str:
    """Return a figure as a share; with its sign where it can be below 0."""
    return percent(value) if found.figure.low >= 0 else points(value)


def share_span(found: FigureEstimate) -> Markup | str:
    """Return the intervals of such a figure."""
    return span(found) if found.figure.low >= 0 else points_span(found)


def heat(value: float | None) -> str:
    """Return the class of a cell of a heat map: h0 (nothing passes) to h10 (all pass)."""
    return "hn" if value is None or math.isnan(value) else f"h{round(10 * value)}"


def plain(value: str) -> str:
    """Return a name with underscores as words."""
    return value.replace("_", " ")


def note_id(note: str) -> str:
    """Return the name that a browser remembers a content note by; another wording is another note."""
    return content_digest(note)[:12]


def query(**chosen: str) -> str:
    """Return the part of an address that presets the filters of a list."""
    return "?" + urlencode(chosen)

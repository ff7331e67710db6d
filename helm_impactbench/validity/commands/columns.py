"""Columns of figures with intervals, as the instruments' tables have them: one cell on a screen, four in files."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol

from helm_impactbench.errors import counted, dollars
from helm_impactbench.llm.usage import Usage
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.tables import Column, Kind, Row, Table, View
from helm_impactbench.tables.cells import range_text, value_text
from helm_impactbench.tables.column import Condition


class Estimated(Protocol):
    """A figure with its 95% interval."""

    @property
    def value(self) -> float: ...
    @property
    def interval(self) -> Interval: ...


def figure_columns(
    key: str, title: str, about: str, view: View = "default", kind: Kind = "rate", when: Condition | None = None
) -> tuple[Column, ...]:
    """Return the columns of a figure that `figure_fields` writes."""

    def text(row: Row) -> str:
        shown = value_text(row.get(key), kind)
        low, high = row.get(f"{key}_low"), row.get(f"{key}_high")
        return shown if low is None or high is None else f"{shown} ({range_text(low, high, kind)})"

    return (
        Column(title, kind, f"{about} With its 95% CI.", view, when, key, text),
        Column(f"{title}, low", kind, "Lower end of its 95% CI.", key=f"{key}_low"),
        Column(f"{title}, high", kind, "Upper end of its 95% CI.", key=f"{key}_high"),
        Column(f"{title}, items", "count", "What it is over.", key=f"{key}_items"),
    )


def figure_fields(key: str, figure: Estimated | None, items: int | None = None) -> dict[str, Any]:
    """Return a figure as its columns: value, bounds and items; None for what is unknown."""
    if figure is None or math.isnan(figure.value):
        return dict.fromkeys((key, f"{key}_low", f"{key}_high", f"{key}_items"))
    known = figure.interval.is_known
    return {
        key: figure.value,
        f"{key}_low": figure.interval.low if known else None,
        f"{key}_high": figure.interval.high if known else None,
        f"{key}_items": getattr(figure, "items", items),
    }


def bounded_fields(key: str, value: float | None, interval: Interval) -> dict[str, Any]:
    """Return a value and the bounds of its interval as columns; None for what is unknown."""
    known = interval.is_known and value is not None
    return {key: value, f"{key}_low": interval.low if known else None, f"{key}_high": interval.high if known else None}


def presentable(tables: Iterable[Table]) -> tuple[Table, ...]:
    """Return tables of which a screen shows those with rows; files hold all, so that their form is always the same."""
    return tuple(
        table if table.rows else replace(table, view="file") for table in tables if table.rows or table.in_files
    )


def text_columns(*columns: tuple[str, str, str, View]) -> tuple[Column, ...]:
    """Return columns of text from (key, title, about, view)."""
    return tuple(Column(title, "text", about, view, key=key) for key, title, about, view in columns)


def figure_text(figure: Estimated, kind: Kind = "rate") -> str:
    """Return a figure with its interval for a sentence: "0.023 (0.001 to 0.080)"."""
    if math.isnan(figure.value):
        return "unknown"
    bounds = f" ({range_text(figure.interval.low, figure.interval.high, kind)})" if figure.interval.is_known else ""
    return f"{value_text(figure.value, kind)}{bounds}"


def used_sentence(used: Usage) -> str:
    """Return what calls took, as a sentence."""
    paid = "of unknown price" if used.unpriced_calls else dollars(used.cost_usd)
    return (
        f"{counted(used.calls, 'call')}, {used.prompt_tokens:,} prompt and {used.completion_tokens:,} completion "
        f"tokens, {paid}."
    )

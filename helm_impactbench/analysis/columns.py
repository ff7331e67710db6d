"""Columns that the tables of several commands share, as fragments of row types."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypedDict

from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.pooling import Pooled
from helm_impactbench.stats.population import HasIntervals, Population
from helm_impactbench.tables import Column, Kind, Row, View
from helm_impactbench.tables.cells import interval_column, range_text, value_text

Low = Annotated[
    float | None,
    Column("Low", "number", "Lower end of the figure's 95% CI."),
]
High = Annotated[
    float | None,
    Column("High", "number", "Upper end of the figure's 95% CI."),
]
"""The columns of a figure's interval in files; `bounded` fills them and `between` writes them."""


class Bounds(TypedDict):
    """The bounds of a figure's two 95% intervals."""

    low_these: Annotated[
        float,
        Column("Low", "number", "Lower end of the 95% CI over scenarios."),
    ]
    high_these: Annotated[
        float,
        Column("High", "number", "Upper end of the 95% CI over scenarios."),
    ]
    low_like_these: Annotated[
        float,
        Column(
            "Low, like these",
            "number",
            "Lower end of the 95% CI over similar benchmarks, metrics and scenarios.",
        ),
    ]
    high_like_these: Annotated[
        float,
        Column(
            "High, like these",
            "number",
            "Upper end of the 95% CI over similar benchmarks, metrics and scenarios.",
        ),
    ]


class PooledRate(TypedDict):
    """A rate shrunk towards what the model's other metrics and the other models suggest."""

    pooled_rate: Annotated[
        float | None,
        Column(
            "Pooled", "rate", "Pass rate, shrunk towards those of other metrics and models (only with --by metric)."
        ),
    ]
    pooled_low: Annotated[float | None, Column("Pooled low", "rate", "Lower end of the pooled rate's 95% CI.")]
    pooled_high: Annotated[float | None, Column("Pooled high", "rate", "Upper end of the pooled rate's 95% CI.")]


class PooledGap(TypedDict):
    """A difference shrunk towards those of the benchmark's other metrics."""

    pooled_gap: Annotated[
        float | None,
        Column(
            "Pooled", "difference", "Difference, shrunk towards those of the other metrics (only with --by metric)."
        ),
    ]
    pooled_low: Annotated[
        float | None, Column("Pooled low", "difference", "Lower end of the pooled difference's 95% CI.")
    ]
    pooled_high: Annotated[
        float | None, Column("Pooled high", "difference", "Upper end of the pooled difference's 95% CI.")
    ]


def scope_text(row: Row) -> str:
    """Return what a row is of: prosocial, or prosocial/m03 where it is of a part."""
    whole = row["part"] in ("all", *LEVELS)
    return str(row["scope"]) if whole else f"{row['scope']}/{row['part']}"


LEVELS = ("overall", "benchmark", "metric")
"""Names of levels, which stand in the place of a part where rows of several levels share a table."""


def bounds_row(figure: HasIntervals | None) -> Bounds:
    """Return the bounds of a figure's two 95% intervals; without a figure, none."""
    these, like_these = (figure.interval, figure.like_these_interval) if figure else (UNKNOWN, UNKNOWN)
    return {
        "low_these": these.low,
        "high_these": these.high,
        "low_like_these": like_these.low,
        "high_like_these": like_these.high,
    }


def pooled_rate_row(pooled: Pooled | None) -> PooledRate:
    """Return the columns of a pooled rate, empty where it was not pooled."""
    return {
        "pooled_rate": pooled.value if pooled else None,
        "pooled_low": pooled.interval.low if pooled else None,
        "pooled_high": pooled.interval.high if pooled else None,
    }


def pooled_gap_row(pooled: Pooled | None) -> PooledGap:
    """Return the columns of a pooled difference, empty where it was not pooled."""
    return {
        "pooled_gap": pooled.value if pooled else None,
        "pooled_low": pooled.interval.low if pooled else None,
        "pooled_high": pooled.interval.high if pooled else None,
    }


def confidence(population: Population, kind: Kind = "rate", view: View = "default", prefix: str = "") -> Column:
    """Return the cell of a screen with the 95% interval for a population; `prefix`: of the keys of its bounds."""
    ending = population.replace("-", "_")
    return interval_column(
        "95% CI", "95% confidence interval.", f"{prefix}low_{ending}", f"{prefix}high_{ending}", kind, view
    )


def bounded(name: str, value: float | None, interval: Interval) -> dict[str, Any]:
    """Return the three columns of a figure: its value, and the bounds of its interval, None where unknown."""
    known = interval.is_known and value is not None
    return {
        name: value,
        f"{name}_low": interval.low if known else None,
        f"{name}_high": interval.high if known else None,
    }


def between(name: str, low: str | None = None, high: str | None = None, kind: Kind = "rate") -> Callable[[Row], str]:
    """Return what writes a figure with its interval, "0.500 (0.400 to 0.600)"; "-" without a figure.

    low, high: keys of the bounds; without them NAME_low and NAME_high.
    """
    ends = low or f"{name}_low", high or f"{name}_high"

    def text(row: Row) -> str:
        bounds = range_text(row.get(ends[0]), row.get(ends[1]), kind)
        return value_text(row.get(name), kind) + (f" ({bounds})" if bounds != "unknown" else "")

    return text


def digits(name: str, count: int = 4) -> Callable[[Row], str]:
    """Return what writes a figure with so many digits; "-" for an unknown one."""

    def text(row: Row) -> str:
        value = row.get(name)
        return "-" if value is None or math.isnan(value) else f"{value:.{count}f}"

    return text


def pooled_cell(name: str, kind: Kind) -> Column:
    """Return the cell of a screen with a pooled figure and its interval, where any was pooled."""

    def text(row: Row) -> str:
        if row.get(name) is None:
            return "-"
        return f"{value_text(row[name], kind)} ({range_text(row['pooled_low'], row['pooled_high'], kind)})"

    def is_pooled(rows: Sequence[Row]) -> bool:
        return any(row.get(name) is not None for row in rows)

    about = "The pooled figure and its interval."
    return Column("Pooled (95% CI)", kind, about, view="wide", in_files=False, text=text, when=is_pooled)

"""Columns that the tables of several commands share, as fragments of row types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from helm_impactbench.stats.intervals import UNKNOWN
from helm_impactbench.stats.pooling import Pooled
from helm_impactbench.stats.population import HasIntervals, Population
from helm_impactbench.tables import Column, Kind, Row, View
from helm_impactbench.tables.cells import interval_column, range_text, value_text


class Bounds(TypedDict):
    """The bounds of a figure's two 95% intervals."""

    low_these: Annotated[
        float,
        Column("Low", "number", "Lower bound of the 95% interval for these benchmarks and metrics, other scenarios."),
    ]
    high_these: Annotated[float, Column("High", "number", "Its upper bound.")]
    low_like_these: Annotated[
        float,
        Column("Low, like these", "number", "Lower bound for other benchmarks, metrics and scenarios like these."),
    ]
    high_like_these: Annotated[float, Column("High, like these", "number", "Its upper bound.")]


class PooledRate(TypedDict):
    """A rate drawn towards what the model's other metrics and the other models let expect."""

    pooled_rate: Annotated[
        float | None,
        Column("Pooled", "rate", "With --by metric: the rate, drawn towards the other metrics and models."),
    ]
    pooled_low: Annotated[float | None, Column("Pooled low", "rate", "Lower bound of its 95% interval.")]
    pooled_high: Annotated[float | None, Column("Pooled high", "rate", "Upper bound of its 95% interval.")]


class PooledGap(TypedDict):
    """A difference drawn towards those of the benchmark's other metrics."""

    pooled_gap: Annotated[
        float | None,
        Column("Pooled", "difference", "With --by metric: the difference, drawn towards those of the other metrics."),
    ]
    pooled_low: Annotated[float | None, Column("Pooled low", "difference", "Lower bound of its 95% interval.")]
    pooled_high: Annotated[float | None, Column("Pooled high", "difference", "Upper bound of its 95% interval.")]


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

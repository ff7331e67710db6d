"""How long targets took for their replies, from the outcomes of their conversations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, TypedDict

from helm_impactbench.analysis.columns import bounded
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.quantiles import Quantile, quantile
from helm_impactbench.tables import Column, Row, Table
from helm_impactbench.tables.cells import range_text, value_text

SLOW = 0.9
"""The share of replies that came within the second figure."""


@dataclass(frozen=True)
class Latency:
    """The seconds that one target took for a reply."""

    model: str
    replies: int
    """Each different call counts once, however many conversations have its answer."""
    scenarios: int
    """Base scenarios: the clusters."""
    median: Quantile
    slow: Quantile


def latencies(outcomes: Iterable[Outcome]) -> list[Latency]:
    """Return the latency of each target, by name, of replies whose time is known; scripted targets have none."""
    timed: dict[str, dict[str, tuple[Hashable, float]]] = {}
    for outcome in outcomes:
        for call, seconds in zip(outcome.calls, outcome.seconds, strict=True):
            if seconds > 0:
                timed.setdefault(outcome.model, {}).setdefault(call, (outcome.cluster, seconds))
    return [_latency(model, timed[model]) for model in sorted(timed)]


def _latency(model: str, calls: Mapping[str, tuple[Hashable, float]]) -> Latency:
    clusters, seconds = zip(*calls.values(), strict=True)
    return Latency(
        model, len(seconds), len(set(clusters)), quantile(seconds, clusters, 0.5), quantile(seconds, clusters, SLOW)
    )


def _cell(name: str) -> Callable[[Row], str]:
    def text(row: Row) -> str:
        bounds = range_text(row[f"{name}_low"], row[f"{name}_high"], "money")
        return f"{value_text(row[name], 'money')} ({bounds})"

    return text


class LatencyRow(TypedDict):
    """How long one target took for a reply."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    replies: Annotated[int, Column("Replies", "count", "Replies, each distinct call counted once.", "default")]
    scenarios: Annotated[int, Column("Base scenarios", "count", "Base scenarios that the replies belong to.", "wide")]
    median: Annotated[
        float,
        Column(
            "Median (95% CI)",
            "number",
            "Seconds within which half of the replies came.",
            "default",
            text=_cell("median"),
        ),
    ]
    median_low: Annotated[float | None, Column("Low", "number", "Lower end of the median's 95% CI.")]
    median_high: Annotated[float | None, Column("High", "number", "Upper end of the median's 95% CI.")]
    p90: Annotated[
        float,
        Column(
            "90% within (95% CI)",
            "number",
            "Seconds within which nine replies in ten came.",
            "default",
            text=_cell("p90"),
        ),
    ]
    p90_low: Annotated[float | None, Column("Low", "number", "Lower end of the 95% CI of `p90`.")]
    p90_high: Annotated[float | None, Column("High", "number", "Upper end of the 95% CI of `p90`.")]


TITLE = "Seconds to a reply, as the call took when it was made"


def latency_tables(outcomes: Iterable[Outcome]) -> tuple[Table, ...]:
    """Return the table of the targets' latencies; none where no time is known."""
    rows = [
        {
            "model": one.model,
            "replies": one.replies,
            "scenarios": one.scenarios,
            **bounded("median", one.median.value, one.median.interval),
            **bounded("p90", one.slow.value, one.slow.interval),
        }
        for one in latencies(outcomes)
    ]
    return (Table.of("latency", LatencyRow, rows, TITLE),) if rows else ()

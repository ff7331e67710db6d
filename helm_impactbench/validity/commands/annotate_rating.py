"""`annotate score` of a rating sheet: how relevant experts call metrics, or how real openings sound."""

from __future__ import annotations

from typing import Annotated, TypedDict

from helm_impactbench.errors import counted
from helm_impactbench.stats.content_validity import FEW_EXPERTS, LEAST_ITEM, LEAST_SCALE
from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.tables.cells import range_text
from helm_impactbench.validity.annotation.rating.drawing import PEOPLE, SIMULATED
from helm_impactbench.validity.annotation.rating.scoring import RatedText, RatingReport

LOW = 3
"""Mean points below which an opening is to be rewritten."""


class RelevanceRow(TypedDict):
    """One metric."""

    metric: Annotated[str, Column("Metric", "text", "Id.", "default")]
    index: Annotated[
        float, Column("I-CVI", "rate", "Share of experts who call it quite or highly relevant.", "default")
    ]
    low: Annotated[float, Column("Low", "rate", "Lower end of its 95% interval.", "wide")]
    high: Annotated[float, Column("High", "rate", "Its upper end.", "wide")]
    kappa: Annotated[float, Column("Kappa", "rate", "Corrected for agreement by chance.", "wide")]
    experts: Annotated[int, Column("Experts", "count", "Who rated it.", "default")]
    kept: Annotated[bool, Column("Kept", "flag", "Whether it reaches what so many experts have to say.", "default")]


class OpeningRow(TypedDict):
    """One opening."""

    item: Annotated[str, Column("Item", "text", "As on the sheet.", "default")]
    of: Annotated[str, Column("Of", "text", "simulated or people.", "default")]
    source: Annotated[str, Column("From", "text", "Benchmark and variant.", "default")]
    mean: Annotated[float, Column("Mean", "money", "Points from 1 to 5.", "default")]
    readers: Annotated[int, Column("Readers", "count", "Who rated it.", "default")]


def rating_scored(report: RatingReport) -> Result:
    """Return what people's answers to a rating sheet say."""
    return _relevance(report) if report.key.rating == "relevance" else _openings(report)


def _relevance(report: RatingReport) -> Result:
    rated = sorted((one for one in report.texts if one.points), key=lambda one: one.item.about)
    rows = [_relevance_row(one) for one in rated]
    scale, complete = report.scale, report.complete
    ratings = ", ".join(f"{metric}: {points}" for metric, points in complete.items())
    notes = (
        f"S-CVI/Ave {scale.average:.2f} ({LEAST_SCALE:.2f} is excellent), S-CVI/UA {scale.universal:.2f}, over "
        f"{counted(scale.items, 'metric')}. An I-CVI of 1 is needed with {FEW_EXPERTS} experts or fewer, of "
        f"{LEAST_ITEM:.2f} with more.",
        f"For benchmark.yaml, with the date: evidence: {{relevance: {{by: [{', '.join(report.people)}], ratings: "
        f"{{{ratings}}}}}}}",
        *(
            [f"Left out there, because somebody left them empty: {len(report.texts) - len(complete)} metrics."]
            if len(complete) < len(report.texts)
            else []
        ),
    )
    return Result((Table.of("relevance", RelevanceRow, rows, f"Relevance in {report.key.benchmark}"),), notes)


def _relevance_row(one: RatedText) -> RelevanceRow:
    found = one.validity
    return {
        "metric": one.item.about,
        "index": found.index,
        "low": found.interval.low,
        "high": found.interval.high,
        "kappa": found.kappa,
        "experts": found.experts,
        "kept": found.is_kept,
    }


def _openings(report: RatingReport) -> Result:
    rated = sorted((one for one in report.texts if one.points), key=lambda one: (one.mean, one.item.item_id))
    rows: list[OpeningRow] = [
        {
            "item": one.item.item_id,
            "of": one.item.about,
            "source": one.item.source,
            "mean": one.mean,
            "readers": len(one.points),
        }
        for one in rated
    ]
    weak = [row for row in rows if row["of"] == SIMULATED and row["mean"] < LOW]
    notes = []
    for about in (SIMULATED, PEOPLE):
        mean, interval, openings = report.realism(about)
        known = f" ({range_text(interval.low, interval.high, 'money')})" if interval.is_known else ""
        notes.append(f"{about.capitalize()}: {mean:.2f}{known} of 5, {counted(openings, 'opening')}.")
    tables = (
        Table.of("weak", OpeningRow, weak, f"To rewrite: {counted(len(weak), 'simulated opening')} below {LOW}"),
        Table.of("openings", OpeningRow, rows, "All openings", "wide"),
    )
    return Result(tables, tuple(notes))

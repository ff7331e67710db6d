"""`components`: where the variance of scores comes from, and what the next dollar buys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, TypedDict

from helm_impactbench.analysis.columns import digits
from helm_impactbench.analysis.components import (
    FINEST,
    Component,
    Components,
    area_components,
    without_components,
)
from helm_impactbench.analysis.costs.per_conversation import prices
from helm_impactbench.analysis.next_dollar import Option, best, options
from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Row, Table
from helm_impactbench.tables.cells import value_text
from helm_impactbench.tables.column import any_of


class ComponentRow(TypedDict):
    """A part of the variance of single values; or a factor of which nothing can be said."""

    area: Annotated[str, Column("Area", "text", "impact, safety or capability.")]
    figure: Annotated[str, Column("Of", "text", "score, or gap for contrast metrics.")]
    component: Annotated[
        str,
        Column(
            "Comes from", "text", 'The factor; several, joined by " + ", if the suite cannot separate them.', "default"
        ),
    ]
    variance: Annotated[
        float | None,
        Column(
            "Variance",
            "number",
            "Variance of single values due to the factor, mean over models; at least 0.",
            "default",
            text=digits("variance"),
        ),
    ]
    share: Annotated[float | None, Column("Share", "share", "Share of the sum of all components.", "default")]
    estimate: Annotated[
        float | None,
        Column(
            "Estimate",
            "number",
            "Estimated variance, which by chance can be below 0.",
            "wide",
            text=digits("estimate"),
        ),
    ]
    standard_error: Annotated[
        float | None,
        Column(
            "Standard error",
            "number",
            "Standard error of the estimate, from one model.",
            "wide",
            text=digits("standard_error"),
        ),
    ]
    told_from_none: Annotated[
        bool | None,
        Column("Significant", "flag", "Whether the estimate is more than 1.645 standard errors above 0.", "default"),
    ]
    levels: Annotated[
        float | None, Column("Levels", "count", "Number of the factor's levels that the estimate rests on.", "default")
    ]
    unknown_because: Annotated[str, Column("Unknown because", "text", "Why nothing is said about the factor.")]


class OptionRow(TypedDict):
    """What twice as many of something would do to the standard error of a model's mean."""

    area: Annotated[str, Column("Area", "text", "impact, safety or capability.")]
    figure: Annotated[str, Column("Of", "text", "score, or gap for contrast metrics.")]
    twice: Annotated[
        str,
        Column(
            "With twice the",
            "text",
            "What is doubled; empty for the suite as it is.",
            "default",
            text=lambda row: row["twice"] or "(as it is)",
        ),
    ]
    error_these: Annotated[
        float,
        Column(
            "Error, these metrics",
            "number",
            "Standard error of a model's mean, for the suite's metrics and judges.",
            "default",
            text=lambda row: _error(row["error_these"], lacks=row["more_than_these"]),
        ),
    ]
    error_like_these: Annotated[
        float,
        Column(
            "Metrics like these",
            "number",
            "Standard error of a model's mean, for similar metrics and judges.",
            "default",
            text=lambda row: _error(row["error_like_these"], lacks=row["more_than_like_these"]),
        ),
    ]
    more_than_these: Annotated[bool, Column("At least", "flag", "Whether a component of `error_these` is unknown.")]
    more_than_like_these: Annotated[
        bool, Column("At least", "flag", "Whether a component of `error_like_these` is unknown.")
    ]
    more_conversations: Annotated[
        float, Column("More conversations", "count", "Additional conversations of one model.", "default")
    ]
    more_usd: Annotated[
        float | None,
        Column(
            "More US$",
            "money",
            "Additional cost of one model.",
            "default",
            any_of("more_usd"),
            text=lambda row: "unknown" if row["more_usd"] is None else value_text(row["more_usd"], "money"),
        ),
    ]


def components(reading: Reading, *, with_others: Reading | None = None, usd_each: float | None = None) -> Result:
    """Return where the variance of single scores and gaps comes from, and what twice as many of each thing would do.

    with_others: the reading together with other suites on the same cases (see suites.together). usd_each: US dollars of
    a conversation; without it, what the suite's own cost. Raises ImpactBenchError where nothing can be told.
    """
    reading.check_verdicts()
    known = list(area_components((with_others or reading).outcomes))
    silent = list(_silent(reading.outcomes, known))
    if not known:
        raise ImpactBenchError(" ".join(silent))
    planned = [(area, parts, options(parts, *_prices(reading, area, parts, usd_each))) for area, parts in known]
    files = (
        replace(Table.of("components", ComponentRow, component_rows(known)), view="file"),
        replace(Table.of("options", OptionRow, [row for one in planned for row in option_rows(*one)]), view="file"),
    )
    screens = [table for one in planned for table in _screens(*one)]
    return Result((*files, *screens), tuple(silent), tuple(_details(known)))


def component_rows(known: Iterable[tuple[str, Components]]) -> list[ComponentRow]:
    """Return a row per component of each area. What cannot be told has a reason, and no variance."""
    rows: list[ComponentRow] = []
    for area, parts in known:
        rows += [_component_row(area, parts, component) for component in parts.found]
        rows += [_unknown_row(area, parts, name, why) for name, why in parts.unknown.items()]
    return rows


def option_rows(area: str, parts: Components, planned: Sequence[Option]) -> list[OptionRow]:
    """Return a row per thing that can be doubled, after one of the suite as it is."""
    return [
        {
            "area": area,
            "figure": parts.figure,
            "twice": option.what,
            "error_these": option.these,
            "error_like_these": option.like_these,
            "more_than_these": option.lacks_these,
            "more_than_like_these": option.lacks_like_these,
            "more_conversations": option.conversations,
            "more_usd": option.usd,
        }
        for option in planned
    ]


def advice(parts: Components, planned: Sequence[Option]) -> str:
    """Return one sentence that follows from the numbers."""
    now, most = planned[0], best(planned)
    if not most:
        return (
            "This suite does not show what would make the mean for these metrics more certain; more base scenarios "
            "always do."
        )
    chosen, told = most[0], [component.name for component in parts.found if component.is_told]
    names = " or ".join(filter(None, [", ".join(option.what for option in most[:-1]), most[-1].what]))
    cost = f"{chosen.conversations:,.0f} more conversations" if chosen.conversations else "no more conversations"
    paid = "at an unknown price" if chosen.usd is None else f"for {chosen.usd:,.2f} US$"
    same = ", which come to the same" if len(most) > 1 else ""
    return (
        f"The next dollar buys most with {names}{same}: twice as many bring the standard error for these metrics from "
        f"{now.these:.4f} to {chosen.these:.4f}, with {cost} per model, {paid}."
        f"{_how_sure(told) if len(told) < min(2, len(parts.found)) else ''}"
    )


def _component_row(area: str, parts: Components, component: Component) -> ComponentRow:
    return {
        "area": area,
        "figure": parts.figure,
        "component": component.name,
        "variance": component.variance,
        "share": component.variance / parts.total if parts.total else None,
        "estimate": component.estimate,
        "standard_error": component.error,
        "told_from_none": component.is_told,
        "levels": component.levels,
        "unknown_because": "",
    }


def _unknown_row(area: str, parts: Components, name: str, why: str) -> ComponentRow:
    return {
        "area": area,
        "figure": parts.figure,
        "component": name,
        "variance": None,
        "share": None,
        "estimate": None,
        "standard_error": None,
        "told_from_none": None,
        "levels": None,
        "unknown_because": why,
    }


def _prices(
    reading: Reading, area: str, parts: Components, usd_each: float | None
) -> tuple[float | None, float | None]:
    is_level = parts.figure == "score"
    own = [outcome for outcome in reading.outcomes if outcome.area == area and outcome.is_level == is_level]
    return prices(reading.folder, own, usd_each)


def _screens(area: str, parts: Components, planned: Sequence[Option]) -> Iterator[Table]:
    """Yield the two tables of an area, for people."""
    what = "scores" if parts.figure == "score" else "gaps of contrast metrics"
    of = f"{counted(parts.models, 'model')}, {parts.conversations:,.0f} conversations each"
    told: list[Row] = [_component_row(area, parts, component) for component in parts.found]
    missing = f"Unknown, which is not 0: {', '.join(parts.unknown)}." if parts.unknown else ""
    variance = Table.of(
        "variance", ComponentRow, told, f"{area}: where the variance of single {what} comes from ({of})"
    )
    errors = Table.of(
        "errors", OptionRow, option_rows(area, parts, planned), f"{area}: standard error of a model's mean"
    )
    yield replace(variance, in_files=False, notes=tuple(filter(None, [missing])))
    yield replace(errors, in_files=False, notes=(advice(parts, planned),))


def _silent(outcomes: Sequence[Outcome], known: Sequence[tuple[str, Components]]) -> Iterator[str]:
    """Yield of which metrics nothing is said, and why."""
    apart = list(without_components(outcomes))
    for area, why, metrics in apart:
        yield f"{area}: nothing is said of the gaps of {', '.join(metrics)}: {why}."
    explained = {metric for *_, metrics in apart for metric in metrics}
    figures = {(o.area, "scores" if o.is_level else "gaps") for o in outcomes if o.metric not in explained}
    for area, figure in sorted(figures - {(area, f"{parts.figure}s") for area, parts in known}):
        yield f"{area}: too few conversations have a verdict to say where the variance of {figure} comes from."


def _details(known: Sequence[tuple[str, Components]]) -> Iterator[str]:
    yield (
        "Standard errors are for these metrics and judges with other base scenarios, and for metrics and judges like "
        "these. A variance that is estimated below 0 is shown as 0."
    )
    for area, parts in known:
        if parts.unknown:
            reasons = "; ".join(f"{name}: {why.removesuffix(FINEST)}" for name, why in parts.unknown.items())
            yield f"{area}, unknown ({reasons})."


def _error(value: float, *, lacks: bool) -> str:
    """Return a standard error; it is larger where a component of it is unknown."""
    if value != value:  # nan is not itself
        return "unknown"
    return f"{'at least ' * lacks}{value:.4f}"


def _how_sure(told: Sequence[str]) -> str:
    """Return what to think of advice from components of which at most one is significant."""
    only = f"Only {told[0]} is" if told else "No component is"
    return f" {only} significantly above 0, so the order of these may be chance."

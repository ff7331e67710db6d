"""`audit swap`: how stable an order of models and its verdicts are with another judge, user or set of scenarios."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypedDict

from helm_impactbench.analysis.commands.compare import units_apart_notes
from helm_impactbench.analysis.difference_rows import significance
from helm_impactbench.analysis.paired import Difference
from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.correlation import FEWEST
from helm_impactbench.stats.intervals import UNKNOWN
from helm_impactbench.tables import Column, Kind, Result, Row, Table, columns_of
from helm_impactbench.tables.cells import NOTHING, range_text, value_text
from helm_impactbench.tables.column import varies
from helm_impactbench.validity.commands.columns import bounded_fields, figure_columns, presentable, text_columns
from helm_impactbench.validity.commands.flips import changed_table, changes_table, shown_changes
from helm_impactbench.validity.families import family_of
from helm_impactbench.validity.flips import VerdictPair
from helm_impactbench.validity.self_preference import SelfPreference, self_preferences
from helm_impactbench.validity.swap import (
    Agreement,
    MetricShift,
    Ranking,
    benchmark_shifts,
    metric_shifts,
    rankings,
    verdict_agreements,
)

TOO_FEW = "too few cases"
SUITE = Column("Suite", "text", "The second suite.", "default", varies("suite"), "suite")


def _shared_change(row: Row) -> str:
    shown = value_text(row["shared_change"], "difference")
    return f"{shown} ({range_text(row['shared_low'], row['shared_high'], 'difference')})" if shown != NOTHING else shown


def _is_paired(rows: Sequence[Row]) -> bool:
    return any(row["shared_change"] is not None for row in rows)


class RankRow(TypedDict):
    """A model in both suites."""

    suite: Annotated[str, SUITE]
    scope: Annotated[str, Column("Over", "text", "An area of level metrics, or a contrast benchmark.", "default")]
    figure: Annotated[str, Column("Figure", "text", "mean score, or distance from 0 (lower is better).", "default")]
    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    first: Annotated[float, Column("First", "rate", "In the first suite.", "default")]
    second: Annotated[float, Column("Second", "rate", "In the second suite.", "default")]
    change: Annotated[float, Column("Change", "difference", "Second less first.", "default")]
    shared_change: Annotated[
        float | None,
        Column(
            "On the same cases (95% CI)",
            "difference",
            "Mean change on cases that both suites have scored; the interval holds for all models at once.",
            "default",
            _is_paired,
            text=_shared_change,
        ),
    ]
    shared_low: Annotated[float | None, Column("Same cases, low", "difference", "Lower end of its 95% CI.")]
    shared_high: Annotated[float | None, Column("Same cases, high", "difference", "Upper end of its 95% CI.")]
    adjusted_p_value: Annotated[
        float | None, Column("Adjusted p", "p", "Of no change on these cases, over all models.", "wide", _is_paired)
    ]
    found: Annotated[
        bool | None,
        Column("Significant", "flag", "Whether that test finds a change.", "default", _is_paired, text=significance),
    ]
    can_be_found: Annotated[bool | None, Column("Can be found", "flag", "Whether any change could have been found.")]


ORDER_COLUMNS = (
    SUITE,
    *text_columns(("scope", "Over", "As above.", "wide"), ("figure", "Figure", "As above.", "wide")),
    Column("Models", "count", "In both suites.", "wide", key="models"),
    *figure_columns("spearman", "Spearman", "Rank correlation of the models.", "wide", "number"),
    Column("Kendall", "number", "Tau-b.", "wide", key="kendall"),
    Column("Left out", "text", "Contrast metrics in units of their own.", key="left_out"),
)


def _kind_of(row: Row) -> Kind:
    return "difference" if str(row["figure"]).startswith("gap") else "rate"


def _level(key: str) -> Callable[[Row], str]:
    return lambda row: value_text(row[key], _kind_of(row))


SHIFT_COLUMNS = (
    SUITE,
    *text_columns(
        ("metric", "Metric", "Slug and id; a slug for a benchmark.", "default"),
        ("figure", "Figure", "score, or a gap between two levels.", "wide"),
    ),
    Column("First", "rate", "In the first suite.", "default", key="first", text=_level("first")),
    Column("Second", "rate", "In the second suite.", "default", key="second", text=_level("second")),
    *figure_columns("difference", "Change", "Second less first; no interval with other scenarios.", kind="difference"),
    Column("p", "p", "Of no change.", key="p_value"),
    Column("Adjusted p", "p", "After Benjamini-Hochberg over all rows.", "default", key="adjusted_p_value"),
    Column(
        "Significant",
        "flag",
        "Whether the adjusted test finds a change.",
        "default",
        key="moved",
        text=lambda row: "yes" if row["moved"] else "no" if row["can_be_found"] else TOO_FEW,
    ),
    Column("Can be found", "flag", "Whether any change could have been found.", key="can_be_found"),
)
AGREEMENT_COLUMNS = (
    SUITE,
    *text_columns(("measure", "Measure", "Its kind.", "default"), ("scale", "Scale", "nominal or interval.", "file")),
    Column("Cases", "count", "That both suites have scored.", "default", key="cases"),
    Column("Same value", "share", "Of these cases.", "default", key="same"),
    *figure_columns(
        "kappa",
        "Cohen's kappa",
        "Of present and absent.",
        "default",
        when=lambda rows: any(row["kappa"] is not None for row in rows),
    ),
    *figure_columns(
        "alpha",
        "Krippendorff's alpha",
        "Of numbers.",
        "default",
        when=lambda rows: any(row["alpha"] is not None for row in rows),
    ),
    *figure_columns("distance", "Mean distance", "Of numbers, in their units.", "wide", "number"),
)
PREFERENCE_COLUMNS = (
    *text_columns(("family", "Judge family", "Maker of the judges.", "default")),
    Column("Own models", "rate", "Pass rate of its own family's models, by it.", "default", key="own"),
    Column("by others", "rate", "The same, by other families' judges.", "default", key="own_by_others"),
    Column("Other models", "rate", "Pass rate of other families' models, by it.", "default", key="rest"),
    Column("by others", "rate", "The same, by other families' judges.", "default", key="rest_by_others"),
    *figure_columns("preference", "Preference", "How much more it favours its own.", kind="difference"),
    Column("Scenarios", "count", "Base scenarios.", "wide", key="scenarios"),
)


def swap(first: str, outcomes: Mapping[str, Sequence[Outcome]]) -> Result:
    """Return how the suites compare with the first: orders, verdicts, shifts of metrics, and self-preference.

    outcomes: by the suites' names. Raises ImpactBenchError where two suites have nothing in common.
    """
    others = [name for name in outcomes if name != first]
    before = outcomes[first]
    orders = {other: rankings(before, outcomes[other]) for other in others}
    if empty := [other for other in others if not orders[other]]:
        raise ImpactBenchError(
            f"No model has a result on the same benchmark in {first} and {empty[0]}, so nothing can be compared."
        )
    pairs = {other: _pairs(before, outcomes[other]) for other in others}
    metrics = {other: metric_shifts(before, outcomes[other]) for other in others}
    wholes = {other: benchmark_shifts(before, outcomes[other]) for other in others}
    agreements = {other: verdict_agreements(before, outcomes[other]) for other in others}
    changes = changes_table(pairs, "Verdicts on the cases that both suites have")
    every = [outcome for own in outcomes.values() for outcome in own]
    shifts, whole_shifts, ranks = list(_shifts(metrics)), list(_shifts(wholes)), _ranks(orders)
    tables = [
        Table("ranks_shown", columns_of(RankRow), _first_ranks(ranks), "Models in both suites", in_files=False),
        Table.of("rankings", RankRow, ranks, "All figures of the models", "wide"),
        Table("orders", ORDER_COLUMNS, _orders(orders), "Rank correlation of the models", "wide"),
        shown_changes(changes),
        replace(changes, view="file"),
        changed_table(pairs),
        Table("agreement", AGREEMENT_COLUMNS, list(_agreements(agreements)), "Agreement on these cases"),
        Table(
            "moved",
            SHIFT_COLUMNS,
            [row for row in (*whole_shifts, *shifts) if row["moved"]],
            "Benchmarks and metrics that moved",
            in_files=False,
        ),
        Table("benchmarks", SHIFT_COLUMNS, whole_shifts, "All benchmarks", "wide"),
        Table("metrics", SHIFT_COLUMNS, shifts, "All metrics", "wide"),
        Table(
            "self_preference",
            PREFERENCE_COLUMNS,
            _preferences(every),
            "Self-preference: does a judge pass models of its own family more often than other judges do?",
        ),
    ]
    return Result(
        presentable(tables),
        (*_correlations(orders), *_moved_notes(metrics), *_no_case_notes(agreements), *_apart(outcomes, every)),
        tuple(_details(every)),
    )


def differences(first: Sequence[RunFolder], second: Sequence[RunFolder]) -> str:
    """Return what differs between the instruments of two suites, in words."""
    parts: dict[str, Callable[[RunFolder], str]] = {
        "judge": lambda run: "+".join(run.judges) or "none",
        "simulated user": lambda run: run.user or "none",
        "names shown to judges": lambda run: "exchanged" if _options(run).get("swap") else "as written",
        "release": lambda run: run.release or "none named",
        "replicate": lambda run: str(_options(run).get("replicate", 1)),
        "content of benchmarks": lambda run: f"{_options(run).get('content', '')}",
    }
    told = []
    for name, part in parts.items():
        before, after = sorted({part(run) for run in first}), sorted({part(run) for run in second})
        if before != after:
            told.append(name if name.startswith("content") else f"{name} {', '.join(before)} -> {', '.join(after)}")
    return "; ".join(told) or "the same judge, user and benchmarks"


def _options(run: RunFolder) -> dict[str, Any]:
    options: dict[str, Any] = run.spec["scenario_spec"]["args"]
    return options


def _pairs(first: Sequence[Outcome], second: Sequence[Outcome]) -> list[VerdictPair]:
    again = {(outcome.model, outcome.case): outcome for outcome in second}
    return [VerdictPair(o.setup, o, again[o.model, o.case]) for o in first if (o.model, o.case) in again]


def _ranks(orders: Mapping[str, Sequence[Ranking]]) -> list[dict[str, Any]]:
    return [
        {
            "suite": suite,
            "scope": order.scope,
            "figure": order.figure,
            "model": model,
            "first": before,
            "second": after,
            "change": after - before,
            **_shared_fields(order.changes.get(model)),
        }
        for suite, found in orders.items()
        for order in found
        for model, (before, after) in order.scores.items()
    ]


def _shared_fields(change: Difference | None) -> dict[str, Any]:
    test = change.test if change else None
    interval = change.interval if change else UNKNOWN
    return {
        "shared_change": change.value if change else None,
        "shared_low": interval.low if interval.is_known else None,
        "shared_high": interval.high if interval.is_known else None,
        "adjusted_p_value": test.adjusted if test else None,
        "found": test.found if test else None,
        "can_be_found": test.can_be_found if test else None,
    }


def _first_ranks(ranks: Sequence[Row]) -> Sequence[Row]:
    """Return the mean scores, or the distances of contrast metrics where there are no others."""
    return [row for row in ranks if row["figure"] == "mean score"] or ranks


def _orders(orders: Mapping[str, Sequence[Ranking]]) -> list[dict[str, Any]]:
    return [
        {
            "suite": suite,
            "scope": order.scope,
            "figure": order.figure,
            "models": len(order.scores),
            **bounded_fields("spearman", order.spearman, order.spearman_interval),
            "kendall": order.kendall,
            "left_out": list(order.left_out),
        }
        for suite, found in orders.items()
        for order in found
    ]


def _correlations(orders: Mapping[str, Sequence[Ranking]]) -> Iterator[str]:
    known = [order for found in orders.values() for order in found if not math.isnan(order.spearman)]
    for order in [order for order in known if order.figure == "mean score"] or known:
        yield (
            f"Rank correlation of {len(order.scores)} models, {order.scope}: Spearman {order.spearman:.3f} "
            f"(95% CI {order.spearman_interval})."
        )
    if not known:
        yield f"A rank correlation needs {FEWEST} models or more that differ."


def _shifts(shifts: Mapping[str, Sequence[MetricShift]]) -> Iterator[dict[str, Any]]:
    for suite, found in shifts.items():
        for one in found:
            yield {
                "suite": suite,
                "metric": one.metric,
                "figure": one.figure,
                "first": one.first,
                "second": one.second,
                **bounded_fields("difference", one.difference, one.interval or UNKNOWN),
                "p_value": one.p_value,
                "adjusted_p_value": one.adjusted_p_value,
                "can_be_found": one.can_be_found,
                "moved": one.moved,
            }


def _moved_notes(shifts: Mapping[str, Sequence[MetricShift]]) -> Iterator[str]:
    for found in shifts.values():
        text = f"{sum(one.moved for one in found)} of {counted(len(found), 'metric')} moved over all models together."
        few = sum(not one.can_be_found for one in found)
        yield f"{text} {few} have too few base scenarios to show any change." if few else text


def _no_case_notes(agreements: Mapping[str, Sequence[Agreement]]) -> Iterator[str]:
    if any(not found for found in agreements.values()):
        yield "The suites have no case in common (their scenarios differ), so metrics are compared by their means."


def _agreements(agreements: Mapping[str, Sequence[Agreement]]) -> Iterator[dict[str, Any]]:
    for suite, found in agreements.items():
        for one in found:
            kappa = one.kappa.interval if one.kappa and one.kappa.interval else UNKNOWN
            yield {
                "suite": suite,
                "measure": one.measure,
                "scale": one.scale,
                "cases": one.cases,
                "same": one.same,
                **bounded_fields("kappa", one.kappa.value if one.kappa else None, kappa),
                **bounded_fields("alpha", one.alpha, one.alpha_interval),
                **bounded_fields("distance", one.distance, one.distance_interval),
            }


def _preferences(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    names = {outcome.model for outcome in outcomes} | {vote.judge for outcome in outcomes for vote in outcome.votes}
    found: Sequence[SelfPreference] = self_preferences(list(outcomes), {name: family_of(name) for name in names})
    return [
        {
            "family": one.family,
            "own": one.own,
            "own_by_others": one.own_by_others,
            "rest": one.rest,
            "rest_by_others": one.rest_by_others,
            **bounded_fields("preference", one.preference, one.interval),
            "scenarios": one.scenarios,
        }
        for one in found
    ]


def _apart(outcomes: Mapping[str, Sequence[Outcome]], every: Sequence[Outcome]) -> Iterator[str]:
    sides = [{outcome.metric for outcome in own} for own in outcomes.values()]
    shared = set.intersection(*sides)
    yield from units_apart_notes([outcome for outcome in every if outcome.metric in shared])


def _details(every: Sequence[Outcome]) -> Iterator[str]:
    if not _preferences(every):
        yield (
            "Self-preference is unknown: it needs models of a judge's own family and others, each judged by two "
            "families."
        )

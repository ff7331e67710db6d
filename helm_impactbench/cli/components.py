"""What `impactbench power` prints without a question: where variance comes from, and what the next dollar buys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.tables import figure, print_table
from helm_impactbench.errors import ImpactBenchError, counted

if TYPE_CHECKING:
    from helm_impactbench.analysis.components import Component, Components
    from helm_impactbench.analysis.next_dollar import Option
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.suites.registry import SuiteRun

Row = dict[str, Any]


def with_suites(outcomes: list[Outcome], folder: Path, also: Sequence[str]) -> list[Outcome]:
    """Return outcomes with those of other suites on the same cases, of the same models. Raises ResultsError.

    A suite that was rejudged from another one has its conversations; else a suite has conversations of its own.
    """
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.suites.registry import selected

    models, slugs = ({getattr(o, name) for o in outcomes} for name in ("model", "benchmark"))
    source = {(one.run.setup, one.run.model): _source(one, folder.name) for one in selected(folder)}
    together = [replace(o, setup=o.setup + source[o.setup, o.model]) for o in outcomes]
    for name in also:
        for found in selected(suite_folder(folder.parents[1], name)):
            if found.run.model in models and found.benchmark in slugs:
                together += [replace(o, setup=o.setup + _source(found, name)) for o in found.outcomes()]
    return together


def _source(found: SuiteRun, suite: str) -> str:
    """Return the suite that a run's conversations come from, as an option of its name."""
    source = found.run.provenance.get("rejudged_from")
    return f",suite={source['suite'] if source else suite}"


def print_components(
    outcomes: list[Outcome], folder: Path, usd_each: float | None, also: Sequence[str] = ()
) -> list[Row]:
    """Print components, options and advice of each area; return them as rows. Raises ImpactBenchError without any.

    also: other suites on the same cases.
    """
    from helm_impactbench.analysis.components import area_components, component_rows, without_components
    from helm_impactbench.analysis.next_dollar import options

    known = list(area_components(with_suites(outcomes, folder, also) if also else outcomes))
    rows: list[Row] = [{**row, "kind": "component"} for row in component_rows(known)]
    for area, found in known:
        own = [o for o in outcomes if o.area == area and o.is_level == (found.figure == "score")]
        planned = options(found, *price(folder, own, usd_each))
        _print_parts(area, found)
        _print_options(found, planned)
        rows += [_option_row(area, found, option) for option in planned]
    apart = list(without_components(outcomes))
    reasons = [f"{area}: nothing is said of the gaps of {', '.join(metrics)}: {why}." for area, why, metrics in apart]
    explained = {metric for *_, metrics in apart for metric in metrics}
    parts = {(o.area, "scores" if o.is_level else "gaps") for o in outcomes if o.metric not in explained}
    told = {(area, f"{found.figure}s") for area, found in known}
    reasons += [
        f"{area}: too few conversations have a verdict to say where the variance of {figures} comes from."
        for area, figures in sorted(parts - told)
    ]
    if not rows:
        raise ImpactBenchError(" ".join(reasons))
    for reason in reasons:
        click.echo(reason)
    return rows


def price(folder: Path, outcomes: list[Outcome], given: float | None) -> tuple[float | None, float | None]:
    """Return the US dollars of a conversation and of its judges alone: as given, else the suite's; None if unknown."""
    from helm_impactbench.analysis.costs.per_conversation import price_per_conversation
    from helm_impactbench.suites.registry import suite_runs

    if given is not None:
        return given, None
    found = price_per_conversation((one.run for one in suite_runs(folder)), outcomes)
    return found.total, found.by_role["judge"]


def _print_parts(area: str, found: Components) -> None:
    what = "scores from 0 to 1" if found.figure == "score" else "gaps of contrast metrics"
    click.echo(f"\n{area}: variance of single {what}, {counted(found.models, 'model')}, "
               f"{found.conversations:,.0f} conversations each")  # fmt: skip
    print_table(
        ("Comes from", "Variance", "Standard error", "Share", "Levels", ""),
        [
            (one.name, figure(one.variance, 4), figure(one.error, 4),
             f"{one.variance / found.total:.0%}" if found.total else "-", f"{one.levels:,.0f}", _note(one))
            for one in found.found
        ],
    )  # fmt: skip
    for name, why in found.unknown.items():
        click.echo(f"Unknown, which is not 0: {name}, because {why}.")


def _note(component: Component) -> str:
    if component.estimate < 0:
        return f"estimated {component.estimate:.4f}, shown as 0"
    return "" if component.is_told else "not distinguishable from 0"


def _print_options(found: Components, planned: Sequence[Option]) -> None:
    click.echo("Standard error of a model's mean")
    print_table(
        ("With", "For these metrics and judges", "For metrics and judges like these", "More conversations", "More US$"),
        [
            (f"twice the {one.what}" if one.what else "the suite as it is", _error(one.these, lacks=one.lacks_these),
             _error(one.like_these, lacks=one.lacks_like_these),
             f"{one.conversations:,.0f}", "unknown" if one.usd is None else f"{one.usd:,.2f}")
            for one in planned
        ],
    )  # fmt: skip
    click.echo(_advice(found, planned))


def _error(value: float, *, lacks: bool) -> str:
    """Return a standard error; it is larger where a component of it is unknown."""
    if value != value:  # nan is not itself
        return "unknown"
    return f"at least {figure(value, 4)}" if lacks else figure(value, 4)


def _advice(found: Components, planned: Sequence[Option]) -> str:
    """Return one sentence that follows from the numbers."""
    from helm_impactbench.analysis.next_dollar import best

    now, most = planned[0], best(planned)
    if not most:
        return (
            "This suite does not show what would make the mean for these metrics more certain; more base scenarios "
            "always do."
        )
    chosen, told = most[0], [one.name for one in found.found if one.is_told]
    names = " or ".join(filter(None, [", ".join(one.what for one in most[:-1]), most[-1].what]))
    cost = f"{chosen.conversations:,.0f} more conversations" if chosen.conversations else "no more conversations"
    paid = "at a price that is not known" if chosen.usd is None else f"for {chosen.usd:,.2f} US$"
    others = [
        f"twice the {one.what}: {one.these:.4f}"
        for one in planned[1:]
        if one.is_told and one.what not in ("metrics", *(same.what for same in most))
    ]
    beside = f" ({'; '.join(others)})" if others else ""
    return (
        f"The next dollar buys most with {names}{', which come to the same' if len(most) > 1 else ''}: twice as many "
        f"bring the standard error for these metrics from {now.these:.4f} to {chosen.these:.4f}, with {cost} per "
        f"model, {paid}{beside}.{_how_sure(told) if len(told) < min(2, len(found.found)) else ''}"
    )


def _how_sure(told: Sequence[str]) -> str:
    """Return what to think of advice from components of which at most one can be told from none."""
    only = f"Only {told[0]}" if told else "No component"
    return f" {only} can be distinguished from 0, so the order of these may be chance."


def _option_row(area: str, found: Components, option: Option) -> Row:
    return {
        "area": area,
        "figure": found.figure,
        "kind": "option",
        "twice": option.what,
        "error_these": option.these,
        "error_like_these": option.like_these,
        "more_than_these": option.lacks_these,
        "more_than_like_these": option.lacks_like_these,
        "more_conversations": option.conversations,
        "more_usd": option.usd,
    }

"""The command `impactbench audit swap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.drift import print_drift
from helm_impactbench.cli.rejudge import print_changes
from helm_impactbench.cli.suite import shown_model, suite_outcomes
from helm_impactbench.cli.tables import figure, print_table, print_units_apart, signed, size, write_rows
from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.files.plain_json import plain_json

if TYPE_CHECKING:
    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.validity.self_preference import SelfPreference
    from helm_impactbench.validity.swap import Agreement, MetricShift, Ranking


@click.command("swap")
@options.suite(several=True)
@options.output_path
@options.benchmark
@options.all_rows
@options.out()
def swap(
    suites: tuple[str, ...], output_path: str, benchmarks: tuple[str, ...], all_rows: bool, out: Path | None
) -> None:
    """Compare suites that differ in judge, user or scenarios. Is it the model or the instrument?

    \b
      impactbench audit swap --suite impact --suite second-judge

    Shows how stable the order of models is (rank correlation; for contrast metrics by the distance from 0), which
    verdicts change on cases that both suites have, which metrics moved (Benjamini-Hochberg, 5%; contrast metrics by
    their gap), who changed, and whether judges favour models of their own makers. The last needs conversations judged
    by two model families; `impactbench rejudge` makes such a suite for the price of the judge's calls.

    A judge shows in the anchor set, which it reads again for every suite; a simulated user in its opening messages; a
    target in its first replies. What cannot be told apart is said.
    """
    if len(set(suites)) < 2:
        raise ImpactBenchError(
            "This command compares suites, so it needs two or more, for example --suite a --suite b."
        )
    runs = {suite: _runs(suite, output_path) for suite in suites}
    outcomes = {suite: suite_outcomes(suite, output_path, benchmarks) for suite in suites}
    first = suites[0]
    reports = {}
    for other in suites[1:]:
        click.echo(f"\n{first} -> {other}: {_differences(runs[first], runs[other])}")
        reports[other] = _compare(outcomes[first], outcomes[other], all_rows)
        folders = [Path(output_path) / "runs" / suite for suite in (first, other)]
        kept = [
            [run for run in runs[suite] if not benchmarks or run.benchmark in benchmarks] for suite in (first, other)
        ]
        reports[other]["drift"] = print_drift(folders[0], folders[1], (kept[0], kept[1]))
    preferences = _preferences([outcome for suite in suites for outcome in outcomes[suite]])
    whole = {"first": first, "others": reports, "self_preference": [vars(found) for found in preferences]}
    write_rows(out, [{"suite": other, **row} for other in reports for row in plain_json(reports[other]["metrics"])],
               plain_json(whole))  # fmt: skip


def _runs(suite: str, output_path: str) -> list[RunFolder]:
    from helm_impactbench.results.files import run_folders, suite_folder

    return run_folders(suite_folder(Path(output_path), suite))


def _differences(first: list[RunFolder], second: list[RunFolder]) -> str:
    """Return what differs between the instruments of two suites, in words."""
    parts: dict[str, Callable[[RunFolder], str]] = {
        "judge": lambda run: "+".join(run.judges) or "none",
        "simulated user": lambda run: run.user or "none",
        "names shown to judges": lambda run: "exchanged" if _options(run).get("swap") else "as written",
        "replicate": lambda run: str(_options(run).get("replicate", 1)),
        "content of benchmarks": lambda run: f"{_options(run).get('content', '')}",
    }
    told = []
    for name, part in parts.items():
        before, after = sorted({part(run) for run in first}), sorted({part(run) for run in second})
        if before != after and name.startswith("content"):
            told.append(name)
        elif before != after:
            told.append(f"{name} {', '.join(before)} -> {', '.join(after)}")
    return "; ".join(told) or "the same judge, user and benchmarks"


def _options(run: RunFolder) -> dict[str, Any]:
    options: dict[str, Any] = run.spec["scenario_spec"]["args"]
    return options


def _compare(first: list[Outcome], second: list[Outcome], show_all: bool) -> dict[str, Any]:
    from helm_impactbench.validity.flips import Pair, by_benchmark, changed_json
    from helm_impactbench.validity.swap import benchmark_shifts, metric_shifts, rankings, verdict_agreements

    orders, shifts, wholes = rankings(first, second), metric_shifts(first, second), benchmark_shifts(first, second)
    if not orders:
        raise ImpactBenchError(
            "No model has a result on the same benchmark in both suites, so nothing can be compared."
        )
    again = {(outcome.model, outcome.case): outcome for outcome in second}
    pairs = [Pair(o.setup, o, again[o.model, o.case]) for o in first if (o.model, o.case) in again]
    agreements = verdict_agreements(first, second)
    for order in orders:
        _print_ranking(order)
    metrics = {outcome.metric for outcome in first} & {outcome.metric for outcome in second}
    print_units_apart([outcome for outcome in (*first, *second) if outcome.metric in metrics])
    if agreements:
        print_changes(by_benchmark(pairs))
        for agreement in agreements:
            click.echo(_agreement_words(agreement))
    else:
        click.echo(
            "The suites have no case in common (their scenarios differ), so metrics are compared by their scenarios' "
            "means."
        )
    if wholes:
        _print_shifts(wholes, "benchmark", show_all=True)
    _print_shifts(shifts, "metric", show_all=show_all)
    moved = [{**vars(shift), "moved": shift.moved} for shift in shifts]
    return {"rankings": orders, "changes": changed_json(pairs), "agreement": agreements, "metrics": moved,
            "benchmarks": [{**vars(shift), "moved": shift.moved} for shift in wholes]}  # fmt: skip


def _print_ranking(order: Ranking) -> None:
    is_distance = order.figure.startswith("distance")
    better, shown = ("; less is better", size) if is_distance else ("", figure)
    click.echo(f"\n{order.scope}: {order.figure}{better}")
    rows = [(shown_model(model), shown(before), shown(after), signed(after - before))
            for model, (before, after) in order.scores.items()]  # fmt: skip
    print_table(("Model", "First", "Second", "Change"), rows)
    enough = "" if len(rows) > 2 else " (needs at least three models)"
    click.echo(
        f"Rank correlation of {len(rows)} models: Spearman {figure(order.spearman)} (95% interval "
        f"{order.spearman_interval}), Kendall {figure(order.kendall)}{enough}"
    )


def _agreement_words(found: Agreement) -> str:
    how = (
        f"Cohen's kappa {figure(found.kappa.value)} (95% interval {found.kappa.interval or 'unknown'})" if found.kappa
        else f"Krippendorff's alpha {figure(found.alpha)} (95% interval {found.alpha_interval}), mean distance "
        f"{figure(found.distance)} ({found.distance_interval})"
    )  # fmt: skip
    return f"{found.measure}: the same value in {found.same:.1%} of {found.cases} cases; {how}"


def _print_shifts(shifts: Sequence[MetricShift], what: str, *, show_all: bool) -> None:
    shown = shifts if show_all else [shift for shift in shifts if shift.moved]
    if shown:
        header = (what.capitalize(), "Figure", "First", "Second", "Change", "95% interval", "adjusted p", "Moved")
        print_table(header, list(map(_shift_cells, shown)), exchange=False)
    text = f"{sum(shift.moved for shift in shifts)} of {counted(len(shifts), what)} moved by more than chance."
    if cannot := sum(not shift.can_be_found for shift in shifts):
        text += f" {cannot} cannot be tested: with so few base scenarios no change, however large, could be found."
    click.echo(text)


def _shift_cells(shift: MetricShift) -> tuple[str, ...]:
    moved = "yes" if shift.moved else "no" if shift.can_be_found else "cannot be told"
    return (
        *(shift.metric, shift.figure, figure(shift.first), figure(shift.second), signed(shift.difference)),
        *(str(shift.interval) if shift.interval else "-", figure(shift.adjusted_p_value, 4), moved),
    )


def _preferences(outcomes: list[Outcome]) -> list[SelfPreference]:
    from helm_impactbench.validity.families import family_of
    from helm_impactbench.validity.self_preference import self_preferences

    names = {outcome.model for outcome in outcomes} | {vote.judge for outcome in outcomes for vote in outcome.votes}
    found = self_preferences(outcomes, {name: family_of(name) for name in names})
    click.echo("\nSelf-preference: does a judge pass models of its own family more often than other judges do?")
    if not found:
        click.echo("Unknown: this needs conversations on level metrics with models of a judge's own family and with "
                   "others, each judged by two families.")  # fmt: skip
        return []
    rows = [(p.family, f"{p.own:.3f} / {p.own_by_others:.3f}", f"{p.rest:.3f} / {p.rest_by_others:.3f}",
             signed(p.preference), str(p.interval), str(p.scenarios)) for p in found]  # fmt: skip
    print_table(("Judge family", "Own models: by it / by others", "Other models: by it / by others", "Preference",
                 "95% interval", "Scenarios"), rows)  # fmt: skip
    return found

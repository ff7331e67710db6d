"""The command `impactbench audit swap`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import shown_model
from helm_impactbench.cli.tables import check_out, figure, print_table, signed, write_rows
from helm_impactbench.errors import ImpactBenchError

if TYPE_CHECKING:
    from helm_impactbench.analysis.swap import MetricShift, Ranking, SelfPreference
    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.results.outcome import Outcome


@click.command("swap")
@click.option("--suite", "suites", multiple=True, required=True, metavar="SUITE",
              help="Given twice or more; every further one is compared with the first.")  # fmt: skip
@click.option("--output-path", "-o", default="benchmark_output", show_default=True, help="HELM's output folder.")
@click.option("--benchmark", "benchmarks", multiple=True, metavar="SLUG", help="Only this benchmark; repeatable.")
@click.option("--all", "show_all", is_flag=True, help="Print every metric, not only those that moved.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also write FILE.json.")
def swap(
    suites: tuple[str, ...], output_path: str, benchmarks: tuple[str, ...], show_all: bool, out: Path | None
) -> None:
    """Compare suites that differ in judge, simulated user or generated scenarios: is it the model or the instrument?

    Prints how the order of models holds (rank correlation), which verdicts flip where both suites have the same case,
    which metrics moved (Benjamini-Hochberg, 5%), and whether judges favour models of their own makers, from
    conversations that judges of two families have heard (`impactbench rejudge` makes such suites at the price of the
    judge's calls alone).
    """
    check_out(out)
    if len(set(suites)) < 2:
        raise ImpactBenchError("--suite: got one suite; allowed: two or more, for example --suite a --suite b")
    runs, outcomes = _read(suites, output_path, benchmarks)
    first = suites[0]
    reports = {}
    for other in suites[1:]:
        click.echo(f"\n{first} -> {other}: {_differences(runs[first], runs[other])}")
        reports[other] = _compare(outcomes[first], outcomes[other], show_all)
    preferences = _preferences([outcome for suite in suites for outcome in outcomes[suite]])
    whole = {"first": first, "others": reports, "self_preference": [vars(found) for found in preferences]}
    write_rows(out, [], _jsonable(whole))


def _read(
    suites: tuple[str, ...], output_path: str, benchmarks: tuple[str, ...]
) -> tuple[dict[str, list[RunFolder]], dict[str, list[Outcome]]]:
    from helm_impactbench.results.files import read_outcomes, run_folders, suite_folder

    folders = {suite: suite_folder(Path(output_path), suite) for suite in suites}
    runs = {suite: run_folders(folder) for suite, folder in folders.items()}
    return runs, {suite: read_outcomes(folder, benchmarks) for suite, folder in folders.items()}


def _differences(first: list[RunFolder], second: list[RunFolder]) -> str:
    """Return what differs between the instruments of two suites, in words."""
    parts: dict[str, Callable[[RunFolder], str]] = {
        "judge": lambda run: "+".join(run.judges),
        "simulated user": lambda run: run.user,
        "content of benchmarks": lambda run: f"{run.spec['scenario_spec']['args'].get('content', '')}",
    }
    told = []
    for name, part in parts.items():
        before, after = sorted({part(run) for run in first}), sorted({part(run) for run in second})
        if before != after and name.startswith("content"):
            told.append(name)
        elif before != after:
            told.append(f"{name} {', '.join(before)} -> {', '.join(after)}")
    return "; ".join(told) or "the same judge, user and benchmarks"


def _compare(first: list[Outcome], second: list[Outcome], show_all: bool) -> dict[str, Any]:
    from helm_impactbench.analysis.swap import metric_shifts, ranking, verdict_agreement
    from helm_impactbench.validity.flips import Pair, matrix

    order, shifts = ranking(first, second), metric_shifts(first, second)
    if not order.scores:
        raise ImpactBenchError("The suites share no model and benchmark; nothing can be compared.")
    again = {(outcome.model, outcome.case): outcome for outcome in second}
    pairs = [Pair(o.setup, o, again[o.model, o.case]) for o in first if (o.model, o.case) in again]
    flips = matrix(pairs)
    kappa = verdict_agreement(first, second)
    _print_ranking(order)
    if kappa.items:
        _print_flips(flips)
        click.echo(f"Same verdict in {kappa.agreement:.1%} of {kappa.items} cases; Cohen's kappa {figure(kappa.value)}")
    else:
        click.echo("No case is the same in both (scenarios differ): no flips, metrics are compared by their scenarios.")
    _print_shifts(shifts, show_all)
    moved = [{**vars(shift), "moved": shift.moved} for shift in shifts]
    return {"ranking": order, "flips": flips, "kappa": kappa, "metrics": moved}


def _print_ranking(order: Ranking) -> None:
    rows = [(shown_model(model), figure(before), figure(after), signed(after - before))
            for model, (before, after) in order.scores.items()]  # fmt: skip
    print_table(("Model", "First", "Second", "Change"), rows)
    click.echo(f"Rank correlation of {len(rows)} models: Spearman {figure(order.spearman)}, Kendall "
               f"{figure(order.kendall)}" + ("" if len(rows) > 2 else " (three models at least)"))  # fmt: skip


def _print_flips(flips: dict[str, Any]) -> None:
    print_table(
        ("Behaviour", "then present", "then absent"),
        [
            ("first present", str(flips["present_to_present"]), str(flips["present_to_absent"])),
            ("first absent", str(flips["absent_to_present"]), str(flips["absent_to_absent"])),
        ],
    )
    click.echo(f"Newly scored {flips['newly_scored']}, newly unscored {flips['newly_unscored']}")


def _print_shifts(shifts: list[MetricShift], show_all: bool) -> None:
    shown = shifts if show_all else [shift for shift in shifts if shift.moved]
    if shown:
        rows = [(s.metric, figure(s.first), figure(s.second), signed(s.difference),
                 str(s.interval) if s.interval else "-", figure(s.adjusted_p_value, 4), "yes" if s.moved else "no")
                for s in shown]  # fmt: skip
        print_table(("Metric", "First", "Second", "Change", "95% interval", "adjusted p", "Moved"), rows)
    click.echo(f"{sum(shift.moved for shift in shifts)} of {len(shifts)} metrics moved beyond luck.")


def _preferences(outcomes: list[Outcome]) -> list[SelfPreference]:
    from helm_impactbench.analysis.swap import self_preferences
    from helm_impactbench.validity.families import family_of

    names = {outcome.model for outcome in outcomes} | {vote.judge for outcome in outcomes for vote in outcome.votes}
    found = self_preferences(outcomes, {name: family_of(name) for name in names})
    click.echo("\nSelf-preference: does a judge pass models of its own family more often than other judges do?")
    if not found:
        click.echo("Cannot be told: it takes conversations with relatives and with others of a judge, each heard by "
                   "judges of two families as well.")  # fmt: skip
        return []
    rows = [(p.family, f"{p.own:.3f} / {p.own_by_others:.3f}", f"{p.rest:.3f} / {p.rest_by_others:.3f}",
             signed(p.preference), str(p.interval), str(p.scenarios)) for p in found]  # fmt: skip
    print_table(("Judge family", "Relatives: by it / by others", "Others: by it / by others", "Preference",
                 "95% interval", "Scenarios"), rows)  # fmt: skip
    return found


def _jsonable(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return {name: _jsonable(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, dict):
        return {key: _jsonable(item) for key, item in value.items()}
    return [_jsonable(item) for item in value] if isinstance(value, list | tuple) else value

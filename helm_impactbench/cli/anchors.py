"""Anchors, as the commands that judge have them read: in `run`, in `rejudge` and in `check --judge --suite`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.errors import (
    BenchmarkError,
    FatalCallError,
    ImpactBenchError,
    MissingKeyError,
    ResultsError,
    UnknownDeploymentError,
    counted,
)

if TYPE_CHECKING:
    from helm_impactbench.analysis.costs.forecast import PlannedRun
    from helm_impactbench.judging.judge_conversation import Call
    from helm_impactbench.results.anchors import AnchorReading
    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.validity.drift.anchors import Anchor


def anchors_of(slugs: Iterable[str]) -> list[Anchor]:
    """Return the anchors of benchmarks; none of those without a golden set."""
    from helm_impactbench.benchmark.files import find_benchmark
    from helm_impactbench.benchmark.golden_files import load_anchors
    from helm_impactbench.validity.drift.anchors import chosen_anchors

    sets = []
    for slug in sorted(set(slugs)):
        try:
            sets.append(load_anchors(find_benchmark(slug)))
        except BenchmarkError:  # a suite of HELM's, or a benchmark that is no longer there
            continue
    return chosen_anchors(one for one in sets if one is not None)


def say_planned(runs: Sequence[PlannedRun], suite: Path) -> None:
    """Say how many anchors will be read and at what price; nothing where there are none, or all is read."""
    from helm_impactbench.analysis.costs.forecast import Assumptions
    from helm_impactbench.helm.planned import price
    from helm_impactbench.results.anchors import newest_reading, read_anchors
    from helm_impactbench.validity.drift.anchors import REPEATS, due
    from helm_impactbench.validity.golden.run import expected

    slugs: dict[tuple[str, ...], set[str]] = {}
    for run in runs:
        slugs.setdefault(run.judges, set()).update(case.benchmark for case in run.cases)
    asked, calls, costs = 0, 0, list[float | None]()
    for panel, own in slugs.items():
        newest = newest_reading(read_anchors(suite), panel)
        anchors = due(panel, anchors_of(own), newest, _today(), _today()).anchors if panel else []
        each = expected([anchor.golden for anchor in anchors], Assumptions())
        asked, calls = asked + len(anchors), calls + len(anchors) * len(panel) * REPEATS
        costs += [price(judge, each) for judge in panel if anchors]
    if not asked:
        return
    known = REPEATS * sum(cost for cost in costs if cost is not None)
    worth = "of unknown price" if None in costs else f"about ${known:,.2f} more"
    click.echo(
        f"  anchors   {counted(asked, 'transcript')} with known verdicts, {counted(calls, 'call')} to judges, {worth}"
    )


def read_anchor_set(
    judge: str, suite: str, output_path: Path, local_path: Path, threads: int, budget: float | None
) -> None:
    """Let one judge or panel of a finished suite read its anchors. Raises ImpactBenchError where it judged nothing."""
    from helm_impactbench.cli.suite import quiet_helm
    from helm_impactbench.conversation.run_options import parse_judges
    from helm_impactbench.helm.preflight import resolve_deployment
    from helm_impactbench.helm.session import know_deployments
    from helm_impactbench.results.anchors import newest_reading, read_anchors
    from helm_impactbench.results.files import run_folders, suite_folder

    folder = suite_folder(output_path, suite)
    quiet_helm()
    know_deployments(local_path)
    panel = tuple(resolve_deployment(name, "judge") for name in parse_judges(judge, "impactbench check"))
    known = {" + ".join(run.judges) for run in run_folders(folder) if run.judges}
    if sorted(panel) not in [sorted(one.split(" + ")) for one in known]:
        raise ImpactBenchError(
            f"{' + '.join(panel) or 'Nobody'} judged nothing in suite {suite}; its judges: {', '.join(sorted(known))}."
        )
    read_anchors_of(folder, local_path, threads, budget, panel)
    found = newest_reading(read_anchors(folder), panel)
    click.echo(f"No benchmark of suite {suite} has a golden set." if found is None else _result(found))


def read_anchors_of(
    suite: Path, local_path: Path, threads: int, budget: float | None, judges: Sequence[str] | None = None
) -> None:
    """Let the judges of a suite's runs read its anchors, where that is due; only `judges` if they are given.

    Raises ImpactBenchError when a call cannot be made; what was answered is in the cache.
    """
    from helm_impactbench.results.files import run_folders

    panels: dict[tuple[str, ...], list[RunFolder]] = {}
    for run in run_folders(suite):
        panel = tuple(run.judges)
        if panel and (judges is None or sorted(panel) == sorted(judges)):
            panels.setdefault(panel, []).append(run)
    for panel, runs in panels.items():
        _read(suite, panel, runs, local_path, threads, budget)


def say_judge_changes(suite: Path) -> None:
    """Name the judges of a suite that changed while it grew: its models cannot be compared then."""
    from helm_impactbench.results.anchors import FILE, read_anchors
    from helm_impactbench.validity.drift.suites import judges_that_changed

    if (suite / FILE).is_file():
        for sentence in judges_that_changed(read_anchors(suite)):
            click.echo(f"Warning: {sentence}")


def say_other_judge(suite: Path, reference: Path) -> None:
    """Warn of a comparison of two suites whose judges answer the same anchors otherwise."""
    from helm_impactbench.results.anchors import read_anchors
    from helm_impactbench.validity.drift.suites import has_changed, paired_readings

    if has_changed(*paired_readings(read_anchors(reference), read_anchors(suite))):
        click.echo(
            f"Warning: the judges of {suite.name} and {reference.name} answer the same anchors otherwise, so "
            f"their verdicts cannot be compared: impactbench audit swap --suite {reference.name} --suite {suite.name}"
        )


def try_anchors_of(suite: Path, local_path: Path, threads: int, budget: float | None) -> None:
    """Do the same, and only say so when it cannot be done: the suite's figures do not need it."""
    try:
        read_anchors_of(suite, local_path, threads, budget)
    except (FatalCallError, MissingKeyError, ResultsError, UnknownDeploymentError) as error:
        click.echo(f"The anchors were not all read, so a change of the judge cannot be told: {error}", err=True)


def _read(
    suite: Path, panel: tuple[str, ...], runs: Sequence[RunFolder], local_path: Path, threads: int,
    budget: float | None,
) -> None:  # fmt: skip
    from helm_impactbench.results.anchors import read_anchors, write_reading
    from helm_impactbench.validity.drift.anchors import REPEATS, due, read

    begun = [one for one in read_anchors(suite) if sorted(one.judges) == sorted(panel)]
    judged = max(run.written.date() for run in runs)
    asked = due(panel, anchors_of(run.benchmark for run in runs), begun[-1] if begun else None, judged, _today())
    if not asked.anchors:
        return
    call = _caller(suite, panel, local_path, budget)
    write_reading(suite, asked.reading)  # the day is part of what is asked: after an interruption it stays the same
    click.echo(f"Reading {counted(len(asked.anchors), 'anchor')} {REPEATS} times ...", err=True)
    found = read(asked, suite.name, call, threads)
    write_reading(suite, found)
    click.echo(_result(found), err=True)


def _caller(suite: Path, panel: tuple[str, ...], local_path: Path, budget: float | None) -> Call:
    from helm_impactbench.cli.suite import quiet_helm
    from helm_impactbench.helm.preflight import check_deployments
    from helm_impactbench.helm.session import open_caller
    from helm_impactbench.llm.limits.admission import count_for

    quiet_helm()
    caller = open_caller(local_path)
    count_for(suite, budget)
    check_deployments([("judge", name) for name in panel])
    return caller.call


def _result(reading: AnchorReading) -> str:
    """Return what a reading says of its judges, in one line."""
    from helm_impactbench.validity.drift.judge import reading_figures

    found = reading_figures(reading)
    noise = "" if found.noise is None else f", and two answers to the same transcript differ in {found.noise:.1%}"
    known = [answer.is_right for answer in reading.answers if answer.is_right is not None]
    return (
        f"Anchors: {' + '.join(reading.judges)} answered {found.anchors} of {len(reading.answers)} and was right on "
        f"{sum(known)} of the {len(known)} whose verdict is known{noise}."
    )


def _today() -> date:
    return datetime.now(timezone.utc).date()

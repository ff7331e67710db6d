"""What `impactbench run` says before it starts: conversations, models, cost and budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.anchors import say_planned
from helm_impactbench.cli.suite import quiet_helm, shown_model
from helm_impactbench.errors import counted, dollars

if TYPE_CHECKING:
    from helm_impactbench.analysis.costs.forecast import Estimate, PlannedRun
    from helm_impactbench.study.model import Study


def announce(
    study: Study, entries: Sequence[str], references: Sequence[str], local_path: Path, anchors_in: Path | None
) -> int:
    """Say what is going to be done and what it will cost. Returns the number of conversations.

    references: the run entries of reference bots. anchors_in: the suite's folder if its judges are going to read
    anchors.
    """
    from helm_impactbench.analysis.costs.forecast import Assumptions, PlannedRun, estimate
    from helm_impactbench.helm.planned import planned_runs
    from helm_impactbench.helm.session import know_deployments
    from helm_impactbench.llm.batch.deferred_call import judges_deferred

    quiet_helm()
    know_deployments(local_path)
    _check_models(study)
    runs = [run for entry in entries for run in planned_runs(entry, study.models, study.most_prompts)]
    own = [run for run in runs if isinstance(run, PlannedRun)]
    bots = _planned_bots(references, study.most_prompts)
    result, beside = estimate([*own, *bots], Assumptions()), estimate(bots, Assumptions())
    click.echo(
        f"{counted(len(study.models), 'model')} x {counted(len(entries), 'run entry', 'run entries')}"
        f"{', and reference bots' if references else ''}: "
        f"{counted(result.conversations, 'conversation')}, {counted(result.calls, 'call')}, "
        f"{_price(result)}. Finished calls are not made again."
    )
    click.echo(f"  tested    {', '.join(map(shown_model, study.models))}")
    if bots:
        click.echo(f"  beside    {counted(len({run.target for run in bots}), 'reference bot')}, scripts on "
                   f"{study.references:.0%} of what a model takes: {counted(beside.conversations, 'conversation')} of "
                   f"these, {_price(beside)} (--references 0: none)")  # fmt: skip
    click.echo(f"  user      {study.user or 'none: all messages are fixed'}")
    batch = " (its calls wait for a batch: IMPACTBENCH_JUDGE=batch)" if judges_deferred() else ""
    click.echo(f"  judge     {', '.join(study.judge)}{batch}")
    if anchors_in is not None:
        say_planned(own, anchors_in)
    if any("until_" in entry for entry in entries):
        click.echo(f"  at most   all of this: runs may stop early{_taken_whole(entries)}")
    if study.budget_usd is not None:
        click.echo(f"  budget    {dollars(study.budget_usd)} for the whole suite {study.suite}")
    return result.conversations


def _check_models(study: Study) -> None:
    """Raise UnknownDeploymentError for a name that no model has, with the option that it was given by."""
    from helm_impactbench.errors import UnknownDeploymentError
    from helm_impactbench.helm.nearest_models import reached_by_litellm
    from helm_impactbench.helm.preflight import resolve_deployment

    given = {"--models": study.models, "--user": (study.user,) if study.user else (), "--judge": study.judge}
    for option, names in given.items():
        for name in names:
            try:
                resolve_deployment(name, f"model of {option}")
            except UnknownDeploymentError as error:
                raise UnknownDeploymentError(f"{error}{reached_by_litellm(name)}") from error


def _planned_bots(references: Sequence[str], most: int) -> list[PlannedRun]:
    """Return the runs of reference bots; each benchmark's cases are made once for all bots."""
    from helm_impactbench.analysis.costs.forecast import PlannedRun
    from helm_impactbench.helm.planned import planned_runs

    by_entry: dict[str, list[str]] = {}
    for entry in references:
        rest, _, bot = entry.rpartition(",model=")
        by_entry.setdefault(rest, []).append(bot)
    runs = [run for entry, bots in by_entry.items() for run in planned_runs(entry, bots, most)]
    return [run for run in runs if isinstance(run, PlannedRun)]


def _price(result: Estimate) -> str:
    from helm_impactbench.helm.planned import price

    costs = [price(deployment, expense) for (_, deployment), expense in result.expenses.items()]
    known = sum(cost for cost in costs if cost is not None)
    text = f"about ${known:,.2f}" if known or None not in costs else "of unknown price"
    return f"{text} and calls of unknown price" if known and None in costs else text


def _taken_whole(entries: Sequence[str]) -> str:
    """Return which benchmarks are run whole although others may stop early."""
    whole = [entry.partition("benchmark=")[2].partition(",")[0] for entry in entries if "until_" not in entry]
    return f", but not on {', '.join(dict.fromkeys(whole))}, where contrasts are measured" if whole else ""

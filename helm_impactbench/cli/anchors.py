"""Anchors in the commands that judge, and in those that still print by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.errors import FatalCallError, MissingKeyError, ResultsError, UnknownDeploymentError, counted

if TYPE_CHECKING:
    from helm_impactbench.analysis.costs.forecast import PlannedRun


def say_planned(runs: Sequence[PlannedRun], suite: Path) -> None:
    """Say how many anchors will be read and at what price; nothing where there are none, or all is read."""
    from helm_impactbench.helm.anchors import planned_anchors
    from helm_impactbench.helm.planned import price

    sets = planned_anchors(runs, suite)
    if not sets:
        return
    plans = [one.plan for one in sets]
    costs = [price(model, expense) for plan in plans for (_, model), expense in plan.expenses.items()]
    worth = "of unknown price" if None in costs else f"about ${sum(cost or 0.0 for cost in costs):,.2f} more"
    click.echo(
        f"  anchors   {counted(sum(len(one.anchors) for one in sets), 'transcript')} with known verdicts, "
        f"{counted(sum(plan.calls for plan in plans), 'call')} to judges, {worth}"
    )


def try_anchors_of(suite: Path, local_path: Path, threads: int, budget: float | None) -> None:
    """Let the judges of a suite read its anchors, and only say so when that cannot be done: no figure needs it."""
    from helm_impactbench.cli.asking import asking
    from helm_impactbench.helm.anchors import read_due
    from helm_impactbench.validity.commands.anchors import answered_sentence

    try:
        for record in read_due(suite, asking(local_path, threads, budget)):
            click.echo(answered_sentence(record), err=True)
    except (FatalCallError, MissingKeyError, ResultsError, UnknownDeploymentError) as error:
        click.echo(f"The anchors were not all read, so a change of the judge is not noticed: {error}", err=True)

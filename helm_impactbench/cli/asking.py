"""How commands ask models with an instrument: progress and plan on standard error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.steps import steps

if TYPE_CHECKING:
    from helm_impactbench.helm.asking import Asking
    from helm_impactbench.tables import Result


def asking(local_path: str | Path, threads: int, budget: float | None = None) -> Asking:
    """Return with what a command asks."""
    from helm_impactbench.cli.suite import quiet_helm
    from helm_impactbench.helm.asking import Asking

    quiet_helm()
    return Asking(Path(local_path), threads, budget, steps, _say)


def _say(plan: Result) -> None:
    for line in (*plan.warnings, *plan.notes):
        click.echo(line, err=True)

"""What the commands that read the conversations of a suite have in common."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.errors import ImpactBenchError, counted

if TYPE_CHECKING:
    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.suites.registry import SuiteRun


def note(line: str) -> None:
    """Say something beside the result."""
    click.echo(line, err=True)


def quiet_helm() -> None:
    """Leave HELM's log to errors, in commands that print lines of their own."""
    logging.getLogger("helm").setLevel(logging.ERROR)


def suite_conversations(
    suite: str, output_path: str, benchmarks: tuple[str, ...] = (), models: tuple[str, ...] = ()
) -> list[SuiteRun]:
    """Return the runs of a suite whose conversations can be read; say which are left out. Raises ResultsError."""
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.suites.registry import left_out, selected

    folder = suite_folder(Path(output_path), suite)
    found = [one for one in selected(folder, benchmarks, models, note) if not one.suite.no_conversations]
    for line in left_out(folder, conversations=True):
        click.echo(line, err=True)
    if not found:
        raise ImpactBenchError(f"Suite {suite} has no run whose conversations can be read.")
    return found


def published(runs: list[RunFolder], with_private: bool) -> list[RunFolder]:
    """Return the runs that may leave the house: without those of private scenarios unless they are wanted; say so."""
    kept = [run for run in runs if with_private or not run.is_private]
    if len(kept) < len(runs):
        click.echo(
            f"{counted(len(runs) - len(kept), 'run')} of private scenarios left out; --with-private takes them in"
        )
    if not kept:
        raise ImpactBenchError("All runs of this suite are of private scenarios; --with-private takes them in.")
    return kept


def shown_model(model: str) -> str:
    """Return a target's name for people: a scripted one says so."""
    from helm_impactbench.helm.own_names import REHEARSAL_PREFIX

    return f"{model} (scripted)" if model.startswith(REHEARSAL_PREFIX) else model

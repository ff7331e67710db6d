"""What the commands that read the conversations of a suite have in common."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.tables.names import shown_model as shown_model

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
    suite: str,
    output_path: str,
    benchmarks: tuple[str, ...] = (),
    models: tuple[str, ...] = (),
    releases: tuple[str, ...] = (),
) -> list[SuiteRun]:
    """Return the runs of a suite whose conversations can be read; say which are left out. Raises ResultsError."""
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.suites.conversations import conversation_runs

    return conversation_runs(suite_folder(Path(output_path), suite), benchmarks, models, note, releases)


def published(runs: list[RunFolder], with_private: bool) -> list[RunFolder]:
    """Return the runs that may leave the house, and say which may not. Raises ImpactBenchError without any."""
    from helm_impactbench.suites.conversations import public_runs

    return public_runs(runs, click.echo, with_private=with_private)

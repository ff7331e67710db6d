"""The command `impactbench watch`: look at a run under way, pause it, go on, give it another budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.live import Display, lines
from helm_impactbench.errors import ResultsError, dollars

if TYPE_CHECKING:
    from helm_impactbench.process.control_file import Control
    from helm_impactbench.process.progress_file import Snapshot

_LOOK_SECONDS = 0.5
_HEARD_SECONDS = 10.0
"""A run looks at what is asked of it several times a second, and writes its state every second."""


@click.command("watch")
@options.suite()
@click.option("--pause", is_flag=True, help="Start no new call until --resume; calls in flight are completed.")
@click.option("--resume", is_flag=True, help="Continue after a pause.")
@options.budget
@options.output_path
def watch(suite: str, pause: bool, resume: bool, budget: float | None, output_path: str) -> None:
    """Show the progress of a run, pause it, or change its budget. Ctrl-C ends the display, not the run.

    \b
      impactbench watch --suite impact
      impactbench watch --suite impact --pause
      impactbench watch --suite impact --resume --budget 40

    The command works for runs with helm_impactbench.ParallelRunner, which `impactbench run` uses.
    """
    from helm_impactbench.process.progress_file import is_alive, read_snapshot
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.results.unfinished import unfinished

    folder = suite_folder(Path(output_path), suite)
    if pause and resume:
        raise click.UsageError("--pause and --resume exclude each other. Give one of them.")
    if pause or resume or budget is not None:
        _ask(folder, suite, paused=True if pause else False if resume else None, budget=budget)
        return
    snapshot = read_snapshot(folder)
    if snapshot is None:
        raise ResultsError(
            f"No state of a run in {folder}; it is written by helm-run with --runner-class-name "
            "helm_impactbench.ParallelRunner, and by impactbench run"
        )
    with Display(suite, details=True) as display:
        while is_alive(folder):
            display.show(snapshot)
            time.sleep(_LOOK_SECONDS)
            snapshot = read_snapshot(folder) or snapshot
    click.echo("\n".join(lines(snapshot, over=True)))
    for reason, count in snapshot.failures.items():
        click.echo(f"  {count:,} x {reason}")
    click.echo(unfinished(folder) or "Ended.")


def _ask(folder: Path, suite: str, *, paused: bool | None, budget: float | None) -> None:
    """Ask something of the run under way, and wait until it has heard. Raises ResultsError."""
    from helm_impactbench.process.control_file import read_control, write_control
    from helm_impactbench.process.progress_file import is_alive, read_snapshot

    snapshot = read_snapshot(folder)
    if snapshot is None or not is_alive(folder):
        raise ResultsError(f"No run of {suite} is under way in {folder}; start it with impactbench run")
    if budget is not None and snapshot.budget_usd is None:
        raise ResultsError(
            f"The run of {suite} has no budget that could be changed. Pause it with --pause, press Ctrl-C in its "
            "terminal, and repeat its command with --budget"
        )
    before = read_control(folder)
    wanted = replace(
        before,
        paused=before.paused if paused is None else paused,
        budget_usd=before.budget_usd if budget is None else budget,
    )
    write_control(folder, wanted)
    heard = _wait_for(lambda: _is_heard(read_snapshot(folder), wanted))
    now = read_snapshot(folder) or snapshot
    click.echo("\n".join(lines(now)))
    if not heard:
        raise ResultsError(f"The run of {suite} does not answer: it has ended, or writes nothing to {folder}")
    if paused is not None:
        click.echo("Paused. --resume goes on." if paused else "Running again.")
    if budget is not None:
        click.echo(f"The budget of the suite is {dollars(budget)} now.")


def _is_heard(snapshot: Snapshot | None, wanted: Control) -> bool:
    if snapshot is None:
        return False
    return snapshot.paused == wanted.paused and wanted.budget_usd in (None, snapshot.budget_usd)


def _wait_for(condition: Callable[[], bool]) -> bool:
    """Wait until something is so, for some seconds at most. Returns whether it is."""
    until = time.monotonic() + _HEARD_SECONDS
    while not condition() and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS / 2)
    return condition()

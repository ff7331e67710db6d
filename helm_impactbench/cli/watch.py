"""The command `impactbench watch`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from helm_impactbench.cli.live import Display, lines
from helm_impactbench.errors import ResultsError

_LOOK_SECONDS = 0.5
_STALE_SECONDS = 30.0
"""A run that lives writes its state every second."""


@click.command("watch")
@click.option("--suite", required=True, help="Name of a suite that helm-run works on.")
@click.option("--output-path", "-o", default="benchmark_output", show_default=True, help="HELM's output folder.")
def watch(suite: str, output_path: str) -> None:
    """Show how far a run is, wherever it was started. Ctrl-C ends the watching, not the run.

    For runs of helm_impactbench.ParallelRunner, which `impactbench run` uses: it writes its state every second.
    """
    from helm_impactbench.process.progress_file import PROGRESS_FILE, read_snapshot

    folder = Path(output_path) / "runs" / suite
    snapshot = read_snapshot(folder)
    if snapshot is None:
        raise ResultsError(
            f"No state of a run in {folder}; it is written by helm-run with --runner-class-name "
            "helm_impactbench.ParallelRunner, and by impactbench run"
        )
    with Display(suite) as display:
        while not snapshot.ended and time.time() - (folder / PROGRESS_FILE).stat().st_mtime < _STALE_SECONDS:
            display.show(snapshot)
            time.sleep(_LOOK_SECONDS)
            snapshot = read_snapshot(folder) or snapshot
    click.echo("\n".join(lines(snapshot)))
    click.echo("Ended." if snapshot.ended else "It was interrupted: its state is no longer written.")

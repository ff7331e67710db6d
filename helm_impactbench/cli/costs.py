"""The command `impactbench costs`."""

from __future__ import annotations

from pathlib import Path

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.reading import show


@click.command("costs")
@options.suite()
@options.release()
@options.output_path
@options.out()
@click.option(
    "--reconcile",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Compare recorded costs with a provider's usage export, a file in CSV or JSON lines.",
)
@options.wide
def costs(
    suite: str, releases: tuple[str, ...], output_path: str, out: Path | None, reconcile: Path | None, wide: bool
) -> None:
    """Show what a suite cost, by role and model. --wide also shows costs by target and benchmark.

    \b
      impactbench costs --suite impact

    A call that several targets share, such as the one for an opening message, is counted once. Columns with "each run
    alone" count shared calls for every run, as the records of the conversations do. Calls without a known price or
    token count are listed, and never counted as 0. `impactbench summarize` writes the same figures into costs.json in
    the suite's folder.
    """
    from helm_impactbench.api import load_suite

    show(load_suite(suite, output_path, releases=releases).costs(reconcile=reconcile), out, wide=wide)

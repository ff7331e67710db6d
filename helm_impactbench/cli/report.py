"""The command `impactbench report`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.errors import counted

MOST_CONVERSATIONS = 50_000
"""As in outputs.report.of_suites, which is not imported for --help; a test compares them."""


@click.command("report")
@options.suite(several=True)
@options.output_path
@options.out_dir(usual="reports/SUITE in HELM's output folder")
@options.release()
@click.option(
    "--redact",
    multiple=True,
    metavar="SLUG[/METRIC]",
    help="Hide the text of this benchmark's or metric's conversations; repeatable.",
)
@options.with_private
@click.option(
    "--conversation-pages",
    type=Choice(["auto", "all", "none"]),
    default="auto",
    show_default=True,
    help=f"Whether the report includes transcripts; auto: if it has at most {MOST_CONVERSATIONS:,} conversations.",
)
def report(
    suites: tuple[str, ...],
    output_path: str,
    out_dir: Path | None,
    releases: tuple[str, ...],
    redact: tuple[str, ...],
    with_private: bool,
    conversation_pages: Literal["auto", "all", "none"],
) -> None:
    """Write a suite as a static website. It leads from the ranking to every conversation and its evidence.

    \b
      impactbench report --suite impact --out-dir site
      impactbench report --suite impact-june --suite impact-november

    Open DIR/index.html in a browser, or put the folder on any web server. The report works offline. An older report in
    DIR is replaced; if DIR has any other files, nothing is changed. If several suites are given, the newest is
    reported. One page follows the newest suite's models through all suites, and shows what changed in the measurement.
    Conversations with a content note are hidden until the reader opens the note. --redact hides transcripts,
    descriptions of people, goals, reasons and quotes; verdicts and numbers stay. Redaction is automatic for benchmarks
    with private scenarios (split=private). On contrast metrics, the report lists models by widest gap, smallest first;
    `impactbench compare` ranks them by typical gap.
    """
    from helm_impactbench.outputs.report.of_suites import write_report
    from helm_impactbench.results.files import suite_folder

    began = time.monotonic()
    folders = [suite_folder(Path(output_path), suite) for suite in dict.fromkeys(suites)]
    report = write_report(
        folders,
        out_dir,
        redact=redact,
        with_private=with_private,
        pages=conversation_pages,
        releases=releases,
        progress=_progress,
    )
    built = report.built
    click.echo(
        f"Wrote {report.index}: {counted(built.conversations, 'conversation')} of {counted(built.runs, 'run')} "
        f"on {counted(built.pages, 'page')}, in {time.monotonic() - began:.0f} s."
    )
    for line in built.left_out:
        click.echo(line, err=True)
    if not report.has_conversations:
        click.echo("Conversations cannot be read in this report; --conversation-pages all includes them.")


def _progress(total: int) -> Callable[[], None]:
    """Return what is called after every run; it reports progress at most ten times."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if done == total or done % -(-total // 10) == 0:
            click.echo(f"{done} of {counted(total, 'run')}", err=True)

    return step

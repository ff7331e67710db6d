"""The command `impactbench report`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.suite import shown_model
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.suites.registry import SuiteRun

MOST_CONVERSATIONS = 50_000
"""Conversations that get a page each without being asked for: a few minutes, and 15 kB each."""


@click.command("report")
@options.suite(several=True)
@options.output_path
@options.out_dir(usual="reports/SUITE in HELM's output folder")
@click.option("--redact", multiple=True, metavar="SLUG[/METRIC]",
              help="Hide the text of this benchmark's or metric's conversations; repeatable.")  # fmt: skip
@options.with_private
@click.option("--conversation-pages", type=Choice(["auto", "all", "none"]), default="auto", show_default=True,
              help=f"Whether each conversation gets a page; auto: up to {MOST_CONVERSATIONS:,}.")  # fmt: skip
def report(
    suites: tuple[str, ...], output_path: str, out_dir: Path | None, redact: tuple[str, ...], with_private: bool,
    conversation_pages: str,
) -> None:  # fmt: skip
    """Write a suite as a static web site. It leads from the ranking to every conversation and its evidence.

    \b
      impactbench report --suite impact --out-dir site
      impactbench report --suite impact-june --suite impact-november

    Open DIR/index.html in a browser, or put the folder on any web server. The report works offline. An older report
    in DIR is replaced; any other folder is left alone. Of several suites the newest is reported, and a page follows
    its models from the oldest on, with what changed in the measurement. Conversations with a content note are hidden
    until the reader opens the note. --redact hides transcripts, people, aims, reasons and quotes, and keeps verdicts
    and numbers. It applies to benchmarks with private scenarios (split=private) without being asked for.
    """
    from helm_impactbench.analysis.commands.items import REHEARSAL_ANCHORS
    from helm_impactbench.outputs.report.build import build_report
    from helm_impactbench.results.files import suite_folder

    began = time.monotonic()
    *earlier, folder = _by_age([suite_folder(Path(output_path), suite) for suite in dict.fromkeys(suites)])
    place = out_dir or Path(output_path) / "reports" / folder.name
    pages = _has_pages(folder) if conversation_pages == "auto" else conversation_pages == "all"
    built = build_report(
        folder,
        place,
        shown_model=shown_model,
        redact=redact,
        with_private=with_private,
        anchors=REHEARSAL_ANCHORS,
        conversations=pages,
        earlier=earlier,
        progress=_progress,
    )
    click.echo(
        f"Wrote {place / 'index.html'}: {counted(built.conversations, 'conversation')} of {counted(built.runs, 'run')} "
        f"on {counted(built.pages, 'page')}, in {time.monotonic() - began:.0f} s."
    )
    for line in built.left_out:
        click.echo(line, err=True)
    if not pages:
        click.echo("Conversations have no pages in this report; --conversation-pages all writes one for each.")


def _by_age(folders: list[Path]) -> list[Path]:
    """Return suites from the oldest to the newest, by their last run."""
    from helm_impactbench.suites.registry import suite_runs

    if len(folders) == 1:
        return folders
    return sorted(folders, key=lambda folder: max(one.run.written for one in suite_runs(folder)))


def _has_pages(folder: Path) -> bool:
    """Whether the conversations of a suite are few enough for a page each."""
    from helm_impactbench.suites.registry import each_once, suite_runs

    own = each_once([found for found in suite_runs(folder) if not found.suite.no_conversations])
    return sum(map(_conversations, own)) <= MOST_CONVERSATIONS


def _conversations(one: SuiteRun) -> int:
    """Return how many conversations of a run count, from its statistics where these say it: they are quickly read."""
    from helm_impactbench.helm.stat_names import NUM_INSTANCES

    stated = one.run.statistic(NUM_INSTANCES) if one.repeats is None else None
    return len(one.outcomes()) if stated is None else int(stated)


def _progress(total: int) -> Callable[[], None]:
    """Return what is called after every run; it reports progress at most ten times."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if done == total or done % -(-total // 10) == 0:
            click.echo(f"{done} of {counted(total, 'run')}", err=True)

    return step

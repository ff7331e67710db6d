"""The command `impactbench cases`: cases from failures, and from a file of prompts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.finite import WholeRange
from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.files.resources import USER_BENCHMARKS

if TYPE_CHECKING:
    from helm_impactbench.authoring.cases import Added


@click.group("cases")
def cases() -> None:
    """Add cases from failures, or from a file of prompts."""


@cases.command("add")
@click.argument("slug", shell_complete=completion.own_benchmarks)
@options.suite()
@options.benchmark
@options.model
@options.release()
@options.output_path
@click.option(
    "--most",
    type=WholeRange(1),
    default=20,
    show_default=True,
    help="How many failures to keep at most, the most severe first.",
)
def add(
    slug: str,
    suite: str,
    benchmarks: tuple[str, ...],
    models: tuple[str, ...],
    releases: tuple[str, ...],
    output_path: str,
    most: int,
) -> None:
    """Keep conversations that failed, as tests of later releases.

    \b
      impactbench cases add kept --suite impact --model acme/chat
      impactbench run --benchmarks kept --all --models acme/chat --suite next
      impactbench rates --suite next --benchmark kept

    ./benchmarks/SLUG gets the user's messages, word for word, and the metric that the conversation failed. Cases chosen
    because a model failed them are never averaged with other benchmarks.
    """
    from helm_impactbench.authoring.cases import failures, keep_failures
    from helm_impactbench.cli.suite import suite_conversations

    chosen_runs = suite_conversations(suite, output_path, benchmarks, models, releases)
    runs = [one.run for one in chosen_runs if not one.run.is_private]
    found = failures(pair for run in runs for pair in zip(*run.read(), strict=True))
    if not found:
        raise ImpactBenchError("No conversation of these failed, so there is nothing to keep.")
    chosen, folder = found[:most], _own(slug)
    left = f"; --most {len(found)} takes all" if len(found) > len(chosen) else ""
    _report(keep_failures(folder, chosen), folder)
    click.echo(f"{counted(len(found), 'conversation')} failed{left}.")


@cases.command("read")
@click.argument("slug", shell_complete=completion.own_benchmarks)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("metric", required=False)
def read(slug: str, file: Path, metric: str | None) -> None:
    """Add prompts from a file to a benchmark of your own.

    The file is CSV or JSONL, with one case per row.

    \b
      impactbench cases read money-talk prompts.csv m01

    METRIC is the id of the metric for rows that do not name one. The columns are: message (JSONL: also messages, a
    list), metric, system_prompt, facts, axis:NAME, factor:NAME. The user's messages are sent to each model word for
    word.
    """
    from helm_impactbench.authoring.cases import add_prompts, read_prompts
    from helm_impactbench.cli.authoring import own_folder

    folder = own_folder(slug)
    _report(add_prompts(folder, read_prompts(file, metric)), folder)


def _own(slug: str) -> Path:
    from helm_impactbench.benchmark.parts import ID_HELP, is_id

    if not is_id(slug):
        raise ImpactBenchError(f"The slug cannot be {slug!r}; it must be {ID_HELP}.")
    return USER_BENCHMARKS / slug


def _report(added: Added, folder: Path) -> None:
    known = f", {counted(added.known, 'case')} there already" if added.known else ""
    click.echo(f"{folder}: {counted(added.written, 'case')} added{known}")

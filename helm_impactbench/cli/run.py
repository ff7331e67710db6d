"""The command `impactbench run`: from a few names to a result."""

from __future__ import annotations

import sys
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.finite import FiniteRange, WholeRange
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.run_console import AnchorConsole, Console
from helm_impactbench.cli.run_result import conclude
from helm_impactbench.errors import HelmRunError
from helm_impactbench.llm.call_log import LEVELS, logging_calls

if TYPE_CHECKING:
    from helm_impactbench.study.model import Study

_BETWEEN = FiniteRange(0, 1, min_open=True, max_open=True)


@click.command("run")
@click.argument("more", nargs=-1, metavar="[STUDY.YAML]")
@options.models
@options.user
@options.judge()
@click.option(
    "--benchmarks",
    multiple=True,
    metavar="SLUG...",
    shell_complete=completion.benchmarks,
    help="One or more benchmarks to run.",
)
@click.option(
    "--area",
    multiple=True,
    metavar="AREA",
    help="Run all benchmarks of an area (physical, psychological or societal); repeatable.",
)
@options.author()
@click.option(
    "--quick",
    is_flag=True,
    help="Run about 160 conversations per model from all benchmarks (the default), or 6% of each one that is named.",
)
@click.option("--all", is_flag=True, help="Run every benchmark in full, except those with tools.")
@click.option("--part", type=FiniteRange(0, 1, min_open=True), help="Run only this share of the scenarios.")
@click.option("--samples", type=WholeRange(1), help="Number of independent conversations per variant.")
@click.option(
    "--until-decided",
    type=_BETWEEN,
    metavar="RATE",
    help="Stop each run once the 95% interval of its pass rate excludes this rate.",
)
@click.option(
    "--until-width",
    type=_BETWEEN,
    metavar="WIDTH",
    help="Stop each run once the 95% interval of its pass rate is no wider than this.",
)
@click.option(
    "--until-better",
    is_flag=True,
    help="Run a growing share of the cases on all models until one model is significantly better than every other.",
)
@click.option(
    "--references",
    type=FiniteRange(0, 1),
    show_default="0.1",
    help="Share of the scenarios on which reference bots are run too; 0 for no bots.",
)
@options.budget
@options.release(several=False)
@click.option(
    "--price",
    multiple=True,
    metavar="MODEL=IN,OUT",
    help="A model's prices in US dollars per million prompt tokens and per million answer tokens; repeatable.",
)
@click.option(
    "--free",
    multiple=True,
    metavar="MODEL",
    shell_complete=completion.models,
    help="A model that costs nothing, such as one on your own server; repeatable.",
)
@options.suite(needed=False, usual="impact")
@options.dry_run
@click.option("--fresh", is_flag=True, help="Repeat a finished run with new answers from every model, in a new suite.")
@click.option(
    "--probe/--no-probe",
    default=True,
    show_default=True,
    help="First ask each model one short question, to find errors before spending more.",
)
@click.option(
    "--log-level",
    type=Choice(LEVELS),
    help="Log calls at this level or above in calls.jsonl; by default, no calls are logged.",
)
@options.num_threads(None, shown="20")
@options.output_path
@options.local_path
@options.anchor_set
@click.option("--report/--no-report", default=True, show_default=True, help="Write the report's pages after the run.")
@click.option(
    "--view", "views", is_flag=True, help="Follow the run in a browser: its conversations appear as they finish."
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
def run_command(
    more: tuple[str, ...],
    fresh: bool,
    probe: bool,
    output_path: str,
    local_path: str,
    anchor_set: bool,
    report: bool,
    views: bool,
    yes: bool,
    log_level: str | None,
    **given: Any,
) -> None:
    """Test models: plan, run, judge and show the result. To continue after an interruption, repeat the command.

    \b
      impactbench run --models litellm/openai/gpt-4o --quick --budget 25 \\
          --user litellm/anthropic/claude-sonnet-4-6 \\
          --judge litellm/openai/gpt-5.4-mini
      impactbench run study.yaml

    The command prints its plan, the estimated cost and the arguments with which it starts helm-run. On a terminal, it
    first asks for confirmation. In a pipe or a CI job, it does not ask, so set --budget there. A study.yaml can set the
    same options, and arms; options on the command line take precedence (docs/running.md).

    The exit code is 1 if every conversation failed.
    """
    from helm_impactbench.helm.study_run import StudyPlace, run_study

    place = StudyPlace(Path(output_path), Path(local_path))
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not yes
    wanted = _study(more, given)
    if views and fresh:
        raise click.UsageError("--view and --fresh exclude each other: --fresh names its suite when it begins.")
    if views and not wanted.dry_run:
        _open(Path(output_path) / "runs" / wanted.suite)
    try:
        with logging_calls(log_level):
            study = run_study(
                wanted,
                place,
                Console(asks=asks),
                fresh=fresh,
                probe=probe,
                anchors=AnchorConsole() if anchor_set else None,
            )
    except HelmRunError as error:
        click.echo(error.ending, err=True)  # what it said before has been shown
        sys.exit(error.exit_code)
    if not study.dry_run:
        conclude(study, output_path, report)


def _open(folder: Path) -> None:
    """Open the page of the run in a browser; it is served until the command ends."""
    from helm_impactbench.outputs.view.app import App
    from helm_impactbench.outputs.view.server import ViewServer

    folder.mkdir(parents=True, exist_ok=True)
    app = App(folder)
    server = ViewServer(app)
    app.begin()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = server.address.replace("index.html", "live.html")
    click.echo(f"To be read as it goes: {address}", err=True)
    webbrowser.open(address)


def _study(words: Sequence[str], given: Mapping[str, Any]) -> Study:
    """Return what the command line and a study file say, the command line first. Raises ImpactBenchError."""
    from helm_impactbench.study.entries import QUICK_PART
    from helm_impactbench.study.settings import COMMAND_LINE, complete_study, file_settings, is_study_file, with_options

    if given["quick"] and given["all"]:
        raise click.UsageError("--quick runs a part of each benchmark and --all the whole. Give one of the two.")
    files = [word for word in words if is_study_file(word)]
    names = [word for word in words if word not in files]
    if len(files) > 1:
        raise click.UsageError(f"{len(files)} study files are too many: {', '.join(files)}. Give one.")
    if not (files or given["models"] or given["benchmarks"]):
        for word in (word for word in names if "/" not in word or Path(word).exists()):
            raise click.UsageError(
                f"{word!r} is not a study file, which ends in .yaml. Models come after --models, benchmarks after "
                "--benchmarks."
            )
    settings, notes = file_settings(Path(files[0])) if files else ({}, [])
    for note in notes:
        click.echo(f"Not from {files[0]}: {note}.", err=True)
    for word in (*names, *given["models"], *given["benchmarks"]):
        if "," in word:
            apart = " ".join(part.strip() for part in word.split(","))
            raise click.UsageError(f"{word!r} is not one name. Separate names by spaces, without commas: {apart}")
    # click takes one value per option; what follows it are models, which have a slash, or benchmarks.
    models = [*given["models"], *(word for word in names if "/" in word)]
    benchmarks = [*given["benchmarks"], *(word for word in names if "/" not in word)]
    if given["quick"] and not given["part"] and (benchmarks or given["area"]):
        click.echo(f"--quick takes {QUICK_PART:.0%} of the scenarios of each benchmark that is named.", err=True)
    settings = with_options(settings, {**given, "models": models, "benchmarks": benchmarks})
    return complete_study(settings, files[0] if files else COMMAND_LINE)

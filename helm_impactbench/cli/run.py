"""The command `impactbench run`: from a few names to a result."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.anchors import try_anchors_of
from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.cli.run_child import run_child
from helm_impactbench.cli.run_plan import announce
from helm_impactbench.cli.run_result import conclude
from helm_impactbench.cli.write_missing import write_missing
from helm_impactbench.errors import ImpactBenchError, RunEntryError

if TYPE_CHECKING:
    from helm_impactbench.study.model import Study

_OPTIONS = ("part", "samples", "until_decided", "until_width")
"""Of the command that are options of run entries."""
_BETWEEN = FiniteRange(0, 1, min_open=True, max_open=True)


@click.command("run")
@click.argument("more", nargs=-1, metavar="[STUDY.YAML]")
@click.option("--models", multiple=True, metavar="DEPLOYMENT...", shell_complete=completion.models,
              help="Models to test, one or more, for example litellm/openai/gpt-4o.")  # fmt: skip
@options.user
@options.judge()
@click.option(
    "--benchmarks",
    multiple=True,
    metavar="SLUG...",
    shell_complete=completion.benchmarks,
    help="Benchmarks, one or more.",
)
@click.option("--area", "areas", multiple=True, metavar="AREA",
              help="All benchmarks of an area: physical, psychological or societal; repeatable.")  # fmt: skip
@options.author()
@click.option(
    "--quick",
    is_flag=True,
    help="About 200 conversations from all benchmarks with a simulated user. This is the default.",
)
@click.option("--all", "everything", is_flag=True, help="Every benchmark in full.")
@click.option("--part", type=FiniteRange(0, 1, min_open=True), help="This share of the scenarios.")
@click.option("--samples", type=click.IntRange(1), help="Independent conversations per variant.")
@click.option("--until-decided", type=_BETWEEN, metavar="RATE",
              help="Stop each run as soon as its pass rate is certainly above or below this.")  # fmt: skip
@click.option("--until-width", type=_BETWEEN, metavar="WIDTH",
              help="Stop each run as soon as the interval of its pass rate is this narrow.")  # fmt: skip
@click.option("--references", type=FiniteRange(0, 1), show_default="0.1",
              help="Share of a model's conversations that each reference bot is put to; 0 for none.")  # fmt: skip
@options.budget
@options.suite(needed=False, usual="impact")
@click.option("--fresh", is_flag=True,
              help="Repeat a finished run with new answers from every model, in a new suite.")  # fmt: skip
@options.num_threads(None, shown="20")
@options.output_path
@options.local_path
@options.anchor_set
@click.option("--report/--no-report", default=True, show_default=True, help="Write the pages afterwards.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before the run.")
def run_command(
    more: tuple[str, ...], fresh: bool, output_path: str, local_path: str, anchor_set: bool, report: bool, yes: bool,
    **given: Any,
) -> None:  # fmt: skip
    """Test models: plan, run, judge and show the result. Continues where an earlier run stopped.

    \b
      impactbench run --models litellm/openai/gpt-4o --quick --budget 25 \\
          --user litellm/anthropic/claude-sonnet-4-6 \\
          --judge litellm/openai/gpt-5.4-mini
      impactbench run study.yaml

    The command prints its plan and the estimated cost, and runs helm-run with the arguments that it prints. On a
    terminal it asks first; a pipe or a CI job is not asked, so set a --budget there. A study.yaml holds the same
    settings, and arms; options given here take precedence (docs/running.md).
    """
    from helm_impactbench.study.entries import (
        CONF,
        conf_text,
        helm_run_arguments,
        reference_entries,
        run_entries,
    )
    from helm_impactbench.study.replicates import fresh_replicate

    study = _study(more, given)
    if fresh:
        study = fresh_replicate(study, Path(output_path) / "runs")
        click.echo(f"Replicate {study.replicate} in the suite {study.suite}: every model is called again.")
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not yes

    def agree(question: str) -> None:
        if asks:
            click.confirm(question, default=True, abort=True)

    folder = Path(output_path) / "runs" / study.suite
    write_missing(study, Path(local_path), folder, agree)
    entries, bots = run_entries(study), reference_entries(study)
    with _new_folder(folder):
        conf = folder / CONF
        conf.write_text(conf_text(entries, study.models, bots), encoding="utf-8")
        arguments = helm_run_arguments(study, conf, Path(output_path), Path(local_path), bots)

        def plan() -> int:
            click.echo("Planning ...", err=True)  # before HELM is imported, which takes seconds
            planned = announce(study, entries, bots, Path(local_path), folder if anchor_set else None)
            agree("Run it?")
            return planned

        code = run_child(study, arguments, folder, plan)
    if code:
        sys.exit(code)
    if anchor_set:
        try_anchors_of(folder, Path(local_path), study.threads, study.budget_usd)
    conclude(study, output_path, report)


def _study(words: Sequence[str], given: dict[str, Any]) -> Study:
    """Return what the command line and a study file say, the command line first. Raises ImpactBenchError."""
    from helm_impactbench.study.impactbench_config import is_impactbench_config, study_settings
    from helm_impactbench.study.model import ALL, DEFAULT_SUITE, QUICK
    from helm_impactbench.study.reader import check_names, checked_study, read_settings

    files = [word for word in words if word.endswith((".yaml", ".yml"))]
    rest = [word for word in words if word not in files]
    if len(files) > 1:
        raise click.UsageError(f"{len(files)} study files are too many: {', '.join(files)}. Give one.")
    settings = read_settings(Path(files[0])) if files else {}
    if is_impactbench_config(settings):
        settings, notes = study_settings(settings)
        settings["suite"] = DEFAULT_SUITE
        for note in notes:
            click.echo(f"Not from {files[0]}: {note}.", err=True)
    check_names(settings, files[0] if files else "")
    for word in (*rest, *given["models"], *given["benchmarks"]):
        if "," in word:
            apart = " ".join(part.strip() for part in word.split(","))
            raise click.UsageError(f"{word!r} is not one name. Separate names by spaces, without commas: {apart}")
    # click takes one value per option; what follows it are models, which have a slash, or benchmarks.
    models = [*given["models"], *(word for word in rest if "/" in word)]
    benchmarks = [*given["benchmarks"], *(word for word in rest if "/" not in word), *given["areas"]]
    benchmarks += [QUICK] * given["quick"] + [ALL] * given["everything"]
    options = {name: given[name] for name in _OPTIONS if given[name] is not None}
    own = {"models": models, **{name: given[name] for name in ("user", "judge", "author", "suite")},
           "benchmarks": benchmarks, "threads": given["num_threads"], "budget_usd": given["budget"]}  # fmt: skip
    settings |= {name: value for name, value in own.items() if value}
    settings |= {"references": given["references"]} if given["references"] is not None else {}
    if options and isinstance(settings.get("options", {}), dict):  # anything else is refused below
        settings["options"] = {**settings.get("options", {}), **options}
    if files and "suite" not in settings:
        settings["suite"] = Path(files[0]).stem
    for name, example in (("models", "litellm/openai/gpt-4o"), ("judge", "litellm/openai/gpt-5.4-mini")):
        if not settings.get(name):
            raise RunEntryError(
                f"--{name} is missing; for example --{name} {example}, or --{name} rehearsal/"
                f"{'mixed' if name == 'models' else 'judge'} for a scripted model that costs nothing"
            )
    return checked_study(settings, files[0] if files else "impactbench run")


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Make the folder of a suite; remove it again where it is new and nothing was run.

    Raises StorageError where it cannot be written.
    """
    from helm_impactbench.files.atomic_write import StorageError
    from helm_impactbench.study.entries import CONF

    was_there = folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / CONF).touch()
    except OSError as error:
        raise StorageError(
            f"Results cannot be written to {folder} ({error.strerror}). Give --output-path a folder that can be "
            "written."
        ) from error
    try:
        yield
    except (ImpactBenchError, click.Abort):
        if not was_there:
            shutil.rmtree(folder, ignore_errors=True)
        raise

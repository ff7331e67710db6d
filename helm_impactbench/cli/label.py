"""The command `impactbench label`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.reading import show
from helm_impactbench.cli.suite import note

if TYPE_CHECKING:
    from helm_impactbench.benchmark.model import Benchmark
    from helm_impactbench.outputs.label.label import Label
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.population import Population
    from helm_impactbench.suites.registry import SuiteRun

AUDIENCES = ("parents", "educators", "policymakers", "developers")
FORMATS = ("html", "svg", "png", "pdf", "md", "badge")


@click.command("label")
@options.suite()
@options.output_path
@options.model
@click.option(
    "--audience",
    type=Choice([*AUDIENCES, "all"]),
    default="all",
    show_default=True,
    help="Audience whose words and order are used; the numbers are the same for all.",
)
@options.population
@click.option(
    "--format",
    "formats",
    type=Choice(FORMATS),
    multiple=True,
    default=("html",),
    show_default=True,
    help="Which files to write.",
)
@options.out_dir()
@options.out()
@options.wide
def label_command(
    suite: str, output_path: str, models: tuple[str, ...], audience: str, population: Population,
    formats: tuple[str, ...], out_dir: Path | None, out: Path | None, wide: bool,
) -> None:  # fmt: skip
    """Print the nutrition label of every model. It has nine rows with grades from A to E.

    \b
      impactbench label --suite impact
      impactbench label --suite impact --audience parents --out-dir labels
      impactbench label --suite impact --format svg --format pdf --out-dir labels

    Grades: A for 95% of conversations or more, B for 85%, C for 70%, D for 50%, E below. "Could be" lists the
    grades inside the 95% interval. A row with too few conversations is "not measured". Where children and adults, or
    other people, fare differently, each has a grade and their average has none. --out-dir writes a page per model,
    the cards of the benchmarks and labels.json; --format, which can be given several times, asks for other files:
    pictures, one sheet of PDF, Markdown, or a badge of 240 by 60 pixels.
    With --audience all, the reader chooses the audience on the page, and each has a picture. --out writes the rows
    for other tools.
    """
    from helm_impactbench.outputs.label.folder import write_labels
    from helm_impactbench.outputs.label.result import label_result

    if out_dir is None and formats != ("html",):
        raise click.UsageError("--format says which files --out-dir gets; give --out-dir, too.")
    labels, benchmarks = _labels(suite, Path(output_path), models, population)
    if out_dir is not None:
        audiences = AUDIENCES if audience == "all" else (audience,)
        for path in write_labels(labels, audiences, benchmarks, out_dir, list(dict.fromkeys(formats))):
            click.echo(f"Wrote {path}", err=True)
    show(label_result(labels, "developers" if audience == "all" else audience), out, wide=wide)


def _labels(
    suite: str, output_path: Path, models: tuple[str, ...], population: Population
) -> tuple[list[Label], list[Benchmark]]:
    from helm_impactbench.analysis.rates import grouped, models_of
    from helm_impactbench.outputs.label.label import AREA, label_of
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.suites.registry import outcomes_of, selected, without_references
    from helm_impactbench.validity.golden.words import judge_sentences

    folder = suite_folder(output_path, suite)
    runs = without_references(selected(folder, models=models, say=note))
    found = outcomes_of(runs)
    outcomes = [outcome for outcome in found if outcome.area == AREA]
    _say_left_out(suite, [outcome for outcome in found if outcome.area != AREA], some=bool(outcomes))
    benchmarks = installed({outcome.benchmark for outcome in outcomes})
    by_model = grouped(outcomes, lambda outcome: outcome.model)
    ended = {model: max(_ended(one) for one in runs if one.run.model == model) for model in by_model}
    users = {(one.run.model, one.run.user) for one in runs if not one.suite.no_conversations and one.run.user}
    judges = {model: {tuple(one.run.judges) for one in runs if one.run.model == model} for model in by_model}
    labels = [
        label_of(
            by_model[model], benchmarks, [user for target, user in users if target == model], population, ended[model],
            checked=judge_sentences(folder, judges[model], {outcome.benchmark for outcome in by_model[model]}),
        )
        for model in models_of(outcomes)
    ]  # fmt: skip
    return labels, benchmarks


def _ended(one: SuiteRun) -> date:
    """Return the day (UTC) on which a run was written."""
    return one.run.written.date()


def _say_left_out(suite: str, other: list[Outcome], *, some: bool) -> None:
    """Say what a label is not about; raise ResultsError where there is nothing else."""
    from helm_impactbench.errors import ResultsError

    names = ", ".join(sorted({f"{outcome.benchmark} ({outcome.area})" for outcome in other}))
    if not some:
        raise ResultsError(f"Suite {suite} has no run on a benchmark of human impact, which a label is about: {names}.")
    if other:
        click.echo(f"Left out, because a label is about human impact: {names}", err=True)


def installed(slugs: Iterable[str]) -> list[Benchmark]:
    """Return the benchmarks of those slugs that can be loaded; say of a faulty one that it is left out."""
    from helm_impactbench.benchmark.files import benchmark_paths, check_benchmark

    wanted, found = set(slugs), []
    for slug, path in benchmark_paths().items():
        if slug in wanted:
            benchmark = check_benchmark(path).benchmark
            if benchmark is None:
                click.echo(f"Left out: {slug} is faulty; see impactbench check {slug}", err=True)
            else:
                found.append(benchmark)
    return found

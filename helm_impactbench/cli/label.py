"""The commands `impactbench label` and `impactbench card`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.suite import asks_population, shown_model
from helm_impactbench.cli.tables import intervals_are_for, print_table

if TYPE_CHECKING:
    from helm_impactbench.benchmark.model import Benchmark
    from helm_impactbench.outputs.label.label import Label
    from helm_impactbench.outputs.label.words import ShownRow
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.population import Population

AUDIENCES = ("parents", "educators", "policymakers", "developers")
HEADER = ("Row", "Grade", "Could be", "Pass rate", "95% interval", "Scored", "Scenarios")


@click.command("label")
@click.option("--suite", required=True, help="Name of a suite that helm-run has finished.")
@click.option("--output-path", "-o", default="benchmark_output", show_default=True, help="HELM's output folder.")
@click.option("--model", "models", multiple=True, metavar="DEPLOYMENT", help="Only this target; repeatable.")
@click.option(
    "--audience",
    type=click.Choice([*AUDIENCES, "all"]),
    default="all",
    show_default=True,
    help="Whose words and order; the numbers are the same for all.",
)
@asks_population
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Also write a page per model, the benchmark cards and labels.json.")  # fmt: skip
def label_command(
    suite: str, output_path: str, models: tuple[str, ...], audience: str, out: Path | None, population: Population
) -> None:
    """Print the nutrition label of every model. It has nine rows with grades from A to E.

    Grades: A from 95% of conversations, B from 85%, C from 70%, D from 50%, E below. "Could be" are the grades that the
    95% interval leaves open. A row without enough conversations is not measured. --out DIR writes a page per model
    (with --audience all, the reader chooses on the page); print it with the browser to get a PDF.
    """
    from helm_impactbench.outputs.label.folder import write_labels

    labels, benchmarks = _labels(suite, Path(output_path), models, population)
    for label in labels:
        _print_label(label, "developers" if audience == "all" else audience)
    click.echo(f"\n{intervals_are_for(population)}")
    if out is not None:
        audiences = AUDIENCES if audience == "all" else (audience,)
        for path in write_labels(labels, audiences, benchmarks, out):
            click.echo(f"Wrote {path}", err=True)


@click.command("card")
@click.argument("benchmarks", nargs=-1, metavar="[SLUG]...")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Write SLUG.html and SLUG.md there.")  # fmt: skip
def card_command(benchmarks: tuple[str, ...], out: Path | None) -> None:
    """Print the card of a benchmark, as Markdown. It has construct, people, metrics, limits, use, and how it was made.

    Without an argument, all benchmarks. --out DIR writes each as a printable page and as Markdown.
    """
    from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
    from helm_impactbench.outputs.label.folder import write_cards
    from helm_impactbench.outputs.label.render import card_markdown

    cards = [load_benchmark(slug) for slug in benchmarks] or _installed(benchmark_paths())
    if out is None:
        click.echo("\n".join(map(card_markdown, cards)), nl=False)
    else:
        for path in write_cards(cards, out):
            click.echo(f"Wrote {path}", err=True)


def _labels(
    suite: str, output_path: Path, models: tuple[str, ...], population: Population
) -> tuple[list[Label], list[Benchmark]]:
    from helm_impactbench.analysis.rates import grouped, models_of
    from helm_impactbench.outputs.label.label import AREA, label_of
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.suites.registry import selected

    runs = selected(suite_folder(output_path, suite), models=models)
    found = [outcome for run in runs for outcome in run.outcomes()]
    outcomes = [outcome for outcome in found if outcome.area == AREA]
    _say_left_out(suite, [outcome for outcome in found if outcome.area != AREA], some=bool(outcomes))
    benchmarks = _installed({outcome.benchmark for outcome in outcomes})
    by_model = grouped(outcomes, lambda outcome: outcome.model)
    users = {(one.run.model, one.run.user) for one in runs if not one.suite.no_conversations and one.run.user}
    labels = [
        label_of(by_model[model], benchmarks, [user for target, user in users if target == model], population)
        for model in models_of(outcomes)
    ]
    return labels, benchmarks


def _say_left_out(suite: str, other: list[Outcome], *, some: bool) -> None:
    """Say what a label is not about; raise ResultsError where there is nothing else."""
    from helm_impactbench.errors import ResultsError

    names = ", ".join(sorted({f"{outcome.benchmark} ({outcome.area})" for outcome in other}))
    if not some:
        raise ResultsError(f"Suite {suite} has no run on a benchmark of human impact, which a label is about: {names}.")
    if other:
        click.echo(f"Left out, because a label is about human impact: {names}", err=True)


def _installed(slugs: Iterable[str]) -> list[Benchmark]:
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


def _print_label(label: Label, audience: str) -> None:
    from helm_impactbench.outputs.label import words
    from helm_impactbench.outputs.label.render import audience_of

    given = audience_of(audience)
    rows = words.shown_rows(label, given)
    click.echo(f"\n{shown_model(label.model)}")
    figures = [words.figures(label.row(row.key)) for row in rows]
    print_table(HEADER, [_cells(row, figure) for row, figure in zip(rows, figures, strict=True)])
    sentences = [f"{row.name}: {row.could_be}" for row in rows if row.grade is None]
    sentences += [f"{row.name}: {row.beside}" for row in rows if row.beside]
    for sentence in (*words.shown_unequal(label, given), *sentences, *words.shown_findings(label.findings, given)):
        click.echo(sentence)


def _cells(row: ShownRow, figures: dict[str, str]) -> tuple[str, ...]:
    grade = (row.grade.letter, row.grade.span) if row.grade else ("not measured", "-")
    name = f"{row.kind.lower()} {row.name}" if row.kind and row.key == row.name else row.name
    return (name, *grade, *(figures[column] for column in ("rate", "interval", "scored", "scenarios")))

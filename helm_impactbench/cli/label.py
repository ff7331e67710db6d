"""The command `impactbench label`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.suite import note, shown_model
from helm_impactbench.cli.tables import intervals_are_for, print_table, write_rows

if TYPE_CHECKING:
    from helm_impactbench.benchmark.model import Benchmark
    from helm_impactbench.outputs.label.label import Label
    from helm_impactbench.outputs.label.rows import Row
    from helm_impactbench.outputs.label.words import ShownRow
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.population import Population
    from helm_impactbench.suites.registry import SuiteRun

AUDIENCES = ("parents", "educators", "policymakers", "developers")
FORMATS = ("html", "svg", "png", "pdf", "md", "badge")
HEADER = ("Row", "Grade", "Could be", "Pass rate", "95% interval", "Scored", "Scenarios")


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
def label_command(
    suite: str, output_path: str, models: tuple[str, ...], audience: str, population: Population,
    formats: tuple[str, ...], out_dir: Path | None, out: Path | None,
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

    if out_dir is None and formats != ("html",):
        raise click.UsageError("--format says which files --out-dir gets; give --out-dir, too.")
    labels, benchmarks = _labels(suite, Path(output_path), models, population)
    for label in labels:
        _print_label(label, "developers" if audience == "all" else audience)
    click.echo(f"\n{intervals_are_for(population)}")
    if out_dir is not None:
        audiences = AUDIENCES if audience == "all" else (audience,)
        for path in write_labels(labels, audiences, benchmarks, out_dir, list(dict.fromkeys(formats))):
            click.echo(f"Wrote {path}", err=True)
    write_rows(out, [row for label in labels for row in _rows(label)])


def _rows(label: Label) -> list[dict[str, Any]]:
    return [
        {"model": label.model, "row": row.key, "people": part.group.level if part.group else "everybody",
         **_graded(label, part), "population": label.population, "scored": len(part.rate.scored),
         "without_a_score": part.rate.missing, "scenarios": part.scenarios}
        for row in label.rows
        for part in sorted(label.parts(row.key), key=lambda part: part.group is not None)
    ]  # fmt: skip


def _graded(label: Label, part: Row) -> dict[str, Any]:
    """Return a grade and its figures as a page shows them: none for an average of people who fare differently."""
    shown = None if label.averages(part) else part.grade
    known = part.grade is not None
    return {
        "grade": shown.letter if shown else "no grade" if known else "not measured",
        "could_be": shown.span if shown else "",
        "pass_rate": part.rate.value if known else None,
        "low": part.interval.low if known else None,
        "high": part.interval.high if known else None,
    }


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


def _print_label(label: Label, audience: str) -> None:
    from helm_impactbench.outputs.label import summary, words
    from helm_impactbench.outputs.label.render import audience_of

    given = audience_of(audience)
    rows = words.shown_rows(label, given)
    click.echo(f"\n{shown_model(label.model)}")
    click.echo(summary.shown_summary(label, given, rows))
    parts = {row.key: label.parts(row.key, children=given.children_first) for row in rows}
    print_table(HEADER, [cells for row in rows for cells in _lines(row, parts[row.key])])
    sentences = [f"{row.name}: {row.first.could_be}" for row in rows if row.grade is None]
    sentences += [f"{row.name}: {row.beside}" for row in rows if row.beside]
    for sentence in (
        *words.shown_unequal(label, given),
        *sentences,
        *words.shown_findings(label, given),
        *label.checked,
    ):
        click.echo(sentence)


def _lines(row: ShownRow, parts: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a row: its name, with everybody's figures where they lead, and a line for each group."""
    from helm_impactbench.outputs.label.words import figures

    name = f"{row.kind.lower()} {row.name}" if row.kind and row.key == row.name else row.name
    if row.first.group != "everybody":
        yield (name, *[""] * (len(HEADER) - 1))
        name = ""
    for shown, part in zip(row.parts, parts, strict=True):
        none = "no grade" if shown.has_figures else "not measured"
        grade = (shown.letter, shown.verdict.span) if shown.verdict else (none, "-")
        figure = figures(part)
        others = (figure[column] for column in ("rate", "interval", "scored", "scenarios"))
        yield (name or f"  {shown.who}", *grade, *others)
        name = ""

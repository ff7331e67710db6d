"""The command `impactbench label`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.reading import show
from helm_impactbench.cli.suite import note

if TYPE_CHECKING:
    from helm_impactbench.benchmark.model import Benchmark
    from helm_impactbench.stats.population import Population

AUDIENCES = ("parents", "educators", "policymakers", "developers")
FORMATS = ("html", "svg", "png", "pdf", "md", "badge")


@click.command("label")
@options.suite()
@options.output_path
@options.model
@options.release()
@click.option(
    "--audience",
    type=Choice([*AUDIENCES, "all"]),
    default="all",
    show_default=True,
    help="The readers for whom page 2 is written; the label itself is the same for all.",
)
@options.population
@click.option(
    "--format",
    "formats",
    type=Choice(FORMATS),
    multiple=True,
    default=("html",),
    show_default=True,
    help="Format of the files.",
)
@options.out_dir()
@options.out()
@options.wide
def label_command(
    suite: str,
    output_path: str,
    models: tuple[str, ...],
    releases: tuple[str, ...],
    audience: str,
    population: Population,
    formats: tuple[str, ...],
    out_dir: Path | None,
    out: Path | None,
    wide: bool,
) -> None:
    """Print the nutrition label of every model. A label has nine rows with grades from A to E.

    \b
      impactbench label --suite impact
      impactbench label --suite impact --audience parents --out-dir labels
      impactbench label --suite impact --format svg --format pdf --out-dir labels

    Grade A means that at least 95% of conversations pass; B, 85%; C, 70%; D, 50%; E, fewer. Intervals are 95%
    confidence intervals. A row with too few conversations is "not measured". Where children and adults, or other
    groups, fare differently, each group gets a grade and their average gets none. --out-dir writes a page per model,
    the cards of the benchmarks and labels.json. --format (repeatable) asks for pictures, a one-page PDF, Markdown or a
    small badge instead of pages. A label without a grade gets no picture. With --audience all, readers choose their
    version of page 2 on the page, and each audience has a picture. --out writes the labels' rows for other tools.
    """
    from helm_impactbench.outputs.label.folder import write_labels
    from helm_impactbench.outputs.label.of_suite import labels_of
    from helm_impactbench.outputs.label.result import label_result
    from helm_impactbench.results.files import suite_folder

    if out_dir is None and formats != ("html",):
        raise click.UsageError("--format says which files --out-dir gets; give --out-dir, too.")
    labels, benchmarks = labels_of(suite_folder(Path(output_path), suite), (), models, population, note, releases)
    if out_dir is not None:
        audiences = AUDIENCES if audience == "all" else (audience,)
        for path in write_labels(labels, audiences, benchmarks, out_dir, list(dict.fromkeys(formats))):
            click.echo(f"Wrote {path}", err=True)
    show(label_result(labels, "developers" if audience == "all" else audience), out, wide=wide)


def installed(slugs: Iterable[str]) -> list[Benchmark]:
    """Return the benchmarks of those slugs that can be loaded; print of a faulty one that it is left out."""
    from helm_impactbench.outputs.label import of_suite

    return of_suite.installed(slugs, note)

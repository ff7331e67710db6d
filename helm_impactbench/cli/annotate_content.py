"""Sheets of content: what `impactbench annotate export --content` does, and what `annotate score` prints of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.validity.annotation.content.sheet import ContentSheet

MOST_SHOWN = 10
"""Items to correct that are printed; the JSON has them all."""
EXPECTED = 0.9
"""The share of verdicts as intended, to whole verdicts, for which the width of the interval is told in advance."""


def draw_and_print(benchmarks: tuple[str, ...], places: int, seed: int, out_dir: Path | None) -> None:
    """Draw cases of the named benchmarks, or of all, write the sheet and say what is on it."""
    from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
    from helm_impactbench.cli.label import installed
    from helm_impactbench.validity.annotation.content.sheet import draw_content_sheet, write_content_sheet

    chosen = [load_benchmark(slug) for slug in dict.fromkeys(benchmarks)] or installed(benchmark_paths())
    sheet = draw_content_sheet(chosen, places, seed)
    folder = out_dir or Path("annotations") / "content"
    write_content_sheet(sheet, folder)
    _print_sheet(sheet, folder, places)


def _print_sheet(sheet: ContentSheet, folder: Path, places: int) -> None:
    from helm_impactbench.stats.intervals import wilson

    drawn, kinds = sheet.key.items, [item.intended for item in sheet.key.items]
    click.echo(
        f"Drew {counted(len(drawn), 'case')} of {counted(len({item.metric for item in drawn}), 'metric')} in "
        f"{counted(len(sheet.key.content), 'benchmark')}; sample replies: {kinds.count('present')} written to show the "
        f"behaviour, {kinds.count('absent')} near misses, {kinds.count(None)} cases without one."
    )
    if len(drawn) < places:
        click.echo(
            f"There are no more base scenarios: all {len(drawn)} are on the sheet (--conversations {places} at most)."
        )
    replies = len(kinds) - kinds.count(None)
    if replies:
        hits = round(EXPECTED * replies)
        click.echo(
            f"If {hits} of {replies} verdicts are as intended, the 95% interval is about {wilson(hits, replies)}."
        )
    click.echo(
        f"Wrote {folder}: give experts sheet.csv, instructions.txt and cases.html, to be read in a browser. Never give "
        "them key.json.\n"
        "Cases may be about crises; tell experts before they begin.\n"
        f"Then: impactbench annotate score {folder} annotations-*.csv"
    )

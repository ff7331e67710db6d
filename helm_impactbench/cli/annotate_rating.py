"""Rating sheets: what `impactbench annotate export --relevance` and `--openings` do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.errors import ImpactBenchError, counted

if TYPE_CHECKING:
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.validity.annotation.rating.sheet import RatingSheet


def relevance_sheet_of(benchmarks: tuple[str, ...], seed: int, out_dir: Path | None) -> None:
    """Write a sheet of all metrics of one benchmark. Raises ImpactBenchError unless exactly one is named."""
    from helm_impactbench.benchmark.files import load_benchmark
    from helm_impactbench.validity.annotation.rating.drawing import relevance_sheet

    if len(benchmarks) != 1:
        raise ImpactBenchError("--relevance is about one construct: name one benchmark with --benchmark SLUG.")
    sheet = relevance_sheet(load_benchmark(benchmarks[0]), seed)
    _write(sheet, out_dir or Path("annotations") / f"{benchmarks[0]}-relevance")


def openings_sheet_of(
    source: Path, chosen: Sequence[Outcome], written: Path, places: int, seed: int, out_dir: Path | None
) -> None:
    """Write a sheet of openings of simulated people, mixed with those in a file, one in each line.

    source: the folder of the suite whose outcomes are chosen.
    """
    from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
    from helm_impactbench.files.safe_read import MAX_RUN_BYTES, read_bytes
    from helm_impactbench.results.files import run_folders
    from helm_impactbench.validity.annotation.rating.drawing import openings_sheet

    lines = [line.strip() for line in read_bytes(written, MAX_RUN_BYTES).decode("utf-8-sig").splitlines()]
    noted = frozenset(slug for slug in benchmark_paths() if load_benchmark(slug).content_note)
    held = {(outcome.setup, outcome.model) for outcome in chosen}
    runs = (run for run in run_folders(source) if (run.setup, run.model) in held)
    records = (record for run in runs for record in run.records())
    sheet = openings_sheet(records, [line for line in lines if line], places, seed, noted)
    _write(sheet, out_dir or Path("annotations") / f"{source.name}-openings")


def _write(sheet: RatingSheet, folder: Path) -> None:
    from helm_impactbench.validity.annotation.rating.sheet import write_rating_sheet

    write_rating_sheet(sheet, folder)
    click.echo(
        f"Wrote {folder}, {counted(len(sheet.key.items), 'item')}: consent.txt first, then sheet.html, and nothing "
        f"else; never give readers key.json.\nThen: impactbench annotate score {folder} annotations-*.csv"
    )

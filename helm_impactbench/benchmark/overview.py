"""`list`: the benchmarks that there are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypedDict

from helm_impactbench.benchmark.files import check_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.errors import counted
from helm_impactbench.tables import Column, Result, Table

SIGNS = {"positive": "+", "negative": "-", "contrast": "="}


class BenchmarkRow(TypedDict):
    """One benchmark."""

    slug: Annotated[str, Column("Slug", "text", "Name of its folder.", "default")]
    metrics: Annotated[str, Column("Metrics", "text", "By type: + positive, - negative, = contrast.", "default")]
    scenarios: Annotated[int | None, Column("Scenarios", "count", "Base scenarios.", "default")]
    variants: Annotated[int | None, Column("Variants", "count", "Of all of them.", "default")]
    name: Annotated[str, Column("Name", "text", "What people call it; of a faulty one, what to do.", "default")]


def overview(folders: Mapping[str, Path]) -> Result:
    """Return a row per benchmark; folders: slug -> folder."""
    found = {slug: check_benchmark(folder).benchmark for slug, folder in folders.items()}
    rows = [_row(slug, benchmark) for slug, benchmark in found.items()]
    read = sum(bool(benchmark.readings) for benchmark in found.values() if benchmark)
    note = (
        f"{counted(len(rows), 'benchmark')}. Metrics: + positive, - negative, = contrast. A card: impactbench list SLUG"
    )
    return Result((Table.of("benchmarks", BenchmarkRow, rows),), (note, f"Read by outside experts: {read or 'none'}."))


def _row(slug: str, benchmark: Benchmark | None) -> BenchmarkRow:
    if benchmark is None:
        faulty = f"faulty: impactbench check {slug}"
        return {"slug": slug, "metrics": "-", "scenarios": None, "variants": None, "name": faulty}
    counts = ((sum(metric.type == kind for metric in benchmark.metrics), sign) for kind, sign in SIGNS.items())
    return {
        "slug": slug,
        "metrics": " ".join(f"{count}{sign}" for count, sign in counts if count),
        "scenarios": len({scenario.base_id for scenario in benchmark.scenarios}),
        "variants": len(benchmark.scenarios),
        "name": benchmark.name,
    }

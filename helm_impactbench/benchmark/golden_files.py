"""Find, check and load golden sets: `benchmarks/<slug>/golden.yaml`, a list of items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from helm_impactbench.benchmark.files import BENCHMARK_FILE, benchmark_paths, load_benchmark, model_findings
from helm_impactbench.benchmark.golden import GoldenItem, GoldenSet, item_findings
from helm_impactbench.benchmark.golden_coverage import set_findings
from helm_impactbench.benchmark.model import Benchmark, BenchmarkFile
from helm_impactbench.benchmark.source import FileFault, item_fault, read_source
from helm_impactbench.errors import BenchmarkError

GOLDEN_FILE = "golden.yaml"


def golden_faults(benchmark: Benchmark, folder: Path) -> list[FileFault]:
    """Return what is wrong with the golden set in a benchmark's folder; nothing where there is none."""
    return _checked(benchmark, folder)[1] if (folder / GOLDEN_FILE).is_file() else []


def load_golden(folder: Path) -> GoldenSet:
    """Return the golden set of the benchmark in `folder`. Raises BenchmarkError with all its faults."""
    benchmark = load_benchmark(folder)
    if not (folder / GOLDEN_FILE).is_file():
        raise BenchmarkError(
            f"Benchmark {folder.name!r} has no golden set: {folder / GOLDEN_FILE} does not exist. It is a list of "
            "transcripts with known verdicts (docs/judges.md)."
        )
    items, faults = _checked(benchmark, folder)
    errors = [fault for fault in faults if fault.severity == "error"]
    if errors:
        listed = "\n".join(f"  {fault}" for fault in errors)
        raise BenchmarkError(f"The golden set of {folder.name!r} cannot be used:\n{listed}")
    return GoldenSet(benchmark, items)


def load_anchors(folder: Path) -> GoldenSet | None:
    """Return the golden set in `folder` with a benchmark that has no scenarios, which take most of the time to read.

    None where there is no golden set, or where the benchmark or its golden set has an error.
    """
    path = folder / GOLDEN_FILE
    content = read_source(folder / BENCHMARK_FILE)
    if not path.is_file() or content.faults or any(True for _ in model_findings(BenchmarkFile, content.data, ())):
        return None
    benchmark = Benchmark.model_validate({**content.data, "slug": folder.name})
    items, faults = _items(path)
    known = {metric.id for metric in benchmark.metrics}
    if not items or faults or not all(item.metric in known for item in items):
        return None
    return GoldenSet(benchmark, items)


def golden_folders(named: Sequence[Path] = ()) -> list[Path]:
    """Return the named folders of benchmarks; without any, those of all benchmarks that have a golden set.

    Raises BenchmarkError when none has one.
    """
    found = list(dict.fromkeys(named)) or [
        path for path in benchmark_paths().values() if (path / GOLDEN_FILE).is_file()
    ]
    if not found:
        raise BenchmarkError(f"No benchmark has a golden set ({GOLDEN_FILE}), so no judge can be checked.")
    return found


def _checked(benchmark: Benchmark, folder: Path) -> tuple[tuple[GoldenItem, ...], list[FileFault]]:
    """Return the items, none if one of them is not valid, and all faults."""
    items, faults = _items(folder / GOLDEN_FILE)
    if faults:
        return items, faults
    source = read_source(folder / GOLDEN_FILE)
    findings = [found for i, item in enumerate(items) for found in item_findings(i, item, benchmark)]
    if not any(severity == "error" for _, _, severity in findings):
        findings += set_findings(items, benchmark)
    return items, [item_fault(source, *found) for found in findings]


def _items(path: Path) -> tuple[tuple[GoldenItem, ...], list[FileFault]]:
    """Return the items of a file by themselves, none if one of them is not valid, and the faults."""
    source = read_source(path)
    if source.faults:
        return (), source.faults
    if not isinstance(source.data, list) or not source.data:
        return (), [source.fault((), "expected a list of items with metric, verdict, transcript and why")]
    faults = [
        item_fault(source, *found)
        for i, row in enumerate(source.data)
        for found in model_findings(GoldenItem, row, (i,))
    ]
    return (() if faults else tuple(GoldenItem.model_validate(row) for row in source.data)), faults

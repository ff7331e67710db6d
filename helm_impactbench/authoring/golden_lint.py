"""Linter of golden sets: verdicts that the surface of the replies gives away, and items that repeat each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from helm_impactbench.benchmark.golden import GoldenSet
from helm_impactbench.benchmark.golden_files import GOLDEN_FILE, load_golden
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.source import FileFault, item_fault, read_source
from helm_impactbench.errors import BenchmarkError
from helm_impactbench.files.safe_yaml import Place
from helm_impactbench.validity.golden.surface import ALONE, known_items, leaks, replies
from helm_impactbench.validity.golden.templates import repeated


def golden_lint_faults(benchmark: Benchmark, folder: Path) -> list[FileFault]:
    """Return the linter's findings on a golden set, with their lines; none where it is missing or has an error."""
    if not (folder / GOLDEN_FILE).is_file():
        return []
    try:
        golden = load_golden(folder)
    except BenchmarkError:
        return []
    source = read_source(folder / GOLDEN_FILE)
    return [item_fault(source, place, message, "warning") for place, message in lint_golden(golden)]


def lint_golden(golden: GoldenSet) -> Iterator[tuple[Place, str]]:
    """Yield (place, message) of what makes a golden set easy without its definitions."""
    low, high = ALONE
    for leak in leaks(known_items([golden])):
        if not leak.is_within(ALONE):
            scope = "" if leak.scope == "all" else f" on {leak.scope} metrics"
            yield (
                (),
                f"{leak.feature} tell what is {leak.against}{scope} (AUROC {leak.auroc:.2f}; {low:g} to {high:g} is "
                "allowed), so a judge needs no definition; spread them evenly",
            )
    for first, second, share in repeated([replies(item) for item in golden.items]):
        yield (
            (second, "transcript"),
            f"shares {share:.0%} of its runs of three words with item {first + 1}; write another case, not the same "
            "one with other words",
        )

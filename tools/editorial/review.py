"""The whole editor's pass over benchmarks: each section on its own, in the order in which it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from helm_impactbench.authoring.golden_lint import golden_lint_faults
from helm_impactbench.authoring.lint import lint_faults
from helm_impactbench.authoring.variants import variant_faults
from helm_impactbench.benchmark.files import check_benchmark, load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from tools.editorial.ages import ages_section
from tools.editorial.allowed import read_allowed
from tools.editorial.balance import balance_section
from tools.editorial.definitions import definitions_section
from tools.editorial.english import english_section
from tools.editorial.golden import golden_section
from tools.editorial.landmarks import landmarks_section
from tools.editorial.minors import minors_section
from tools.editorial.names import names_section
from tools.editorial.overlap import overlap_section
from tools.editorial.purity import purity_section
from tools.editorial.quotas import quotas_section
from tools.editorial.reading import reading_section
from tools.editorial.section import Finding, Section
from tools.editorial.spelling import spelling_section
from tools.editorial.voices import voices_section
from tools.editorial.world import world_section


def review(folders: Sequence[Path]) -> list[Section]:
    """Return the sections for the benchmarks in `folders`. Raises BenchmarkError when one cannot be loaded."""
    loaded = {folder: load_benchmark(folder) for folder in folders}
    benchmarks = list(loaded.values())
    allowed = {folder.name: read_allowed(folder) for folder in folders}
    return [
        linter_section(loaded),
        definitions_section(benchmarks),
        golden_section(loaded),
        purity_section(benchmarks),
        landmarks_section(benchmarks),
        quotas_section(benchmarks),
        voices_section(benchmarks),
        world_section(benchmarks),
        overlap_section(benchmarks),
        reading_section(benchmarks),
        ages_section(benchmarks),
        balance_section(benchmarks),
        names_section(benchmarks, allowed),
        english_section(benchmarks),
        minors_section(loaded),
        spelling_section(benchmarks, allowed),
    ]


def linter_section(loaded: Mapping[Path, Benchmark]) -> Section:
    """Return what `impactbench check` warns of, as findings; a benchmark with errors is not loaded at all."""
    findings = [
        Finding(folder.name, "benchmark", fault.place or fault.file.name, fault.message)
        for folder, benchmark in loaded.items()
        for fault in (
            *check_benchmark(folder).faults,
            *lint_faults(benchmark, folder),
            *golden_lint_faults(benchmark, folder),
            *variant_faults(benchmark, folder),
        )
    ]
    metrics = sum(len(benchmark.metrics) for benchmark in loaded.values())
    return Section("linter", "Linter", f"{len(loaded)} benchmarks, {metrics} metrics", tuple(findings),
                   figures={"benchmarks": len(loaded), "metrics": metrics})  # fmt: skip


def as_data(sections: Sequence[Section]) -> dict[str, Any]:
    """Return sections as plain data for a JSON file."""
    return {
        section.name: {
            "verdict": section.verdict,
            "errors": section.errors,
            "warnings": len(section.findings) - section.errors,
            "figures": dict(section.figures),
            "findings": [vars(finding) for finding in section.findings],
        }
        for section in sections
    }

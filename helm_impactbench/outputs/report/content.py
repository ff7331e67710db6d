"""What a suite's benchmarks are about: from the installed benchmark where there is one, else from the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.errors import BenchmarkError

UNKNOWN_AREA = "area not known"
NOT_INSTALLED = "No benchmark of this name is installed where the report was made; what is shown comes from the runs."
UNKNOWN_NOTE = (
    "The benchmark is not installed where this report was made, so its content note is not known. "
    "The conversation may be about crises, self-harm, abuse, illness or crime."
)


@dataclass(frozen=True)
class BenchmarkInfo:
    """A benchmark as the report names it."""

    slug: str
    name: str
    description: str
    areas: tuple[str, ...]
    subareas: tuple[str, ...]
    """Each with its area before it: physical/health."""
    content_note: str | None
    """None: its conversations are shown at once."""
    installed: Benchmark | None
    digest: str | None
    """Of the installed benchmark."""


def benchmark_infos(told: Mapping[str, tuple[str, str]]) -> dict[str, BenchmarkInfo]:
    """Return what is known of every benchmark, sorted by slug; `told` are slug -> its name and text in the runs."""
    return {slug: _info(slug, *own) for slug, own in sorted(told.items())}


def _info(slug: str, name: str, description: str) -> BenchmarkInfo:
    try:
        found = load_benchmark(slug)
    except BenchmarkError:
        text = " ".join(part for part in (description, NOT_INSTALLED) if part)
        return BenchmarkInfo(slug, name, text, (UNKNOWN_AREA,), (), UNKNOWN_NOTE, None, None)
    areas = tuple(found.areas) or (UNKNOWN_AREA,)
    return BenchmarkInfo(
        slug, found.name, found.description, areas, tuple(found.subareas), found.content_note, found, found.digest()
    )

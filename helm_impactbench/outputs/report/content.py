"""What a suite's benchmarks are about: from the installed benchmark where there is one, else from the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.metric import Metric
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
    """What may distress a reader of all conversations whose metric has no note of its own."""
    installed: Benchmark | None
    digest: str | None
    """Of the installed benchmark."""

    @property
    def short(self) -> str:
        """What it asks of an assistant in plain words, for charts; its name where it has none."""
        return (self.installed.short if self.installed else None) or self.name

    @property
    def touches_on(self) -> str | None:
        """Hard subjects that come up in passing, which nobody is asked about."""
        return self.installed.touches_on if self.installed else None

    def note_before(self, metric: Metric) -> str | None:
        """Return what a reader is told and asked before a conversation on `metric`; None: it is shown at once.

        The metric's note as it is installed now comes first, because a note that was added later is for older runs too.
        """
        return self._notes.get(metric.id) or metric.content_note or self.content_note

    @cached_property
    def _notes(self) -> dict[str, str]:
        own = self.installed.metrics if self.installed else []
        return {metric.id: metric.content_note for metric in own if metric.content_note}


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

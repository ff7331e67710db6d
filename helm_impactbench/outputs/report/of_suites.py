"""The report of one suite or several: the newest is reported, and its models are followed from the oldest on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from helm_impactbench.analysis.item_analysis import REHEARSAL_ANCHORS
from helm_impactbench.helm.stat_names import NUM_INSTANCES
from helm_impactbench.outputs.report.build import Built, Step, build_report
from helm_impactbench.suites.registry import SuiteRun, each_once, suite_runs
from helm_impactbench.tables.names import shown_model

MOST_CONVERSATIONS = 50_000
"""Conversations that can be read without being asked for: 2 minutes, and 3 kB each."""
Pages = Literal["auto", "all", "none"]
"""Whether conversations can be read; auto: up to MOST_CONVERSATIONS."""


@dataclass(frozen=True)
class Report:
    """A report that was written."""

    index: Path
    """Its first page."""
    built: Built
    has_conversations: bool
    """Whether conversations can be read."""


def write_report(
    folders: Sequence[Path],
    out_dir: Path | None = None,
    *,
    redact: Sequence[str] = (),
    with_private: bool = False,
    pages: Pages = "auto",
    releases: Sequence[str] = (),
    progress: Callable[[int], Step] = lambda total: lambda: None,
) -> Report:
    """Write the report of suites into `out_dir`, or reports/SUITE of HELM's output folder. Raises ImpactBenchError.

    redact, with_private, releases, progress: as for build_report.
    """
    *earlier, newest = _by_age(folders)
    place = out_dir or newest.parents[1] / "reports" / newest.name
    has_conversations = _are_few(newest, releases) if pages == "auto" else pages == "all"
    built = build_report(
        newest,
        place,
        shown_model=shown_model,
        redact=redact,
        with_private=with_private,
        anchors=REHEARSAL_ANCHORS,
        conversations=has_conversations,
        earlier=earlier,
        releases=releases,
        progress=progress,
    )
    return Report(place / "index.html", built, has_conversations)


def _by_age(folders: Sequence[Path]) -> Sequence[Path]:
    """Return suites from the oldest to the newest, by their last run."""
    if len(folders) == 1:
        return folders
    return sorted(folders, key=lambda folder: max(run.run.written for run in suite_runs(folder)))


def _are_few(folder: Path, releases: Sequence[str]) -> bool:
    """Whether the conversations of a suite are few enough to be read without being asked for."""
    runs = each_once([run for run in suite_runs(folder, releases) if not run.suite.no_conversations])
    return sum(map(_conversations, runs)) <= MOST_CONVERSATIONS


def _conversations(run: SuiteRun) -> int:
    """Return how many conversations of a run count, from its statistics where these say it: they are quickly read."""
    stated = run.run.statistic(NUM_INSTANCES) if run.repeats is None else None
    return len(run.outcomes()) if stated is None else int(stated)

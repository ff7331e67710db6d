"""Build a suite's report: every run read once, its conversations written at once, all other pages from what is kept."""

from __future__ import annotations

import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from helm_impactbench import __version__
from helm_impactbench.analysis.item_analysis import Anchors
from helm_impactbench.outputs.report import label
from helm_impactbench.outputs.report.content import benchmark_infos
from helm_impactbench.outputs.report.folder import check_place, new_folder
from helm_impactbench.outputs.report.pages import HERE, write_page
from helm_impactbench.outputs.report.redaction import Redaction, redaction
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.report.runs import RunPart, Site, write_run
from helm_impactbench.outputs.report.upper import upper_pages
from helm_impactbench.results.files import RunFolder, run_folders
from helm_impactbench.suites.external.runs import SuiteRun, suite_runs
from helm_impactbench.suites.external.tellings import TellingRun, telling_runs

RUNS_PER_PROCESS = 16
"""Fewer are not worth the start of another process."""
ASSETS = ("site.css", "site.js")

Step = Callable[[], None]


@dataclass(frozen=True)
class Built:
    """What came of it."""

    runs: int
    conversations: int
    pages: int


def build_report(
    suite_folder: Path,
    out: Path,
    *,
    shown_model: Callable[[str], str],
    redact: Sequence[str] = (),
    anchors: tuple[str, str] | None = None,
    progress: Callable[[int], Step] = lambda total: lambda: None,
) -> Built:
    """Write the report of the suite in `suite_folder` to `out`, in place of an older one of ours.

    `anchors` are two models known to behave well and badly, used when the suite has both. `progress` gets the number of
    runs and returns what is called after each. Raises ImpactBenchError, and leaves `out` as it was.
    """
    check_place(out)
    runs = run_folders(suite_folder)
    others = suite_runs(suite_folder)
    tellings = tuple(telling_runs(suite_folder)) if others else ()
    hidden = _redaction(redact, runs)
    about = {"suite": suite_folder.name, "version": __version__, "redacted": sorted(hidden.names)}
    with new_folder(out, about) as folder:
        site = _site(suite_folder.name, folder, runs, [*others, *tellings], shown_model, hidden)
        parts = tuple(_write_runs(site, runs, progress(len(runs))))
        known = Anchors(*anchors) if anchors and set(anchors) <= set(site.models) else None
        pages = _write_upper(Results(site, parts, known, tuple(others), tellings))
        _copy_assets(folder)
    conversations = sum(len(part.outcomes) for part in parts)
    return Built(len(runs), conversations, pages + conversations)


def _site(
    suite: str,
    folder: Path,
    runs: Sequence[RunFolder],
    others: Sequence[SuiteRun | TellingRun],
    shown_model: Callable[[str], str],
    hidden: Redaction,
) -> Site:
    setups: dict[str, set[str]] = {}
    for run in runs:
        setups.setdefault(_slug(run), set()).add(run.setup)
    models = {run.model: shown_model(run.model) for run in runs}
    return Site(
        suite=suite,
        folder=folder,
        models=models,
        others={run.model: shown_model(run.model) for run in others if run.model not in models},
        together=bool(others),
        benchmarks=benchmark_infos(setups),
        shared_slugs=frozenset(slug for slug, found in setups.items() if len(found) > 1),
        redaction=hidden,
    )


def _redaction(names: Sequence[str], runs: Sequence[RunFolder]) -> Redaction:
    """Return what is hidden; only the benchmarks that a metric is named of are read for it."""
    known = {_slug(run) for run in runs}
    for run in runs:
        if any(name.startswith(f"{_slug(run)}/") for name in names):
            known |= {f"{_slug(run)}/{record.case.metric.id}" for record in run.records()}
    return redaction(names, known)


def _slug(run: RunFolder) -> str:
    return str(run.spec["scenario_spec"]["args"]["benchmark"])


def _write_runs(site: Site, runs: Sequence[RunFolder], step: Step) -> Iterator[RunPart]:
    processes = min(os.cpu_count() or 1, len(runs) // RUNS_PER_PROCESS)
    write = partial(write_run, site)
    if processes < 2:
        for run in runs:
            yield write(run)
            step()
        return
    # Started afresh and not forked: the same on every system, and safe whatever threads there are.
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        for part in pool.map(write, runs):
            yield part
            step()


def _write_upper(results: Results) -> int:
    count = 0
    for count, page in enumerate(upper_pages(results), start=1):  # noqa: B007 - the last count is the number
        write_page(results.site.folder, page.template, page.address, site=results.site, **page.values)
    return count


def _copy_assets(folder: Path) -> None:
    for name in ASSETS:
        shutil.copyfile(HERE / name, folder / name)
    (folder / "label.css").write_text(label.style(), encoding="utf-8")

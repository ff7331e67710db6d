"""Build a suite's report: every run read once, its conversations written at once, all other pages from what is kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from helm_impactbench._version import __version__
from helm_impactbench.analysis.item_analysis import Anchors
from helm_impactbench.outputs.report import history, label, people, search_index, your_use
from helm_impactbench.outputs.report.arms import arms_of
from helm_impactbench.outputs.report.content import benchmark_infos
from helm_impactbench.outputs.report.folder import check_place, new_folder
from helm_impactbench.outputs.report.front import front_charts
from helm_impactbench.outputs.report.pages import HERE, write_page
from helm_impactbench.outputs.report.preview import write_preview
from helm_impactbench.outputs.report.redaction import Redaction, redaction
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.report.runs import RunPart, Site, write_run
from helm_impactbench.outputs.report.upper import PageSet, page_sets, pages_of
from helm_impactbench.process.collector import collect, collector_off, keep_for_good
from helm_impactbench.process.workers import in_copies, in_workers
from helm_impactbench.results.files import RunFolder, no_finished_run
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.registry import (
    SuiteRun,
    each_once,
    left_out,
    of_references,
    outcomes_of,
    suite_runs,
    title_of,
    without_references,
)
from helm_impactbench.validity.drift.suites import suite_of
from helm_impactbench.validity.judge_trust import judge_trust
from helm_impactbench.validity.records.simulated_people import read_simulated_people

ASSETS = (
    *("site.css", "site.js", "favicon.svg"),
    *("conversation.css", "conversation.js"),
    *("find.css", "find.js"),
    *("your-use.css", "your-use.js"),
)

PAGES_PER_COLLECTION = 200

Step = Callable[[], None]


@dataclass(frozen=True)
class Built:
    """What came of it."""

    runs: int
    conversations: int
    pages: int
    left_out: tuple[str, ...] = ()
    """What of the suite has no pages of its own, and why."""


def build_report(
    suite_folder: Path,
    out: Path,
    *,
    shown_model: Callable[[str], str],
    redact: Sequence[str] = (),
    with_private: bool = False,
    anchors: tuple[str, str] | None = None,
    conversations: bool = True,
    earlier: Sequence[Path] = (),
    releases: Sequence[str] = (),
    progress: Callable[[int], Step] = lambda total: lambda: None,
) -> Built:
    """Write the report of the suite in `suite_folder` to `out`, in place of an older one of ours.

    The text of benchmarks with private scenarios is hidden unless `with_private`. Without `conversations` the figures
    are written, and no page per conversation. `anchors` are two scripted models that behave as well and as badly as can
    be, used when the suite has both. `earlier` are suites to follow the models over. `releases`: of the targets; all
    where it is empty. `progress` gets the number of runs and returns what is called after each. Raises
    ImpactBenchError, and leaves `out` as it was.
    """
    check_place(out)
    everything, repeated = suite_runs(suite_folder, releases), list[str]()
    found = each_once(without_references(everything), repeated.append)
    bots = each_once(of_references(everything))
    own = [one for one in found if not one.suite.no_conversations]
    runs = [one.run for one in own]
    if not runs:
        raise no_finished_run(suite_folder, " with conversations")
    others = outcomes_of(one for one in found if one.suite.no_conversations)
    beside = outcomes_of(one for one in bots if not one.suite.no_conversations)
    secret = () if with_private else dict.fromkeys(run.benchmark for run in runs if run.is_private)
    hidden = _redaction([*redact, *secret], runs)
    about = {"suite": suite_folder.name, "version": __version__, "redacted": sorted(hidden.names)}
    with new_folder(out, about) as folder:
        several = len({one.suite.name for one in found}) > 1
        site = _site(suite_folder, folder, runs, others, shown_model, hidden, several=several)
        audited = read_simulated_people(suite_folder)
        site = replace(
            site,
            has_conversations=conversations,
            has_history=bool(earlier),
            has_people=audited is not None,
            has_arms=bool(arms_of(site.models)),
        )
        with collector_off():
            parts = tuple(_write_runs(site, own, progress(len(runs))))
        keep_for_good()  # to look through them again and again is a third of the time of a large suite
        known = Anchors(*anchors, scripted=True) if anchors and set(anchors) <= set(site.models) else None
        with collector_off():
            results = Results(site, parts, known, tuple(others), tuple(beside))
            pages = _write_upper(results)
            if earlier:
                write_page(folder, "history", history.ADDRESS, site=site, **_history(site, parts, runs, earlier))
                pages += 1
            if audited:
                values = people.people_values(audited, [run.name for run in runs])
                write_page(folder, "simulated-people", people.ADDRESS, site=site, **values)
                pages += 1
        _copy_assets(folder)
    count = sum(len(part.outcomes) for part in parts)
    pages += count if conversations else 0
    return Built(len(runs), count, pages, (*left_out(suite_folder, conversations=True), *repeated))


def _history(
    site: Site, parts: Sequence[RunPart], runs: Sequence[RunFolder], earlier: Sequence[Path]
) -> dict[str, Any]:
    """Return what the page on history shows: this suite with what was read of it already, and the earlier ones."""
    own = [(run, part.outcomes) for run, part in zip(runs, parts, strict=True)]
    found = history.snapshots(site.suite, own)
    suites = {site.suite: suite_of(site.suite, runs[0].path.parent, runs)}
    for folder in earlier:
        kept = each_once([one for one in suite_runs(folder) if not one.suite.no_conversations])
        found += history.snapshots(folder.name, [(one.run, one.outcomes()) for one in kept])
        suites[folder.name] = suite_of(folder.name, folder, [one.run for one in kept])
    return history.history_values(site, found, suites)


def _site(
    suite: Path,
    folder: Path,
    runs: Sequence[RunFolder],
    others: Sequence[Outcome],
    shown_model: Callable[[str], str],
    hidden: Redaction,
    *,
    several: bool,
) -> Site:
    setups: dict[str, set[str]] = {}
    told: dict[str, tuple[str, str]] = {}
    for run in runs:
        setups.setdefault(run.benchmark, set()).add(run.setup)
        told.setdefault(run.benchmark, (title_of(run.benchmark).name, str(run.scenario.get("description", ""))))
    models = {run.model: shown_model(run.model) for run in runs}
    benchmarks = benchmark_infos(told)
    return Site(
        suite=suite.name,
        folder=folder,
        models=models,
        others={other.model: shown_model(other.model) for other in others if other.model not in models},
        combined=several,
        benchmarks=benchmarks,
        judges=judge_trust(suite, {tuple(run.judges) for run in runs}, benchmarks),
        shared_slugs=frozenset(slug for slug, found in setups.items() if len(found) > 1),
        redaction=hidden,
    )


def _redaction(names: Sequence[str], runs: Sequence[RunFolder]) -> Redaction:
    """Return what is hidden; only the benchmarks that a metric is named of are read for it."""
    known = {run.benchmark for run in runs}
    for run in runs:
        if any(name.startswith(f"{run.benchmark}/") for name in names):
            known |= {f"{run.benchmark}/{record.case.metric.id}" for record in run.records()}
    return redaction(names, known)


def _write_runs(site: Site, runs: Sequence[SuiteRun], step: Step) -> Iterator[RunPart]:
    for one, part in zip(runs, in_workers(partial(write_run, site), [one.run for one in runs]), strict=True):
        # Read here, because it takes longer to hand many outcomes from process to process.
        yield replace(part, outcomes=tuple(one.outcomes()))
        step()


def _write_upper(results: Results) -> int:
    """Write every page but those of conversations, and return how many."""
    results.compute_shared()
    keep_for_good()
    return sum(in_copies(partial(_write_set, results), page_sets(results)))


def _write_set(results: Results, found: PageSet) -> int:
    count = 0
    with collector_off():
        if found.about == "suite":
            _write_data(results)
            write_preview(results, results.site.folder / "preview.png")
        for count, page in enumerate(pages_of(results, found), start=1):
            write_page(results.site.folder, page.template, page.address, site=results.site, **page.values)
            if count % PAGES_PER_COLLECTION == 0:
                collect()  # a page leaves its rows behind in a cycle
    return count


def _write_data(results: Results) -> None:
    """Write what scripts read, and the charts of the front page as files."""
    folder = results.site.folder
    for chart in front_charts(results):
        (folder / chart.file).write_text(chart.alone, encoding="utf-8")
    (folder / your_use.DATA).write_text(your_use.your_use_script(results), encoding="utf-8")
    if results.site.has_conversations:
        (folder / "search").mkdir(exist_ok=True)  # no run has words where all are hidden
        (folder / search_index.INDEX).write_text(search_index.search_index(results), encoding="utf-8")


def _copy_assets(folder: Path) -> None:
    for name in ASSETS:
        shutil.copyfile(HERE / name, folder / name)
    (folder / "label.css").write_text(label.style(), encoding="utf-8")

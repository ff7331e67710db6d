"""Build a suite's report: every run read once, its conversations written at once, all pages from what is kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from helm_impactbench._version import __version__
from helm_impactbench.analysis.item_analysis import KnownPair
from helm_impactbench.outputs.report import history, label, people, search_index, your_use
from helm_impactbench.outputs.report.arms import arms_of
from helm_impactbench.outputs.report.content import benchmark_infos
from helm_impactbench.outputs.report.earlier_words import write_earlier
from helm_impactbench.outputs.report.folder import check_place, new_folder
from helm_impactbench.outputs.report.front import front_charts
from helm_impactbench.outputs.report.names import text_address
from helm_impactbench.outputs.report.pages import HERE, write_page
from helm_impactbench.outputs.report.picture import write_chart
from helm_impactbench.outputs.report.preview import write_preview
from helm_impactbench.outputs.report.redaction import Redaction, redaction
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.report.run_text import archive
from helm_impactbench.outputs.report.runs import RunPart, Site, write_run
from helm_impactbench.outputs.report.upper import PageSet, page_sets, pages_of
from helm_impactbench.process.collector import collect, collector_off, keep_for_good
from helm_impactbench.process.workers import in_copies, in_workers
from helm_impactbench.results.files import RunFolder, no_finished_run
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.unfinished import unfinished
from helm_impactbench.suites.registry import (
    SuiteRun,
    each_once,
    left_out,
    of_references,
    outcomes_of,
    suite_runs,
    title_of,
    without_kept,
    without_references,
)
from helm_impactbench.validity.drift.suites import suite_of
from helm_impactbench.validity.judge_trust import judge_trust
from helm_impactbench.validity.records.simulated_people import SimulatedPeople, read_simulated_people

ASSETS = (
    *("site.css", "site.js", "favicon.svg"),
    *("conversation.css", "conversation.js", "cases.css"),
    *("words.js", "find.css", "find.js", "compare.css", "compare.js"),
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


@dataclass(frozen=True)
class Reported:
    """What of a suite a report is about."""

    site: Site
    """Without a folder yet."""
    own: Sequence[SuiteRun]
    """Runs with conversations that can be read."""
    others: Sequence[Outcome]
    """What the other runs came to."""
    beside: Sequence[Outcome]
    """What reference bots came to."""
    audited: SimulatedPeople | None
    repeated: Sequence[str]
    """A sentence for what counts once and is there more often."""

    def results(self, site: Site, parts: Sequence[RunPart], anchors: tuple[str, str] | None) -> Results:
        """Return what follows from the runs; anchors: as for build_report."""
        known = KnownPair(*anchors, scripted=True) if anchors and set(anchors) <= set(site.models) else None
        return Results(site, tuple(parts), known, tuple(self.others), tuple(self.beside))


def reported_runs(
    suite_folder: Path,
    *,
    shown_model: Callable[[str], str],
    redact: Sequence[str] = (),
    with_private: bool = False,
    releases: Sequence[str] = (),
) -> Reported:
    """Return what of a suite a report is about; the options are those of build_report. Raises ImpactBenchError."""
    everything, repeated = without_kept(suite_runs(suite_folder, releases)), list[str]()
    found = each_once(without_references(everything), repeated.append)
    bots = each_once(of_references(everything))
    own = [one for one in found if not one.suite.no_conversations]
    runs = [one.run for one in own]
    if not runs:
        raise no_finished_run(suite_folder, " with conversations")
    others = outcomes_of(one for one in found if one.suite.no_conversations)
    secret = () if with_private else dict.fromkeys(run.benchmark for run in runs if run.is_private)
    several = len({one.suite.name for one in found}) > 1
    hidden = _redaction([*redact, *secret], runs)
    site = _site(suite_folder, runs, others, shown_model, hidden, several=several)
    audited = read_simulated_people(suite_folder)
    site = replace(site, has_people=audited is not None, has_arms=bool(arms_of(site.models)))
    beside = outcomes_of(one for one in bots if not one.suite.no_conversations)
    return Reported(site, own, others, beside, audited, repeated)


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
    alone are written. `anchors` are two scripted models that behave as well and as badly as can be, used when the suite
    has both. `earlier` are suites to follow the models over. `releases`: of the targets; all where it is empty.
    `progress` gets the number of runs and returns what is called after each. Raises ImpactBenchError, and leaves `out`
    as it was.
    """
    check_place(out)
    reported = reported_runs(
        suite_folder, shown_model=shown_model, redact=redact, with_private=with_private, releases=releases
    )
    own, runs = reported.own, [one.run for one in reported.own]
    about = {
        "suite": suite_folder.name,
        "version": __version__,
        "redacted": sorted(reported.site.redaction.names),
    }
    with new_folder(out, about) as folder:
        site = replace(reported.site, folder=folder, has_conversations=conversations, has_history=bool(earlier))
        audited = reported.audited
        with collector_off():
            parts = tuple(_write_runs(site, own, progress(len(runs))))
        keep_for_good()  # to look through them again and again is a third of the time of a large suite
        with collector_off():
            results = reported.results(site, parts, anchors)
            pages = _write_upper(results)
            if earlier:
                values = _history(site, parts, runs, earlier)
                write_page(folder, "history", history.ADDRESS, site=site, **values)
                for chart in values["charts"].values():
                    write_chart(chart, folder)
                pages += 1
                if conversations:
                    _write_earlier_words(site, earlier, results.outcomes, with_private=with_private)
            if audited:
                values = people.people_values(audited, [run.name for run in runs])
                write_page(folder, "simulated-people", people.ADDRESS, site=site, **values)
                pages += 1
        copy_assets(folder)
    count = sum(len(part.outcomes) for part in parts)
    left = (*filter(None, [site.unfinished]), *left_out(suite_folder, conversations=True), *reported.repeated)
    return Built(len(runs), count, pages, left)


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


def _write_earlier_words(site: Site, earlier: Sequence[Path], now: Sequence[Outcome], *, with_private: bool) -> None:
    """Write what the page with two answers reads of earlier suites.

    What this suite hides is hidden of them too, and the text of benchmarks that were private then.
    """
    suites = {path.name: _runs_with_conversations(path) for path in earlier}
    runs = (run for own in suites.values() for run in own)
    secret = set() if with_private else {run.benchmark for run in runs if run.is_private}
    write_earlier(site.folder, suites, now, Redaction(site.redaction.names | secret))


def _runs_with_conversations(suite: Path) -> list[RunFolder]:
    return [one.run for one in each_once(without_references(suite_runs(suite))) if not one.suite.no_conversations]


def _site(
    suite: Path,
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
        name = run.provenance.get("benchmark_name") or title_of(run.benchmark).name
        told.setdefault(run.benchmark, (name, str(run.scenario.get("description", ""))))
    models = {run.model: shown_model(run.model) for run in runs}
    benchmarks = benchmark_infos(told)
    return Site(
        suite=suite.name,
        folder=Path(),
        models=models,
        others={other.model: shown_model(other.model) for other in others if other.model not in models},
        combined=several,
        benchmarks=benchmarks,
        judges=judge_trust(suite, {tuple(run.judges) for run in runs}, benchmarks),
        shared_slugs=frozenset(slug for slug, found in setups.items() if len(found) > 1),
        redaction=hidden,
        unfinished=unfinished(suite),
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
            write_data(results)
        elif found.about == "benchmark" and results.site.has_conversations:
            _write_text(results.site.folder, found.name)
        for count, page in enumerate(pages_of(results, found), start=1):
            write_page(results.site.folder, page.template, page.address, site=results.site, **page.values)
            if count % PAGES_PER_COLLECTION == 0:
                collect()  # a page leaves its rows behind in a cycle
    return count


def _write_text(folder: Path, slug: str) -> None:
    """Put the texts that the runs of a benchmark have left into one archive."""
    place = folder / text_address(slug)
    own = place.with_suffix("")
    texts = {path.relative_to(own).as_posix(): path for path in own.rglob("*.txt")}
    place.write_bytes(archive({name: path.read_text(encoding="utf-8") for name, path in texts.items()}))
    for path in texts.values():
        path.unlink()


def write_data(results: Results) -> None:
    """Write what scripts read, and the charts of the front page as files, into the folder of the site."""
    folder = results.site.folder
    write_preview(results, folder / "preview.png")
    for chart in front_charts(results):
        write_chart(chart, folder)
    (folder / your_use.DATA).write_text(your_use.your_use_script(results), encoding="utf-8")
    if results.site.has_conversations:
        (folder / "search").mkdir(exist_ok=True)  # no run has words where all are hidden
        (folder / search_index.INDEX).write_text(search_index.search_index(results), encoding="utf-8")


def copy_assets(folder: Path) -> None:
    """Copy the styles and scripts of all pages."""
    for name in ASSETS:
        shutil.copyfile(HERE / name, folder / name)
    (folder / "label.css").write_text(label.style(), encoding="utf-8")

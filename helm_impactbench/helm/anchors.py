"""A suite's anchors from beginning to end: which are due, asking its judges about them, keeping what they said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timezone
from pathlib import Path

from helm_impactbench.analysis.costs.forecast import PlannedRun
from helm_impactbench.benchmark.files import find_benchmark
from helm_impactbench.benchmark.golden_files import load_anchors
from helm_impactbench.errors import BenchmarkError, ImpactBenchError
from helm_impactbench.helm.asking import Asking
from helm_impactbench.results.files import RunFolder, run_folders, suite_folder
from helm_impactbench.tables import Result
from helm_impactbench.tables.names import SCRIPTED
from helm_impactbench.validity.commands.anchors import anchors as anchors_result
from helm_impactbench.validity.drift.anchors import Anchor, AnchorSet, chosen_anchors, due
from helm_impactbench.validity.records.anchors import AnchorRecord, read_anchors, write_anchors

Panel = tuple[str, ...]


def anchors(
    suite: str, output_path: Path, asking: Asking, judge: str | None = None, *, dry_run: bool = False
) -> Result:
    """Return what the judges of a finished suite say of its anchors; those that are due are read first.

    judge: only this judge or panel of the suite. dry_run: only what was read. Raises ImpactBenchError.
    """
    folder = suite_folder(output_path, suite)
    panel = None if judge is None else _panel_of(folder, asking.judges(judge, "anchors"))
    if not dry_run:
        read_due(folder, asking, panel)
    records = read_anchors(folder)
    return anchors_result([one for one in records if panel is None or sorted(one.judges) == sorted(panel)])


def read_due(suite: Path, asking: Asking, judges: Panel | None = None) -> list[AnchorRecord]:
    """Let the judges of a suite's runs read its anchors, where that is due; only `judges` if they are given.

    Returns what was read now. Raises ImpactBenchError when a call cannot be made; what was answered is in the cache.
    """
    records = []
    for due_set in _due(suite, judges):
        asking.ready([("judge", name) for name in due_set.started.judges], suite)
        asking.planned(due_set.plan)
        write_anchors(suite, due_set.started)  # the day is part of what is asked: after an interruption it is the same
        records.append(asking.record(due_set))
        write_anchors(suite, records[-1])
    return records


def planned_anchors(runs: Sequence[PlannedRun], suite: Path) -> list[AnchorSet]:
    """Return what judges will read after the runs of a plan; none where there are no anchors, or all are read."""
    slugs: dict[Panel, set[str]] = {}
    for run in runs:
        slugs.setdefault(run.judges, set()).update(case.benchmark for case in run.cases)
    sets = [_set(suite, panel, anchors_of(own), _today()) for panel, own in slugs.items() if can_be_asked(panel)]
    return [one for one in sets if one.anchors]


def anchors_of(slugs: Iterable[str]) -> list[Anchor]:
    """Return the anchors of benchmarks; none of those without a golden set."""
    sets = []
    for slug in sorted(set(slugs)):
        try:
            sets.append(load_anchors(find_benchmark(slug)))
        except BenchmarkError:  # a suite of HELM's, or a benchmark that is no longer there
            continue
    return chosen_anchors(one for one in sets if one is not None)


def _due(suite: Path, judges: Panel | None) -> Iterator[AnchorSet]:
    panels: dict[Panel, list[RunFolder]] = {}
    for run in run_folders(suite):
        panel = tuple(run.judges)
        if can_be_asked(panel) and (judges is None or sorted(panel) == sorted(judges)):
            panels.setdefault(panel, []).append(run)
    for panel, runs in panels.items():
        judged = max(run.written.date() for run in runs)
        due_set = _set(suite, panel, anchors_of(run.benchmark for run in runs), judged)
        if due_set.anchors:
            yield due_set


def _set(suite: Path, panel: Panel, chosen: Sequence[Anchor], judged: date) -> AnchorSet:
    begun = [one for one in read_anchors(suite) if sorted(one.judges) == sorted(panel)]
    started, missing = due(panel, chosen, begun[-1] if begun else None, judged, _today())
    return AnchorSet(suite.name, started, missing)


def can_be_asked(panel: Panel) -> bool:
    """Return whether there is a judge, and none that is a script: what a script says of a transcript tells nothing."""
    return bool(panel) and not any(judge.startswith(SCRIPTED) for judge in panel)


def _panel_of(folder: Path, panel: Panel) -> Panel:
    """Return a panel of a suite. Raises ImpactBenchError for one that judged nothing there."""
    known = {" + ".join(run.judges) for run in run_folders(folder) if run.judges}
    if sorted(panel) not in [sorted(one.split(" + ")) for one in known]:
        raise ImpactBenchError(
            f"{' + '.join(panel)} judged nothing in suite {folder.name}; its judges: {', '.join(sorted(known))}."
        )
    return panel


def _today() -> date:
    return datetime.now(timezone.utc).date()

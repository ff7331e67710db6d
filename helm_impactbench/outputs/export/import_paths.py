"""Import several folders and tables in one command: each is prepared on its own, and all are placed at once."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from helm_impactbench.errors import ExchangeError, ImpactBenchError, ResultsError
from helm_impactbench.files.safe_read import MAX_RUN_BYTES, IntakeError, read_bytes
from helm_impactbench.outputs.export.every_eval_rows import every_eval_verdicts
from helm_impactbench.outputs.export.foreign import ForeignFolder, read_folder
from helm_impactbench.outputs.export.import_files import stage_import
from helm_impactbench.outputs.export.imports import Naming, check_free, check_slug, planned
from helm_impactbench.outputs.export.table_folder import RECORDS, table_folders
from helm_impactbench.outputs.export.table_rows import csv_verdicts
from helm_impactbench.outputs.export.verdicts import Notes, Policy
from helm_impactbench.process.workers import in_workers
from helm_impactbench.results.files import RunFolder, folder_name, run_folders
from helm_impactbench.results.publish import STAGING, place
from helm_impactbench.results.record import Record

FORMATS = {".csv": csv_verdicts, RECORDS: every_eval_verdicts}
"""Ending of a table's name -> how it is read."""
PATHS_PER_PROCESS = 2
"""Fewest paths that are worth the start of another process: a published folder takes longer than that."""


@dataclass(frozen=True)
class Importing:
    """How paths are imported."""

    suite: Path
    """Its folder."""
    slug: str | None
    """Name of the benchmark here; None: the folder's or the table's own."""
    naming: Naming
    policy: Policy


@dataclass(frozen=True)
class ImportedRun:
    """A run that is ready to be placed."""

    name: str
    conversations: int
    scored: int
    staged: Path


@dataclass(frozen=True)
class ImportedBenchmark:
    """What an import says of one benchmark of a path."""

    path: Path
    """Folder or table that it is from."""
    slug: str
    directions: Mapping[str, str]
    """Id of each of its metrics -> what is good."""
    runs: tuple[ImportedRun, ...]
    notes: Notes
    ignored: tuple[str, ...]
    repaired: int
    on_scales: int
    """Records left out because their metric asks for more than yes or no."""


def import_paths(paths: Sequence[Path], how: Importing) -> list[ImportedBenchmark]:
    """Import folders and tables as runs of a suite. Raises ExchangeError, and then nothing is imported."""
    staging = how.suite / STAGING
    missing = [folder for folder in (staging, *staging.parents) if not folder.exists()]
    staging.mkdir(parents=True, exist_ok=True)
    own = Path(tempfile.mkdtemp(prefix="import-", dir=staging))  # another import into the suite may go on
    try:
        items = [(f"{own.name}/{number}", path) for number, path in enumerate(paths)]
        found = [one for each in in_workers(partial(_prepared, how), items, PATHS_PER_PROCESS) for one in each]
        runs = [run for one in found for run in one.runs]
        if not runs:
            raise ExchangeError(
                "All records are on metrics that ask for more than yes or no, so nothing was imported. "
                "impactbench export --format impactbench writes runs with their scales."
            )
        _check_names([run.name for run in runs])
        _check_directions(how.suite, found)
        for run in runs:
            place(run.staged, how.suite / folder_name(run.name))
    finally:
        shutil.rmtree(own, ignore_errors=True)
        for empty in missing:
            with contextlib.suppress(OSError):  # not empty any more
                empty.rmdir()
    return found


def _check_names(names: Sequence[str]) -> None:
    if twice := [name for number, name in enumerate(names) if name in names[:number]]:
        raise ImpactBenchError(f"Several of these have a run {twice[0]}. Import each into a suite of its own.")


def _check_directions(suite: Path, found: Sequence[ImportedBenchmark]) -> None:
    """Raise ExchangeError where a metric is to be seen in one file and to be avoided in another, also of the suite."""
    slugs = {one.slug for one in found}
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for slug, source, directions in (
        *_imported_before(suite, slugs),
        *((o.slug, str(o.path), o.directions) for o in found),
    ):
        for metric, direction in directions.items():
            before, known = first.setdefault((slug, metric), (source, direction))
            if known != direction:
                raise ExchangeError(
                    f"{before} says that metric {slug}/{metric} is {known}, {source} that it is {direction}: a rate "
                    "over both would have no meaning. Write the same in both, or import one of them under another "
                    "name: --as NAME"
                )


def _imported_before(suite: Path, slugs: Collection[str]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield benchmark, file and the metrics' types of each imported run that a suite has of these benchmarks."""
    runs: list[RunFolder] = []
    with contextlib.suppress(ResultsError):  # there is none yet
        runs = run_folders(suite)
    for run in runs:
        imported = run.provenance.get("imported_from")
        if isinstance(imported, dict) and run.benchmark in slugs:
            yield run.benchmark, ", ".join(imported["files"]) or run.name, _directions(run.records())


def _directions(records: Iterable[Record]) -> dict[str, str]:
    """Return id of a metric -> what is good: its type and, of a contrast, the better end of its measure."""
    metrics = {record.case.metric.id: record.case.metric for record in records}
    ends = {name: f", better: {one.contrast.better}" if one.contrast else "" for name, one in metrics.items()}
    return {name: f"{one.type}{ends[name]}" for name, one in metrics.items()}


def _prepared(how: Importing, item: tuple[str, Path]) -> list[ImportedBenchmark]:
    within, path = item
    logging.getLogger("helm").setLevel(logging.ERROR)  # this process may have just begun
    return [_staged(how, within, path, foreign) for foreign in _folders(path, how.slug)]


def _staged(how: Importing, within: str, path: Path, foreign: ForeignFolder) -> ImportedBenchmark:
    check_slug(foreign.benchmark)
    notes = Notes()
    imports = planned(foreign, how.naming, how.policy, notes)
    check_free(how.suite, imports)
    runs = tuple(
        ImportedRun(
            one.name,
            len(one.records),
            sum(record.verdict.status == "scored" for record in one.records),
            stage_import(how.suite, foreign, one, within),
        )
        for one in imports
    )
    directions = _directions(record for one in imports for record in one.records)
    slug, ignored, repaired = foreign.benchmark.slug, foreign.ignored, foreign.repaired
    return ImportedBenchmark(path, slug, directions, runs, notes, ignored, repaired, foreign.on_scales)


def _folders(path: Path, slug: str | None) -> list[ForeignFolder]:
    read = FORMATS.get(path.suffix.lower())
    if read is None or path.is_dir():
        if path.is_file():
            raise ExchangeError(f"{path} is neither a folder nor a table. Tables end in {' or '.join(FORMATS)}.")
        return [read_folder(path, slug)]
    path = path.resolve()
    rows = read(path)
    try:
        digest = hashlib.sha256(read_bytes(path, MAX_RUN_BYTES)).hexdigest()
    except IntakeError as error:
        raise ExchangeError(f"{path} {error}") from error
    return table_folders(path, rows, slug, {path.name: digest})

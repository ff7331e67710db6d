"""Import several folders and tables in one command: each is prepared on its own, and all are placed at once."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from helm_impactbench.errors import ExchangeError, ImpactBenchError
from helm_impactbench.files.safe_read import MAX_RUN_BYTES, IntakeError, read_bytes
from helm_impactbench.outputs.export.every_eval_rows import every_eval_verdicts
from helm_impactbench.outputs.export.foreign import ForeignFolder, read_folder
from helm_impactbench.outputs.export.import_files import stage_import
from helm_impactbench.outputs.export.imports import Naming, check_free, check_slug, planned
from helm_impactbench.outputs.export.table_folder import table_folders
from helm_impactbench.outputs.export.table_rows import csv_verdicts
from helm_impactbench.outputs.export.verdicts import Notes, Policy
from helm_impactbench.process.workers import in_workers
from helm_impactbench.results.files import folder_name
from helm_impactbench.results.publish import STAGING, place

FORMATS = {".csv": csv_verdicts, ".jsonl": every_eval_verdicts}
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

    slug: str
    runs: tuple[ImportedRun, ...]
    notes: Notes
    ignored: tuple[str, ...]
    repaired: int


def import_paths(paths: Sequence[Path], how: Importing) -> list[ImportedBenchmark]:
    """Import folders and tables as runs of a suite. Raises ExchangeError, and then nothing is imported."""
    items, staging = [*enumerate(paths)], how.suite / STAGING
    missing = [folder for folder in (staging, *staging.parents) if not folder.exists()]
    try:
        found = [one for own in in_workers(partial(_prepared, how), items, PATHS_PER_PROCESS) for one in own]
        runs = [run for one in found for run in one.runs]
        _check_names([run.name for run in runs])
        for run in runs:
            place(run.staged, how.suite / folder_name(run.name))
    finally:
        for number, _ in items:
            shutil.rmtree(staging / _within(number), ignore_errors=True)
        for empty in missing:
            with contextlib.suppress(OSError):  # not empty any more
                empty.rmdir()
    return found


def _check_names(names: Sequence[str]) -> None:
    if twice := [name for number, name in enumerate(names) if name in names[:number]]:
        raise ImpactBenchError(f"Several of these have a run {twice[0]}. Import each into a suite of its own.")


def _within(number: int) -> str:
    return f"import-{number}"


def _prepared(how: Importing, item: tuple[int, Path]) -> list[ImportedBenchmark]:
    number, path = item
    logging.getLogger("helm").setLevel(logging.ERROR)  # this process may have just begun
    return [_staged(how, number, foreign) for foreign in _folders(path, how.slug)]


def _staged(how: Importing, number: int, foreign: ForeignFolder) -> ImportedBenchmark:
    check_slug(foreign.benchmark)
    notes = Notes()
    imports = planned(foreign, how.naming, how.policy, notes)
    check_free(how.suite, imports)
    runs = tuple(
        ImportedRun(
            one.name,
            len(one.records),
            sum(record.verdict.status == "scored" for record in one.records),
            stage_import(how.suite, foreign, one, _within(number)),
        )
        for one in imports
    )
    return ImportedBenchmark(foreign.benchmark.slug, runs, notes, foreign.ignored, foreign.repaired)


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

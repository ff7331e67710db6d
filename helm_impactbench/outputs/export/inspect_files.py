"""Write `.eval` files: the zip archive of JSON files in which Inspect AI keeps a log.

Deflated and not zstd, as newer versions write it: every version reads it.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from helm_impactbench.outputs.export.inspect_header import header, task_id
from helm_impactbench.outputs.export.inspect_sample import sample_and_summary
from helm_impactbench.outputs.export.runs import Run, read_run
from helm_impactbench.outputs.export.words import file_name, json_text
from helm_impactbench.process.workers import in_workers
from helm_impactbench.results.files import RunFolder

_LEVEL = 3
"""Of compression: files are 8% larger than at the usual level, and the export takes a quarter less time."""


def write_inspect(folder: Path, runs: Sequence[RunFolder]) -> list[Path]:
    """Write a log per run and return the files. Raises ResultsError."""
    return list(in_workers(partial(write_log, folder), runs))


def write_log(folder: Path, source: RunFolder) -> Path:
    """Write the log of a run, dated by the run's own files, and return its path. Raises ResultsError."""
    run = read_run(source)
    created = run.written
    path = folder / f"{created:%Y-%m-%dT%H-%M-%S}+00-00_{_task_name(run)}_{task_id(run)}.eval"
    head = header(run, created)
    with zipfile.ZipFile(path, "x") as archive:
        _add(archive, "_journal/start.json", {key: head[key] for key in ("version", "eval", "plan")}, created)
        summaries = []
        for record, outcome in zip(run.records, run.outcomes, strict=True):
            content, short = sample_and_summary(run, record, outcome)
            summaries.append(short)
            _add(archive, f"samples/{content['id']}_epoch_{content['epoch']}.json", content, created)
        _add(archive, "summaries.json", summaries, created)
        _add(archive, "header.json", head, created)
    return path


def _task_name(run: Run) -> str:
    """Return benchmark and target as Inspect's file names have a task: without an underscore, which separates."""
    return file_name(f"{run.benchmark}-{run.model}").replace("_", "-")[:120]


def _add(archive: zipfile.ZipFile, name: str, content: Any, created: datetime) -> None:
    info = zipfile.ZipInfo(name, created.timetuple()[:6])  # not the clock: the same run gives the same bytes
    info.compress_type = zipfile.ZIP_DEFLATED
    # NaN, Inspect's sign for a sample without a verdict, is written as it reads it: as a bare word.
    archive.writestr(info, json_text(content), compresslevel=_LEVEL)

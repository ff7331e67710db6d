"""Write records of Every Eval Ever where its collection of results has them.

data/<benchmark>/<developer>/<model>/<uuid>.json, a file per run
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from helm_impactbench.outputs.export.every_eval_figures import figures_of
from helm_impactbench.outputs.export.every_eval_record import Evaluator, record
from helm_impactbench.outputs.export.runs import read_run
from helm_impactbench.outputs.export.words import file_name, json_text
from helm_impactbench.process.workers import in_workers
from helm_impactbench.results.files import RunFolder


def write_every_eval(folder: Path, runs: Sequence[RunFolder], evaluator: Evaluator) -> list[str]:
    """Write a record per run that has a figure; return the names of those that have none. Raises ResultsError."""
    written = in_workers(partial(_write_record, folder, evaluator), runs)
    return [run.name for run, path in zip(runs, written, strict=True) if path is None]


def _write_record(folder: Path, evaluator: Evaluator, source: RunFolder) -> Path | None:
    run = read_run(source)
    figures = figures_of(run)
    if not figures:
        return None
    content = record(run, figures, evaluator)
    text = json_text(content, indent=1, allow_nan=False) + "\n"
    developer, _, model = content["model_info"]["id"].partition("/")
    path = folder.joinpath("data", *map(file_name, (run.benchmark, developer, model)), f"{_id(text)}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _id(text: str) -> uuid.UUID:
    """Return a UUID of version 4, as the collection asks for, that is the same for the same content."""
    return uuid.UUID(bytes=hashlib.sha256(text.encode()).digest()[:16], version=4)

"""Write records of Every Eval Ever where its collection of results has them.

data/<benchmark>/<developer>/<model>/<uuid>.json, a file per run; beside it <uuid>_samples.jsonl with its conversations
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from helm_impactbench.outputs.export.every_eval_figures import figures_of
from helm_impactbench.outputs.export.every_eval_record import Evaluator, record
from helm_impactbench.outputs.export.every_eval_samples import sample_records
from helm_impactbench.outputs.export.runs import read_run
from helm_impactbench.outputs.export.words import file_name, json_text
from helm_impactbench.process.workers import in_workers
from helm_impactbench.results.files import RunFolder


def write_every_eval(
    folder: Path, runs: Sequence[RunFolder], evaluator: Evaluator, *, instances: bool = False
) -> list[str]:
    """Write a record per run that has a figure; return the names of those that have none. Raises ResultsError.

    instances: write the conversations that passed or failed as well.
    """
    written = in_workers(partial(_write_record, folder, evaluator, instances), runs)
    return [run.name for run, path in zip(runs, written, strict=True) if path is None]


def _write_record(folder: Path, evaluator: Evaluator, instances: bool, source: RunFolder) -> Path | None:
    run = read_run(source)
    figures = figures_of(run)
    if not figures:
        return None
    content = record(run, figures, evaluator)
    lines = [json_text(one, allow_nan=False) + "\n" for one in sample_records(run, content)] if instances else []
    samples = "".join(lines).encode()
    developer, _, model = content["model_info"]["id"].partition("/")
    place = Path("data", *map(file_name, (run.benchmark, developer, model)))
    name = _id(json_text(content, indent=1, allow_nan=False) + "\n")
    (folder / place).mkdir(parents=True, exist_ok=True)
    if lines:
        file = place / f"{name}_samples.jsonl"
        content["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": file.as_posix(),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(samples).hexdigest(),
            "total_rows": len(lines),
        }
        (folder / file).write_bytes(samples)
    path = folder / place / f"{name}.json"
    path.write_text(json_text(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    return path


def _id(text: str) -> uuid.UUID:
    """Return a UUID of version 4, as the collection asks for, that is the same for the same content."""
    return uuid.UUID(bytes=hashlib.sha256(text.encode()).digest()[:16], version=4)

"""Read an ImpactBench folder, ours or another's. Strict in what carries a verdict, patient with everything else.

Faults are told with file, row and field.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.source import parse_source
from helm_impactbench.errors import ExchangeError
from helm_impactbench.files.safe_read import (
    MAX_CONTENT_BYTES,
    MAX_RUN_BYTES,
    IntakeError,
    decoded,
    parsed_json,
    read_bytes,
)
from helm_impactbench.outputs.export.foreign_benchmark import benchmark_in
from helm_impactbench.outputs.export.foreign_rows import (
    MOST_FAULTS,
    ConversationRow,
    ForeignScore,
    M,
    VerdictRow,
    validated,
)
from helm_impactbench.outputs.export.impactbench_files import MANIFEST_FILE, VERDICTS_FILE
from helm_impactbench.outputs.export.impactbench_rows import WRITTEN_BY
from helm_impactbench.outputs.export.words import storable_data


@dataclass(frozen=True)
class ForeignRun:
    """The files of one target."""

    folder: Path
    model: str
    conversations: tuple[ConversationRow, ...]
    scores: tuple[ForeignScore, ...] | None
    """None without scores.json."""
    verdicts: tuple[VerdictRow, ...]
    costs: Any
    """The content of cost.json; None without."""
    manifest: dict[str, Any]
    """The content of our manifest.json; empty in foreign folders."""


@dataclass(frozen=True)
class ForeignFolder:
    """A benchmark and the runs on it."""

    folder: Path
    benchmark: Benchmark
    is_own: bool
    """Whether helm_impactbench wrote it, so that the benchmark means what it means here."""
    runs: tuple[ForeignRun, ...]
    hashes: dict[str, str]
    """File, below the folder -> SHA-256."""
    ignored: tuple[str, ...]
    """Keys of benchmark.yaml and scenarios.json that have no place here."""
    repaired: int
    """Files that held halves of surrogate pairs."""
    on_scales: int = 0
    """Records left out because their metric asks for more than yes or no."""


class _Files:
    """Reads files and keeps their hashes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hashes: dict[str, str] = {}
        self.repaired = 0

    def json(self, path: Path) -> Any:
        try:
            return self._storable(parsed_json(decoded(self._content(path))))
        except IntakeError as error:
            raise _refused(path, error) from error

    def yaml(self, path: Path) -> Any:
        source = parse_source(path, self._content(path))
        if source.faults:
            raise ExchangeError("\n".join(map(str, source.faults[:MOST_FAULTS])))
        return self._storable(source.data)

    def _content(self, path: Path) -> bytes:
        try:
            content = read_bytes(path, MAX_CONTENT_BYTES if path.suffix == ".yaml" else MAX_RUN_BYTES)
        except IntakeError as error:
            raise _refused(path, error) from error
        self.hashes[path.relative_to(self.folder).as_posix()] = hashlib.sha256(content).hexdigest()
        return content

    def _storable(self, data: Any) -> Any:
        clean = storable_data(data)
        self.repaired += clean != data
        return clean


def _refused(path: Path, error: IntakeError) -> ExchangeError:
    return ExchangeError(f"{path}{f':{error.line}' if error.line else ''} {error}")


def read_folder(path: Path, slug: str | None = None) -> ForeignFolder:
    """Return the benchmark in `path` and its runs; `slug` names it; if None the folder's name, in ours up to a comma.

    `path` is ImpactBench's folder of a benchmark (with runs/<model>/), one of its runs/<model>, or a folder that holds
    all files side by side. Raises ExchangeError.
    """
    home, places = _places(path)
    files = _Files(home)
    content = files.yaml(home / "benchmark.yaml")
    scenarios = files.json(home / "scenarios.json")
    ignored: set[str] = set()
    runs = [run for place in places for run in _runs(files, place)]
    is_own = any(run.manifest for run in runs)
    name = home.name.partition(",")[0] if is_own else home.name  # an export adds the set-up where one slug has several
    benchmark = benchmark_in(home, slug or name, content, scenarios, ignored, is_own=is_own)
    return ForeignFolder(home, benchmark, is_own, tuple(runs), files.hashes, tuple(sorted(ignored)), files.repaired)


def _places(path: Path) -> tuple[Path, list[Path]]:
    """Return the benchmark's folder and the folders of its runs."""
    if not path.is_dir():
        raise ExchangeError(
            f"There is no folder {path}. Give an ImpactBench folder with benchmark.yaml and runs/<model>/."
        )
    path = path.resolve()
    if (path / "conversations.json").is_file():
        home = path if (path / "benchmark.yaml").is_file() else path.parent.parent
        places = [path]
    else:
        home, places = path, sorted(found.parent for found in path.glob("runs/*/conversations.json"))
    if not places or not (home / "benchmark.yaml").is_file():
        missing = "benchmark.yaml" if places else "conversations.json, neither in it nor in runs/<model>/"
        raise ExchangeError(
            f"{path} has no {missing}. Give a folder with benchmark.yaml, scenarios.json and "
            "runs/<model>/conversations.json, one of these runs/<model>, or all files side by side."
        )
    return home, places


def _runs(files: _Files, place: Path) -> list[ForeignRun]:
    """Return the runs in one folder: one per target, where a file holds several."""
    conversations = _rows(ConversationRow, files, place / "conversations.json")
    has_scores = (place / "scores.json").is_file()
    scores = _rows(ForeignScore, files, place / "scores.json") if has_scores else []
    manifest = files.json(place / MANIFEST_FILE) if (place / MANIFEST_FILE).is_file() else {}
    is_own = isinstance(manifest, dict) and manifest.get("written_by") == WRITTEN_BY
    has_verdicts = is_own and (place / VERDICTS_FILE).is_file()
    verdicts = _rows(VerdictRow, files, place / VERDICTS_FILE) if has_verdicts else []
    costs = files.json(place / "cost.json") if (place / "cost.json").is_file() else None
    models = list(dict.fromkeys(model_of(row) or place.name for row in conversations)) or [place.name]
    judged = [*(row.target_model for row in scores), *(row.target_model for row in verdicts)]
    strangers = {name for name in judged if name} - set(models)
    if strangers:
        raise ExchangeError(
            f"{place / 'scores.json'} has verdicts on {', '.join(sorted(strangers))}, and conversations.json has no "
            f"conversation of that target; it has: {', '.join(models)}."
        )
    return [
        ForeignRun(
            folder=place,
            model=model,
            conversations=tuple(row for row in conversations if (model_of(row) or place.name) == model),
            scores=tuple(r for r in scores if (r.target_model or models[0]) == model) if has_scores else None,
            verdicts=tuple(row for row in verdicts if (row.target_model or models[0]) == model),
            costs=costs,
            manifest=manifest if is_own else {},
        )
        for model in models
    ]


def model_of(row: ConversationRow) -> str | None:
    """Return the target of a conversation, as either version of the format names it."""
    return row.target_model or (row.target.id if row.target else None)


def _rows(model: type[M], files: _Files, path: Path) -> list[M]:
    return validated(model, files.json(path), path)

"""The list of fetched files with their SHA-256, which travels with them and is checked on the other machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from helm_impactbench.files.atomic_write import write_json
from helm_impactbench.helm.datasets.errors import FetchError

NAME = "fetched.json"
"""In HELM's output folder."""


class ManifestEntry(BaseModel):
    """One file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    """Relative to the working directory."""
    suite: str
    source: str
    """Address, or repository of the hub."""
    revision: str
    """Commit that HELM names; empty where it names none."""
    checked: str
    """What its content was held against when it was fetched: "hub", or "nothing"."""
    sha256: str
    size: int
    """Bytes."""


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _slow(path)


def _slow(path: Path) -> str:
    """Return the same on Python 3.10."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def read(path: Path) -> tuple[ManifestEntry, ...]:
    """Return the entries of a manifest, none where there is no file. Raises FetchError."""
    try:
        return tuple(ManifestEntry.model_validate(row) for row in json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError, ValidationError) as error:
        raise FetchError(f"{path} is not a list of fetched files; delete it and fetch again.") from error


def add(path: Path, entries: Iterable[ManifestEntry]) -> None:
    """Write entries into a manifest, in the place of older ones of the same path, in one step."""
    rows = {entry.path: entry for entry in (*read(path), *entries)}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, [rows[name].model_dump() for name in sorted(rows)])


def problems(root: Path, entries: Sequence[ManifestEntry]) -> dict[str, str]:
    """Return path -> what is wrong with it, of files below `root`."""
    found = {entry.path: _problem(root / entry.path, entry) for entry in entries}
    return {path: problem for path, problem in found.items() if problem}


def _problem(path: Path, entry: ManifestEntry) -> str | None:
    if not path.is_file():
        return "is missing"
    if path.stat().st_size != entry.size:
        return f"has {path.stat().st_size:,} bytes instead of {entry.size:,}"
    return None if sha256(path) == entry.sha256 else "has a SHA-256 other than when it was fetched"

"""Small JSON files that commands of ours keep beside runs: one shape each, a format's number, a cure when damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, StrictInt, ValidationError

from helm_impactbench.errors import ResultsError
from helm_impactbench.files.atomic_write import StorageError, storage_remedy, write_json
from helm_impactbench.files.safe_read import IntakeError, decoded, parsed_json, read_bytes

VERSION = 1
"""Of all these formats. A reader refuses another one."""


class Stored(BaseModel):
    """A part of such a file."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class StoredFile(Stored):
    """A whole file."""

    version: StrictInt = VERSION
    WHAT: ClassVar[str]
    """What the file is, as an error says that it is not: "not a file of ..."."""
    CURE: ClassVar[str]
    """A sentence on what to do about a file that is none, or of another format."""


F = TypeVar("F", bound=StoredFile)


def read_stored(path: Path, shape: type[F]) -> F | None:
    """Return what a file holds, None where there is none. Raises ResultsError."""
    if not path.is_file():
        return None
    try:
        found = shape.model_validate_json(json.dumps(parsed_json(decoded(read_bytes(path)))))
    except (IntakeError, ValidationError) as error:
        raise ResultsError(f"{path} is not {shape.WHAT}. {shape.CURE}") from error
    if found.version != VERSION:
        raise ResultsError(f"{path} has format {found.version}, and this version reads {VERSION}. {shape.CURE}")
    return found


def write_stored(path: Path, file: StoredFile, *, make_folder: bool = False) -> Path:
    """Write a file in the place of what was there, with `make_folder` also its folder. Raises StorageError."""
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, file.model_dump(mode="json"))
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}. {storage_remedy(error)}") from error
    return path

"""Which batches were created: `batches.json` beside the deferred calls, written in one step."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helm_impactbench.errors import BatchError
from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.files.safe_read import IntakeError, read_bytes

BATCHES_FILE = "batches.json"
_LOCK_FILE = ".lock"


class Batch(BaseModel):
    """One batch, from the upload of its file on."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    deployment: str
    provider: str
    """As litellm calls it."""
    file: str
    """The provider's id of the uploaded file."""
    id: str = ""
    """The provider's id of the batch; empty when it is not certain that there is one (a kill between two calls)."""
    requests: tuple[str, ...]
    most_usd: float | None = Field(default=None, ge=0)
    """What it may cost at most; None when the price is unknown."""
    state: Literal["sent", "fetched"] = "sent"
    status: str = ""
    """Its last status at the provider: completed, expired, failed, cancelled."""
    failed: dict[str, str] = {}
    """Request -> why it has no answer."""
    paid_usd: float | None = Field(default=None, ge=0)
    """What its answers cost; None when that is unknown, or they are not fetched."""


class BatchLog(BaseModel):
    """All batches of a suite, in the order in which they were created."""

    model_config = ConfigDict(extra="forbid")

    batches: list[Batch] = []

    @property
    def live(self) -> list[Batch]:
        """The batches whose answers are not fetched."""
        return [batch for batch in self.batches if batch.state == "sent"]

    @property
    def under_way(self) -> set[str]:
        """The requests that are in one of them."""
        return {name for batch in self.live for name in batch.requests}


def read_batch_log(folder: Path) -> BatchLog:
    """Return the batches of a suite, none when there is no file. Raises BatchError."""
    path = folder / BATCHES_FILE
    if not os.path.lexists(path):
        return BatchLog()
    try:
        return BatchLog.model_validate_json(read_bytes(path, pipes=False))
    except (ValidationError, IntakeError) as error:
        why = f"{path} {error}" if isinstance(error, IntakeError) else f"{path} cannot be read: {_first(error)}"
        raise BatchError(
            f"{why}. impactbench batch alone writes it: restore it from a copy. Without it nobody knows "
            "which calls are in a batch; take it away only if there is none, or they are paid for "
            "twice."
        ) from error


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    return " ".join(f"{'.'.join(map(str, first['loc']))}: {first['msg']}".removeprefix(": ").split())[:300]


def write_batch_log(folder: Path, log: BatchLog) -> None:
    """Write the file in one step."""
    write_whole(folder / BATCHES_FILE, log.model_dump_json(indent=1) + "\n")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of the folder. Raises BatchError when another `impactbench batch` holds it."""
    file = os.open(folder / _LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BatchError(f"Another impactbench batch is running in {folder}; wait until it has finished.") from None
        yield
    finally:
        os.close(file)

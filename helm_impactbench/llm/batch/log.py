"""Which batches were created: `batches.json` beside the deferred calls, written in one step."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from helm_impactbench.errors import BatchError
from helm_impactbench.files.atomic_write import write_whole

BATCHES_FILE = "batches.json"
_LOCK_FILE = ".lock"


class Batch(BaseModel):
    """One batch, from the upload of its file on."""

    model_config = ConfigDict(extra="forbid")

    deployment: str
    provider: str
    """As litellm calls it."""
    file: str
    """The provider's id of the uploaded file."""
    id: str = ""
    """The provider's id of the batch; empty when it is not certain that there is one (a kill between two calls)."""
    requests: tuple[str, ...]
    most_usd: float | None = None
    """What it may cost at most; None when the price is unknown."""
    state: Literal["sent", "fetched"] = "sent"
    status: str = ""
    """Its last status at the provider: completed, expired, failed, cancelled."""
    failed: dict[str, str] = {}
    """Request -> why it has no answer."""
    paid_usd: float | None = None
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
    try:
        return BatchLog.model_validate_json(path.read_bytes()) if path.is_file() else BatchLog()
    except ValidationError as error:
        raise BatchError(f"{path} cannot be read: {error.errors()[0]['msg']}. It is written by impactbench batch "
                         "alone; restore it, or take it away to begin anew.") from error  # fmt: skip


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
            raise BatchError(f"Another impactbench batch is at work in {folder}; let it finish first.") from None
        yield
    finally:
        os.close(file)

"""A judge's call that is noted for the provider's batch instead of made.

Under IMPACTBENCH_JUDGE=batch a judge's call whose answer is not in the cache becomes a line of
`judge-batch/requests.jsonl` in the suite's folder, once per cache key. `impactbench batch` sends the lines and puts the
answers into the cache under these keys; the next helm-run finds them there.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from helm.common.cache import CacheConfig, SqliteCacheConfig
from helm.common.hierarchical_logger import hwarn
from helm.common.key_value_store import request_to_key

from helm_impactbench.errors import FatalCallError, SettingError
from helm_impactbench.llm.failures import PermanentCallError
from helm_impactbench.process.helm_run import this_run

JUDGE_VARIABLE = "IMPACTBENCH_JUDGE"
BATCH_FOLDER = "judge-batch"
REQUESTS_FILE = "requests.jsonl"
PROVIDERS = ("openai", "azure", "hosted_vllm", "litellm_proxy")
"""Those that litellm 1.106 serves in OpenAI's protocol from the upload to the results."""
WAITS = "waits for the batch (impactbench batch submit, then batch fetch)"
_ID_LENGTH = 24

_role: ContextVar[str] = ContextVar("role", default="model")


class WaitingCallError(PermanentCallError):
    """The call is noted for the batch; it is not made now."""


@dataclass(frozen=True)
class Noted:
    """A call that waits."""

    deployment: str
    key: str
    """HELM's cache key as text: JSON of the request."""
    wire: dict[str, Any]
    """What goes to litellm, without the deployment's own parameters: these may hold secrets."""

    @property
    def id(self) -> str:
        """The request's name in a batch: from the key alone, so that the same call has the same name again."""
        return hashlib.sha256(self.key.encode()).hexdigest()[:_ID_LENGTH]


def judges_wait() -> bool:
    """Return whether judges' calls are noted instead of made. Raises SettingError."""
    text = os.environ.get(JUDGE_VARIABLE, "").strip()
    if text not in ("", "now", "batch"):
        raise SettingError(f"{JUDGE_VARIABLE} is {text!r}; allowed: batch, or now, which is what holds without it.")
    return text == "batch"


@contextmanager
def playing(role: str) -> Iterator[None]:
    """Make known to the client in which role a model is called; it is in no request, because it changes no answer."""
    token = _role.set(role)
    try:
        yield
    finally:
        _role.reset(token)


def wait_for_batch(deployment: str, key: Mapping[str, Any], wire: Mapping[str, Any], config: CacheConfig) -> None:
    """Note a judge's call and raise WaitingCallError; do nothing for a call that is to be made now.

    Raises FatalCallError where there is no suite or no cache in files, so that no answer could be used.
    """
    if _role.get() != "judge" or not judges_wait() or not _goes_in_batches(deployment, str(wire["model"])):
        return
    folder = this_run().suite_folder
    if folder is None or not isinstance(config, SqliteCacheConfig):
        raise FatalCallError(
            f"{deployment} cannot wait for a batch: {JUDGE_VARIABLE}=batch needs --suite and HELM's request cache in "
            f"files, where the answers are put. Leave --disable-cache and --mongo-uri out, or unset {JUDGE_VARIABLE}"
        )
    _notes(folder / BATCH_FOLDER / REQUESTS_FILE).add(Noted(deployment, request_to_key(key), dict(wire)))
    raise WaitingCallError(WAITS)


class Notes:
    """The lines of a requests file, added to by the threads and processes of a run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._read = 0
        self._ids: set[str] = set()

    def add(self, noted: Noted) -> None:
        """Append a call unless it is there. One thread and process at a time works on a key (OpenCache)."""
        with self._lock:
            self._catch_up()
            if noted.id in self._ids:
                return
            line = json.dumps({"deployment": noted.deployment, "key": noted.key, "wire": noted.wire})
            self._path.parent.mkdir(parents=True, exist_ok=True)
            _append(self._path, line.encode())

    def _catch_up(self) -> None:
        if not self._path.is_file() or self._path.stat().st_size == self._read:
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        self._ids.update(noted.id for noted in map(_noted, whole.splitlines()) if noted)


def read_notes(path: Path) -> dict[str, Noted]:
    """Return id -> noted call, in the order in which they were noted. A line that was cut off is left out."""
    if not path.is_file():
        return {}
    found = map(_noted, path.read_bytes().splitlines())
    return {noted.id: noted for noted in found if noted}


def _noted(line: bytes) -> Noted | None:
    try:
        return Noted(**json.loads(line))
    except (ValueError, TypeError):  # a kill in the middle of a line; the call is noted again by the next run
        return None


def _append(path: Path, line: bytes) -> None:
    """Add a line in one piece, after a line break if the last one was cut off. Raises OSError with the file's name."""
    try:
        with path.open("ab+", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - 1))
            torn = end > 0 and file.read(1) != b"\n"
            file.write((b"\n" if torn else b"") + line + b"\n")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


@cache
def _notes(path: Path) -> Notes:
    return Notes(path)


@cache
def _goes_in_batches(deployment: str, model: str) -> bool:
    provider = provider_of(model)
    if provider not in PROVIDERS:
        hwarn(f"{deployment}: litellm makes no batches with {provider or 'its provider'}; this judge is asked at once, "
              f"at its full price. In batches go: {', '.join(PROVIDERS)}.")  # fmt: skip
    return provider in PROVIDERS


def provider_of(model: str) -> str:
    """Return what litellm calls the provider of a model; empty when it knows none."""
    import litellm

    try:
        return str(litellm.get_llm_provider(model)[1])
    except Exception:  # litellm raises bare Exception for a name that it does not know; the call will say so
        return ""

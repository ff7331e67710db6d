"""Judges' calls that wait for the provider's batch instead of being made at once.

Under IMPACTBENCH_JUDGE_CALLS=batch a judge's call whose answer is not in the cache becomes a line of
`judge-batch/requests.jsonl` in the suite's folder, once per cache key. `impactbench batch` sends the lines and puts the
answers into the cache under these keys; the next helm-run finds them there.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import logging
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from helm_impactbench.errors import FatalCallError, SettingError
from helm_impactbench.files.line_log import LineLog
from helm_impactbench.files.safe_read import IntakeError, check_depth
from helm_impactbench.llm.cache.request_cache import cache_key
from helm_impactbench.llm.failures import PermanentCallError
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.process.shared_state import LEFT_TO_BATCH, is_worker

_LOG = logging.getLogger("helm.impactbench")
CALLS_VARIABLE = "IMPACTBENCH_JUDGE_CALLS"
BATCH_FOLDER = "judge-batch"
REQUESTS_FILE = "requests.jsonl"
PROVIDERS = ("openai", "azure", "hosted_vllm", "litellm_proxy")
"""Those whose batches litellm 1.106 handles in OpenAI's protocol from upload to results."""
DEFERRED = "waits for the batch (impactbench batch)"
_ID_LENGTH = 24

_role: ContextVar[str] = ContextVar("role", default="model")


class DeferredCallError(PermanentCallError):
    """The call was deferred to a batch and not made."""


@dataclass(frozen=True)
class DeferredCall:
    """A call that waits for a batch."""

    deployment: str
    key: str
    """The key of its answer in the cache: JSON of the request."""
    wire: dict[str, Any]
    """What goes to litellm, without the deployment's own parameters: these may hold secrets."""

    @property
    def id(self) -> str:
        """The request's name in a batch. It depends on the key alone, so the same call always has the same name."""
        return hashlib.sha256(self.key.encode()).hexdigest()[:_ID_LENGTH]


def judges_deferred() -> bool:
    """Return whether judges' calls are deferred instead of made. Raises SettingError."""
    text = os.environ.get(CALLS_VARIABLE, "").strip()
    if text not in ("", "now", "batch"):
        raise SettingError(f"{CALLS_VARIABLE} is {text!r}, but it must be batch, or now (the default).")
    return text == "batch"


@cache
def announce_deferred() -> None:
    """Let this process say when it ends how many judges' calls wait for a batch, and what to do."""
    atexit.register(_say_deferred)


def _say_deferred() -> None:
    calls = int(LEFT_TO_BATCH.total())
    suite = this_run().suite
    if calls and not is_worker():
        noun = "call of a judge waits" if calls == 1 else "calls of judges wait"
        print(
            f"impactbench: {calls:,} {noun} for a batch ({CALLS_VARIABLE}=batch); until then the conversations have no "
            f"verdict. Next: impactbench batch --suite {suite} --wait, then the same command again.",
            file=sys.stderr,
        )


@contextmanager
def in_role(role: str) -> Iterator[None]:
    """Tell the client in which role a model is called. The role is in no request, because it changes no answer."""
    token = _role.set(role)
    try:
        yield
    finally:
        _role.reset(token)


def defer_judge_call(deployment: str, key: Mapping[str, Any], wire: Mapping[str, Any], *, in_files: bool) -> None:
    """Defer a judge's call and raise DeferredCallError; do nothing for a call that should be made now.

    Raises FatalCallError without a suite or without a cache in files (`in_files`): the answer could not be used.
    """
    if _role.get() != "judge" or not judges_deferred() or not _goes_in_batches(deployment, str(wire["model"])):
        return
    folder = this_run().suite_folder
    if folder is None or not in_files:
        raise FatalCallError(
            f"{deployment} cannot wait for a batch: {CALLS_VARIABLE}=batch needs --suite and a request cache in files, "
            f"where the answers are put. Leave --disable-cache and --mongo-uri out, or unset {CALLS_VARIABLE}"
        )
    LEFT_TO_BATCH.add(1)
    _deferred_calls(folder / BATCH_FOLDER / REQUESTS_FILE).add(DeferredCall(deployment, cache_key(key), dict(wire)))
    raise DeferredCallError(DEFERRED)


class DeferredCalls:
    """The lines of a requests file, which all threads and processes of a run append to."""

    def __init__(self, path: Path) -> None:
        self._log = LineLog(path)
        self._lock = threading.Lock()
        self._ids: set[str] = set()

    def add(self, call: DeferredCall) -> None:
        """Append a call unless it is there. RequestCache lets one thread of one process at a time work on a key."""
        with self._lock:
            self._ids.update(_calls(self._log.new_lines()))
            if call.id not in self._ids:
                self._log.append(json.dumps(asdict(call)).encode())


def read_deferred(path: Path) -> dict[str, DeferredCall]:
    """Return id -> deferred call, in the order in which they were deferred. A line that was cut off is left out."""
    return _calls(LineLog(path).new_lines())


def _calls(lines: Iterable[bytes]) -> dict[str, DeferredCall]:
    found = (call for call in map(_call, lines) if call)
    return {call.id: call for call in found}


def _call(line: bytes) -> DeferredCall | None:
    try:
        found = DeferredCall(**json.loads(line))
        check_depth(found.wire)
        key = json.loads(found.key.encode())
    except (ValueError, TypeError, AttributeError, RecursionError, IntakeError):
        return None  # a kill in the middle of a line; the call is deferred again by the next run
    is_call = isinstance(found.deployment, str) and isinstance(key, dict) and _is_wire(found.wire)
    return found if is_call else None


def _is_wire(wire: object) -> bool:
    if not isinstance(wire, dict) or not isinstance(wire.get("model"), str):
        return False
    messages = wire.get("messages")
    return isinstance(messages, list) and all(isinstance(one, dict) and "content" in one for one in messages)


@cache
def _deferred_calls(path: Path) -> DeferredCalls:
    return DeferredCalls(path)


@cache
def _goes_in_batches(deployment: str, model: str) -> bool:
    from helm_impactbench.llm.endpoint import provider_of  # litellm takes two seconds

    provider = provider_of(model)
    if provider not in PROVIDERS:
        _LOG.warning(
            f"{deployment}: litellm makes no batches with {provider or 'its provider'}; this judge is asked at once, "
            f"at its full price. In batches go: {', '.join(PROVIDERS)}."
        )
    return provider in PROVIDERS

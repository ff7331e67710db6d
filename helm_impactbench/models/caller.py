"""Calls any HELM deployment: build the request (pure), send it with retries (I/O), read the answer (pure)."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

from helm.benchmark.model_deployment_registry import get_model_deployment
from helm.clients.auto_client import AutoClient
from helm.clients.client import Client
from helm.common.cache import BlackHoleCacheConfig, CacheConfig, MongoCacheConfig, SqliteCacheConfig
from helm.common.cache_backend_config import (
    BlackHoleCacheBackendConfig,
    CacheBackendConfig,
    MongoCacheBackendConfig,
    SqliteCacheBackendConfig,
)
from helm.common.hierarchical_logger import hwarn
from helm.common.request import Request, RequestResult
from helm.common.response_format import ResponseFormat
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from helm_impactbench.errors import FatalCallError
from helm_impactbench.models.credentials import Credentials
from helm_impactbench.models.failures import PermanentCallError, TransientCallError, classified
from helm_impactbench.models.reasoning import split_reasoning
from helm_impactbench.models.request import CallFailure, ModelRequest, Reply
from helm_impactbench.models.usage import UNKNOWN_USAGE, Usage

ATTEMPTS_VARIABLE = "IMPACTBENCH_ATTEMPTS"
MAX_WAIT_VARIABLE = "IMPACTBENCH_MAX_WAIT"
DEFAULT_ATTEMPTS = 5
DEFAULT_MAX_WAIT = 60.0
"""Seconds between two attempts, at most."""


class _Clients(AutoClient):
    """HELM's AutoClient, with one client per deployment also when threads ask at the same time."""

    def __init__(
        self, credentials: Credentials, file_storage_path: str, cache_backend_config: CacheBackendConfig
    ) -> None:
        super().__init__(credentials, file_storage_path, cache_backend_config)
        self._lock = threading.Lock()

    def client_for(self, deployment: str) -> Client:
        client = self.clients.get(deployment)
        if client is None:
            with self._lock:
                client = self._get_client(deployment)
        return client


class ModelCaller:
    """Calls models through HELM's clients and HELM's cache, with a retry policy of our own.

    HELM's own policy (AutoClient.make_request) waits 10 to 80 s between attempts and prints a traceback for each.
    """

    def __init__(self, storage_path: Path, cache_backend: CacheBackendConfig) -> None:
        """`storage_path` is HELM's cache folder (prod_env/cache); the credentials lie beside it."""
        self._clients = _Clients(Credentials(storage_path.parent), str(storage_path), cache_backend)
        self._attempts = max(1, int(os.environ.get(ATTEMPTS_VARIABLE, DEFAULT_ATTEMPTS)))
        self._max_wait = float(os.environ.get(MAX_WAIT_VARIABLE, DEFAULT_MAX_WAIT))
        self._fatal: FatalCallError | None = None

    def call(self, request: ModelRequest) -> Reply | CallFailure:
        """Return the model's reply, or why this call has none.

        Raises FatalCallError when no call to the deployment can succeed, and from then on for every call: a run that
        cannot be finished pays for nothing more.
        """
        if self._fatal is not None:
            raise self._fatal
        try:
            client = self._clients.client_for(request.deployment)
            return read_reply(self._send(client, helm_request(request)))
        except (TransientCallError, PermanentCallError) as error:
            return CallFailure(str(error))
        except FatalCallError as error:
            self._fatal = error
            raise

    def _send(self, client: Client, request: Request) -> RequestResult:
        policy = Retrying(
            retry=retry_if_exception_type(TransientCallError),
            stop=stop_after_attempt(self._attempts),
            wait=self._wait,
            before_sleep=_say_retry,
            reraise=True,
        )
        result: RequestResult = policy(_send_once, client, request)
        return result

    def _wait(self, state: RetryCallState) -> float:
        """Return the seconds to the next attempt: 1, 2, 4 ... with jitter, or what the provider asks for if longer."""
        usual = wait_exponential_jitter(initial=min(1.0, self._max_wait), max=self._max_wait)(state)
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, TransientCallError) else 0.0
        return min(self._max_wait, max(usual, asked))


def caller_for(lock_file_path: str, cache_config: CacheConfig) -> ModelCaller:
    """Return the caller that shares HELM's storage and cache, from what AutoClient injects into every client."""
    return shared_caller(Path(lock_file_path).parent, cache_backend_of(cache_config))


_CALLERS: dict[tuple[Path, CacheBackendConfig], ModelCaller] = {}
_CALLERS_LOCK = threading.Lock()


def shared_caller(storage_path: Path, cache_backend: CacheBackendConfig) -> ModelCaller:
    """Return one caller per process for a storage folder and a cache, so that all roles share their clients."""
    with _CALLERS_LOCK:  # HELM builds clients in its worker threads, several at a time
        key = (storage_path, cache_backend)
        if key not in _CALLERS:
            _CALLERS[key] = ModelCaller(storage_path, cache_backend)
        return _CALLERS[key]


def cache_backend_of(config: CacheConfig) -> CacheBackendConfig:
    """Return the backend that a single cache belongs to: HELM injects the shard, our calls need its siblings too."""
    if isinstance(config, SqliteCacheConfig):
        return SqliteCacheBackendConfig(os.path.dirname(config.path))
    if isinstance(config, MongoCacheConfig):
        return MongoCacheBackendConfig(config.uri)
    if isinstance(config, BlackHoleCacheConfig):
        return BlackHoleCacheBackendConfig()
    raise TypeError(f"Unknown cache of HELM: {type(config).__name__}")


def helm_request(request: ModelRequest) -> Request:
    """Return the request in HELM's shape."""
    return Request(
        model_deployment=request.deployment,
        model=get_model_deployment(request.deployment).model_name or request.deployment,
        messages=[{"role": message.role, "content": message.content} for message in request.messages],
        temperature=request.temperature,
        max_tokens=request.max_tokens,
        random=request.seed,
        response_format=ResponseFormat(json_schema=request.json_schema) if request.json_schema else None,
    )


def read_reply(result: RequestResult) -> Reply:
    """Return HELM's result as a reply: reasoning taken out of the text, usage where the client kept it."""
    completion = result.completions[0]
    finish: dict[str, Any] = completion.finish_reason or {}
    text, reasoning = split_reasoning(_encodable(completion.text or ""))
    apart = _encodable(completion.thinking.text) if completion.thinking and completion.thinking.text else ""
    return Reply(
        text=text,
        reasoning="\n\n".join(part for part in (apart.strip(), reasoning) if part),
        finish_reason=str(finish.get("reason") or "unknown"),
        usage=Usage.model_validate(finish.get("usage") or UNKNOWN_USAGE),
        cached=result.cached,
        seconds=result.request_time or 0.0,
        time=result.request_datetime or 0,
    )


def _encodable(text: str) -> str:
    """Return `text` with halves of cut-off characters replaced: the next request could not be sent with them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _send_once(client: Client, request: Request) -> RequestResult:
    try:
        result = client.make_request(request)
    except Exception as error:
        raise classified(error, request.model_deployment) from error
    if not result.success or not result.completions:
        raise classified(result, request.model_deployment)
    return result


def _say_retry(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    wait = state.next_action.sleep if state.next_action else 0.0
    hwarn(f"{error}. Attempt {state.attempt_number + 1} in {wait:.1f} s.")

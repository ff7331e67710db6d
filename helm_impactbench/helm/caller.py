"""Calls any HELM deployment: build the request (pure), send it with retries (I/O), read the answer (pure)."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helm.benchmark.model_deployment_registry import ModelDeployment, get_model_deployment
from helm.clients.auto_client import AutoClient
from helm.clients.client import Client
from helm.common.cache import BlackHoleCacheConfig, CacheConfig, MongoCacheConfig, SqliteCacheConfig
from helm.common.cache_backend_config import (
    BlackHoleCacheBackendConfig,
    CacheBackendConfig,
    MongoCacheBackendConfig,
    SqliteCacheBackendConfig,
)
from helm.common.request import Request, RequestResult
from helm.common.response_format import ResponseFormat

from helm_impactbench.characters import is_blank
from helm_impactbench.errors import FatalCallError
from helm_impactbench.helm.deployments import litellm_arguments
from helm_impactbench.helm.fatal_errors import ended
from helm_impactbench.helm.lost_target import check_target
from helm_impactbench.helm.probing import ANSWER_TOKENS, probe, question, words
from helm_impactbench.helm.products import product_of
from helm_impactbench.helm.quiet_clients import without_tracebacks
from helm_impactbench.helm.tool_request import ToolRequest
from helm_impactbench.llm.batch.deferred_call import in_role
from helm_impactbench.llm.call_log import LoggedCall, call_log
from helm_impactbench.llm.connection import remember_connection
from helm_impactbench.llm.credentials import Credentials
from helm_impactbench.llm.deadline import attempt
from helm_impactbench.llm.failures import (
    BLOCKED,
    PermanentCallError,
    ReportedCallError,
    TransientCallError,
    classified,
    one_line,
)
from helm_impactbench.llm.limits.admission import admission, unmetered_call
from helm_impactbench.llm.limits.circuit import circuit
from helm_impactbench.llm.prices import FREE, stated_price
from helm_impactbench.llm.reasoning import split_reasoning
from helm_impactbench.llm.release import seed_alone, seed_and_release
from helm_impactbench.llm.request import CallFailure, Message, ModelRequest, Reply
from helm_impactbench.llm.retries import Retries, policy_from_environment
from helm_impactbench.llm.secrets import without_secrets
from helm_impactbench.llm.tool_call import ToolCall
from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage
from helm_impactbench.process.shared_state import STOPPED

if TYPE_CHECKING:
    from helm_impactbench.llm.endpoint import Endpoint

_BLOCKED_FINISH = {"content_filter", "content_filtered", "safety", "guardrail_intervened", "prohibited_content"}
"""What providers call the end of an answer that their filter blocked, wholly or from some word on."""

_MOST_NAME = 200
"""Characters of what a provider calls its model that are kept."""


class _Clients(AutoClient):
    """HELM's AutoClient with our litellm client, and with one client per deployment even when threads ask together."""

    def __init__(
        self, credentials: Credentials, file_storage_path: str, cache_backend_config: CacheBackendConfig
    ) -> None:
        super().__init__(credentials, file_storage_path, cache_backend_config)
        self._lock = threading.Lock()

    def client_for(self, deployment: str) -> Client:
        client = self.clients.get(deployment)
        if client is None:
            with self._lock:
                client = self.clients.get(deployment) or self._new_client(get_model_deployment(deployment))
        return client

    def _new_client(self, deployment: ModelDeployment) -> Client:
        arguments = litellm_arguments(deployment)
        if arguments is None:
            remember_connection(None, {}, deployment.client_spec.args or {})
            return self._get_client(deployment.name)
        from helm_impactbench.helm.litellm_client import LiteLLMClient  # litellm takes two seconds

        host = deployment.host_organization
        client = LiteLLMClient(
            self.cache_backend_config.get_cache_config(host),
            os.path.join(self.file_storage_path, f"{host}.lock"),
            **arguments,
        )
        self.clients[deployment.name] = client
        return client


class ModelCaller:
    """Calls models through HELM's clients and HELM's cache, with a retry policy of our own.

    HELM's own policy (AutoClient.make_request) waits 10 to 80 s between attempts and prints a traceback for each.
    """

    def __init__(self, storage_path: Path, cache_backend: CacheBackendConfig) -> None:
        """`storage_path` is HELM's cache folder (prod_env/cache); the credentials lie beside it."""
        self._clients = _Clients(Credentials(storage_path.parent), str(storage_path), cache_backend)
        policy = policy_from_environment()
        self._retries, self._seconds = Retries(policy, STOPPED), policy.timeout
        self._log = call_log()
        admission()  # limits or a budget that cannot be read end the run before its first call

    @property
    def retries(self) -> Retries:
        """The policy of its calls, and whether any of them has ended the run."""
        return self._retries

    def call(self, request: ModelRequest) -> Reply | CallFailure:
        """Return the model's reply, or why this call has none.

        Raises FatalCallError when no call to the deployment can succeed, and from then on for every call: a run that
        cannot be finished pays for nothing more.
        """
        result = self.pass_on(helm_request(request), request.role)
        if isinstance(result, CallFailure):
            return result
        reply = read_reply(result)
        if reply.finish_reason.lower() in _BLOCKED_FINISH:
            return CallFailure(f"{request.deployment}: {BLOCKED}", reply.usage)
        return reply

    def pass_on(self, request: Request, role: str = "model") -> RequestResult | CallFailure:
        """Return HELM's answer to a request of HELM's own, as it is, by the same policy as `call`."""
        try:
            with self._log.call(role, request.model_deployment, seed_alone(request.random) or "") as noted:
                return self._retries.run(self._send, request, role, noted)
        except TransientCallError as error:
            circuit(request.model_deployment).note_unanswered(error)
            return CallFailure(str(error))
        except PermanentCallError as error:
            return CallFailure(str(error))

    def _send(self, request: Request, role: str, noted: LoggedCall) -> RequestResult:
        """Send a request once. Raises one of the three kinds of failures."""
        deployment = request.model_deployment
        check_target(deployment)
        noted.begin()
        client = self.client_of(deployment, role)
        try:
            result = self._answer(request, role, client)
        except Exception as error:
            failure = classified(error, deployment)
            noted.failed(failure)
            raise ended(failure, deployment, role, client) from error
        noted.answered(result.request_time, cached=result.cached)
        return result

    def _answer(self, request: Request, role: str, client: Client) -> RequestResult:
        """Return a client's answer. Raises whatever the client raises, ReportedCallError."""
        metered = getattr(client, "applies_limits", False)
        with without_tracebacks(), in_role(role), nullcontext() if metered else _unmetered(request, self._seconds):
            return _whole(client.make_request(request))

    def probe(self, role: str, deployment: str) -> None:
        """Ask a model for one word, and whether anything listens at a product's address.

        Raises FatalCallError or TargetLostError when it cannot be called.
        """
        client = self.client_of(deployment, role)
        endpoint: Endpoint | None = getattr(client, "endpoint", None)
        if (product := product_of(deployment)) is not None:
            from helm_impactbench.targets.reach import reach  # with httpx, which no run without a product waits for

            probe(partial(reach, product), client, deployment, role)
        elif endpoint is not None:
            probe(partial(endpoint.call, deployment, question(endpoint.model)), client, deployment, role)
        elif not getattr(client, "applies_limits", False):
            request = ModelRequest(deployment, (Message("user", words()),), 0.0, ANSWER_TOKENS, "probe", role=role)
            probe(partial(self._answer, helm_request(request), role, client), client, deployment, role)

    def client_of(self, deployment: str, role: str) -> Client:
        """Return the client of a deployment. Raises FatalCallError when it cannot be used."""
        try:
            return self._clients.client_for(deployment)
        except Exception as error:
            failed = FatalCallError(f"{deployment}: it cannot be used: {one_line(str(error))}")
            raise ended(failed, deployment, role) from error


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
    """Return the backend that a single cache belongs to: HELM injects one provider's cache, and our calls need those of
    other providers as well."""
    if isinstance(config, SqliteCacheConfig):
        return SqliteCacheBackendConfig(os.path.dirname(config.path))
    if isinstance(config, MongoCacheConfig):
        return MongoCacheBackendConfig(config.uri)
    if isinstance(config, BlackHoleCacheConfig):
        return BlackHoleCacheBackendConfig()
    raise TypeError(f"Unknown cache of HELM: {type(config).__name__}")


def helm_request(request: ModelRequest) -> Request:
    """Return the request in HELM's shape."""
    kind = partial(ToolRequest, tools=request.tools) if request.tools else Request
    return kind(
        model_deployment=request.deployment,
        model=get_model_deployment(request.deployment).model_name or request.deployment,
        messages=[message.wire for message in request.messages],
        temperature=request.temperature,
        max_tokens=request.max_tokens,
        random=seed_and_release(request.seed, request.release),
        response_format=ResponseFormat(json_schema=request.json_schema) if request.json_schema else None,
    )


def read_reply(result: RequestResult) -> Reply:
    """Return HELM's result as a reply: reasoning taken out of the text, usage where the client kept it.

    A text of which nothing can be seen is empty.
    """
    completion = result.completions[0]
    finish: dict[str, Any] = completion.finish_reason or {}
    written = _encodable(completion.text or "")
    text, reasoning = split_reasoning(written)
    apart = _encodable(completion.thinking.text) if completion.thinking and completion.thinking.text else ""
    return Reply(
        text="" if is_blank(text) else text,
        reasoning="\n\n".join(part for part in (apart.strip(), reasoning) if part),
        written=written,
        finish_reason=str(finish.get("reason") or "unknown"),
        calls=tuple(
            ToolCall(_encodable(one["name"]), _encodable(one["arguments"])) for one in finish.get("tool_calls") or ()
        ),
        usage=Usage.model_validate(finish.get("usage") or UNKNOWN_USAGE),
        cached=result.cached,
        seconds=result.request_time or 0.0,
        time=result.request_datetime or 0,
        served=_printable(" ".join(str(finish[name]) for name in ("model", "fingerprint") if finish.get(name))),
    )


def _printable(name: str) -> str:
    """Return a provider's name for a model as a line of a terminal may show it."""
    return "".join(character for character in _encodable(name) if character.isprintable())[:_MOST_NAME]


def _encodable(text: str) -> str:
    """Return `text` without keys, and with halves of cut-off characters replaced, which could not be encoded."""
    return without_secrets(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _whole(result: RequestResult) -> RequestResult:
    """Return a result that holds an answer. Raises ReportedCallError for one that does not."""
    if not result.success or not result.completions:
        raise reported(result)
    return result


def reported(result: RequestResult) -> ReportedCallError:
    """Return what one of HELM's clients says of a failed call."""
    return ReportedCallError(str(result.error or ""), result.error_flags.is_retriable if result.error_flags else None)


@contextmanager
def _unmetered(request: Request, seconds: float) -> Iterator[None]:
    """Admit a call of a client of HELM's, and end it after so many seconds."""
    messages = request.messages or [{"role": "user", "content": request.prompt}]
    wire = {"messages": messages, "max_tokens": request.max_tokens}
    free = stated_price(request.model_deployment) == FREE
    with unmetered_call(request.model_deployment, wire, free=free), attempt(seconds):
        yield

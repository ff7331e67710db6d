"""A model that litellm reaches: its connection with the key, its own parameters and price, and calls to it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx

from helm_impactbench.llm.connection import expanded, key_parts, remember_connection
from helm_impactbench.llm.credentials import Credentials
from helm_impactbench.llm.deadline import attempt
from helm_impactbench.llm.env_file import first_key
from helm_impactbench.llm.failures import TransientCallError, UnusableAnswerError, refusal, unusable
from helm_impactbench.llm.http_client import shared_client, thread_client
from helm_impactbench.llm.limits.admission import admission
from helm_impactbench.llm.litellm_answer import cost_of, counted, priced, total_tokens, with_cost
from helm_impactbench.llm.litellm_settings import LEAN_PATH_VARIABLE, without_cost
from helm_impactbench.llm.prices import FREE, Price, charged, is_listed, known_price
from helm_impactbench.llm.quiet_litellm import litellm
from helm_impactbench.llm.received import Received, receiving
from helm_impactbench.llm.retries import policy_from_environment
from helm_impactbench.llm.secrets import data_without_secrets, remember, removed_here
from helm_impactbench.process.shared_state import SECRETS_REMOVED

litellm.client_session = shared_client()
CHAT_PATH = "/chat/completions"
_LIST_SECONDS = 2.0
"""That an endpoint may take to list its models."""


class Endpoint:
    """One model behind litellm."""

    def __init__(
        self,
        model: str,
        local_path: Path,
        *,
        api_base: str | None = None,
        api_key_env: str | None = None,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
        price: Price | None = None,
    ) -> None:
        """Find the key; `local_path` is where credentials.conf may be.

        model: what litellm calls the model, for example `openai/gpt-4o`.
        api_base: base URL of an endpoint of your own, for example `http://127.0.0.1:8000/v1`.
        api_key_env: the environment variable that holds its key; the provider's usual variable when unset.
        headers: HTTP headers to add; `$NAME` in a value stands for an environment variable.
        extra: further parameters of litellm.completion, for example {"reasoning_effort": "low"}.
        price: where litellm knows none, or yours differs.
        """
        self.model = model
        self.extra: Mapping[str, Any] = dict(extra or {})
        """Parameters of its own; may hold secrets."""
        self.price = price
        """Its own price."""
        own_headers = expanded(headers or {})
        remember_connection(api_base, own_headers, self.extra)
        self.transport = _transport(model, local_path, api_base, api_key_env, own_headers)
        """Arguments of litellm's functions about the connection. Holds the key: never logged or cached."""
        self.key_parts = key_parts(api_base, own_headers, self.extra)
        """What distinguishes this endpoint's answers from those of the model elsewhere, without secrets."""
        self._list_price = known_price(model)
        self._litellm_prices = price is None and is_listed(model)
        self._takes_client = _takes_client(model)
        self._asking = threading.Lock()
        self._has_answered = False
        self._served: dict[str, tuple[str, ...]] = {}
        self.asked = ""
        """Where the newest call went; empty where that is not known."""

    def call(self, deployment: str, wire: Mapping[str, Any], key: str = "") -> dict[str, Any]:
        """Return the answer to `wire` as it is cached, once limits and budget allow the call.

        `key` names the call to the provider, the same for each attempt. As HELM has them, `request_time` of the answer
        are the seconds that it took, without that wait, and `request_datetime` is when it was asked for. Raises
        BudgetError, StoppedError, UnusableAnswerError, TransientCallError, and the provider's errors unchanged.
        """
        whole = {**wire, **self.extra}
        with admission().call(deployment, whole, self.price or self._list_price) as call, receiving(key) as received:
            before = removed_here()
            began = time.time()
            try:
                answer = self._complete(whole)
            except Exception as error:
                self.asked = received.address
                if received.success:
                    call.answered(*self._billed(received))
                meant = self._meant(error, received)
                if meant is None:
                    raise
                raise meant from error
            if removed := removed_here() - before:
                SECRETS_REMOVED.add(deployment, removed)
            answer = {**answer, "request_time": time.time() - began, "request_datetime": int(began)}
            call.answered(total_tokens(answer), cost_of(answer))
            if not answer.get("choices"):
                raise UnusableAnswerError("the answer contains no choice")
        self._has_answered = True
        return answer

    def _billed(self, received: Received) -> tuple[int, float | None]:
        """Return the tokens and US dollars of an answer that cannot be used; None where nobody knows."""
        tokens, price = received.tokens(), self.price or self._list_price
        if price == FREE:
            return sum(tokens or ()), 0.0
        return sum(tokens or ()), price.of(*tokens) if tokens and price else None

    def _meant(self, error: Exception, received: Received) -> Exception | None:
        """Return what a failed attempt means where litellm has made something else of it."""
        refused = refusal(error)
        if refused is not None:
            wrong_address = refused.about == "address"
            return TransientCallError(str(refused)) if wrong_address and self._has_answered else refused
        if received.success and received.whole:
            return UnusableAnswerError(unusable(error, received.status, received.fault))
        return None

    @property
    def base(self) -> str:
        """The address that the newest call was made from; empty where that is not known."""
        return self.asked.removesuffix(CHAT_PATH) if self.asked.endswith(CHAT_PATH) else ""

    @property
    def set_by(self) -> str:
        """What sets the address of an endpoint of somebody's own; empty where it is the provider's."""
        if self.transport.get("api_base"):
            return "api_base"
        provider = provider_of(self.model).upper()
        return next((name for name in (f"{provider}_BASE_URL", f"{provider}_API_BASE") if os.environ.get(name)), "")

    def served_models(self, more: str = "") -> tuple[str, ...]:
        """Return the models that an endpoint of somebody's own lists, asked once; none where it lists none.

        `more` is what is added to its address.
        """
        base = self.base if self.set_by else ""
        with self._asking:
            if base and more not in self._served:
                self._served[more] = _listed_by(f"{base}{more}", self.transport)
            return self._served.get(more, ())

    def _complete(self, wire: Mapping[str, Any]) -> dict[str, Any]:
        own: dict[str, Any] = {"client": thread_client()} if self._takes_client else {}
        if wire.get("tools"):
            own["_skip_mcp_handler"] = True  # it would import packages of litellm's proxy, which nobody has here
        with nullcontext() if self._litellm_prices else without_cost(), attempt(self.transport["timeout"]):
            response = litellm.completion(**wire, **self.transport, **own)
        answer: dict[str, Any] = data_without_secrets(response.model_dump(mode="json"))
        listed = charged(response) if counted(answer) else None  # what unknown tokens cost is unknown
        return with_cost(answer, priced(answer, self.price) if self.price else listed)


def _transport(
    model: str, local_path: Path, api_base: str | None, api_key_env: str | None, headers: Mapping[str, str]
) -> dict[str, Any]:
    key = first_key([api_key_env]) if api_key_env else Credentials(local_path).key_for(model.split("/")[0], model)
    transport: dict[str, Any] = {
        "timeout": policy_from_environment().timeout,
        "max_retries": 0,  # the one retry policy is llm/retries.py
        "drop_params": True,
    }
    if api_base:
        transport["api_base"] = api_base
        transport["api_key"] = key or "none"  # local servers want no key, but the SDKs insist on one
    elif key:
        transport["api_key"] = key
    if headers:
        transport["extra_headers"] = dict(headers)
    remember([key])
    return transport


def _listed_by(base: str, transport: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of GET /models, which OpenAI-compatible servers answer."""
    try:
        url = httpx.URL(base)
        with attempt(_LIST_SECONDS):
            answer = shared_client().get(
                url.copy_with(path=f"{url.path.rstrip('/')}/models"),
                headers={
                    "Authorization": f"Bearer {transport.get('api_key', 'none')}",
                    **transport.get("extra_headers", {}),
                },
                timeout=_LIST_SECONDS,
                follow_redirects=False,
            )
        return tuple(str(entry["id"]) for entry in answer.raise_for_status().json()["data"])
    except Exception:  # only a hint is lost: the reason for the failure is known already
        return ()


def _takes_client(model: str) -> bool:
    """Return whether litellm sends this provider's calls over the HTTP path that accepts a client of ours."""
    return os.environ.get(LEAN_PATH_VARIABLE) == "True" and (
        (provider := provider_of(model)) == "openai" or provider in litellm.openai_compatible_providers
    )


def provider_of(model: str) -> str:
    """Return what litellm calls the provider of a model; empty when it knows none."""
    try:
        return str(litellm.get_llm_provider(model)[1])
    except Exception:  # litellm raises bare Exception for a name that it does not know; the call will say so
        return ""

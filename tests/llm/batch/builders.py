"""Questions to a judge, deferred or asked at once, as HELM's client does both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from helm_impactbench.llm.batch.client import BatchClient
from helm_impactbench.llm.batch.deferred_call import BATCH_FOLDER, REQUESTS_FILE, DeferredCall, DeferredCalls
from helm_impactbench.llm.batch.queue import BatchQueue
from helm_impactbench.llm.cache.request_cache import RequestCache, cache_key
from helm_impactbench.llm.endpoint import Endpoint
from helm_impactbench.llm.litellm_wire import wire_request

JUDGE = "litellm/openai/gpt-4o-mini"
SUITE = Path("benchmark_output/runs/s")
CACHE = Path("prod_env/cache/impactbench/litellm.sqlite")


def endpoint(deployment: str = JUDGE) -> Endpoint:
    """Return where a judge is reached."""
    return Endpoint(deployment.removeprefix("litellm/"), Path("prod_env"))


def key_and_wire(text: str, deployment: str = JUDGE) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (what the answer is cached under, what goes to litellm) of a question."""
    raw = {
        "model": deployment.removeprefix("litellm/"),
        "messages": [{"role": "user", "content": text}],
        "temperature": 0.0,
        "max_tokens": 64,
        "stop": None,
        "presence_penalty": 0,
        "frequency_penalty": 0,
    }
    return {**raw, "random": text}, wire_request(raw, text, None)


def deferred(texts: Iterable[str], deployment: str = JUDGE) -> BatchQueue:
    """Defer questions and return the queue of their suite."""
    calls = DeferredCalls(SUITE / BATCH_FOLDER / REQUESTS_FILE)
    for text in texts:
        key, wire = key_and_wire(text, deployment)
        calls.add(DeferredCall(deployment, cache_key(key), wire))
    return BatchQueue(SUITE, lambda name: BatchClient(name, endpoint(name), RequestCache.in_file(CACHE.absolute())))


def asked(text: str) -> tuple[Mapping[str, Any], bool]:
    """Return what a question that is asked at once gives now, and whether it was in the cache."""
    key, wire = key_and_wire(text)
    return RequestCache.in_file(CACHE.absolute()).get(key, lambda: endpoint().call(JUDGE, wire))

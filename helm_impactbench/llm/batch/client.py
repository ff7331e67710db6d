"""What a batch needs of a judge's deployment: the provider's batches, prices, and the cache that answers go into."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from helm_impactbench.errors import BatchError
from helm_impactbench.llm.batch.answers import BatchOrigin, cached_answer
from helm_impactbench.llm.batch.deferred_call import DeferredCall
from helm_impactbench.llm.batch.plan import WantedBatch, wire_body
from helm_impactbench.llm.batch.provider import Provider
from helm_impactbench.llm.cache.request_cache import AnswerCache
from helm_impactbench.llm.endpoint import Endpoint, provider_of
from helm_impactbench.llm.failures import one_line
from helm_impactbench.llm.limits.spend_log import SpendLog
from helm_impactbench.llm.litellm_answer import cost_of, kept
from helm_impactbench.llm.prices import batch_price, most


class _AbsentError(Exception):
    """The cache holds no answer."""


class BatchClient:
    """One deployment."""

    def __init__(self, deployment: str, endpoint: Endpoint, cache: AnswerCache) -> None:
        self._endpoint, self._cache = endpoint, cache
        self._price = batch_price(endpoint.model, endpoint.price)
        self.provider_name = provider_of(endpoint.model)
        self.provider = Provider(deployment, self.provider_name, endpoint.transport)

    def cached(self, call: DeferredCall) -> dict[str, Any] | None:
        """Return the answer that the cache holds, None when it holds none."""

        def absent() -> NoReturn:
            raise _AbsentError

        try:
            return self._cache.get(json.loads(call.key), absent)[0]
        except _AbsentError:
            return None

    def wanted(self, call: DeferredCall) -> WantedBatch:
        """Return a call as a batch takes it."""
        try:
            wire = {**call.wire, **self._endpoint.extra}
            most_usd = most(self._price, wire) if self._price else None
            return WantedBatch(call.id, wire_body(wire), most_usd)
        except Exception as error:  # litellm raises bare Exception for a model or a parameter that it does not know
            raise BatchError(
                f"Deferred call {call.id} of {call.deployment} cannot be put into a batch "
                f"({one_line(str(error))}). Take its line out of judge-batch/requests.jsonl; the next "
                "helm-run defers the call again."
            ) from error

    def keep(
        self, call: DeferredCall, body: Mapping[str, Any], origin: BatchOrigin, spend_log: SpendLog
    ) -> float | None:
        """Put an answer into the cache and its cost into the suite's spending, once. Returns the cost.

        What is in the cache already stays, because results may rest on it. Raises ValueError for an unusable answer.
        """
        answer = cached_answer(body, self._price, origin)
        there, was_there = self._cache.get(json.loads(call.key), lambda: answer)
        cost = cost_of(answer)
        mine = kept(there).get("batch") == origin.batch
        if cost and not (was_there and mine):  # ours already: a kill came between this line and batches.json
            spend_log.add(call.deployment, cost)
        return cost

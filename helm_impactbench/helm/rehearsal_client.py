"""HELM client of the scripted models. It answers through HELM's cache like any other client."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from helm.clients.client import CachingClient
from helm.common.cache import CacheConfig
from helm.common.request import GeneratedOutput, Request, RequestResult, wrap_request_time

from helm_impactbench.helm.own_names import REHEARSAL_PREFIX
from helm_impactbench.helm.rehearsal_cast import write_metadata
from helm_impactbench.helm.request_cache import HelmCache
from helm_impactbench.helm.tool_request import tools_in
from helm_impactbench.llm.request import Message
from helm_impactbench.llm.tool_call import ToolCall
from helm_impactbench.rehearsal.acting import next_step
from helm_impactbench.rehearsal.dialogues import digest
from helm_impactbench.rehearsal.installed import installed_lines
from helm_impactbench.rehearsal.questions import answer
from helm_impactbench.rehearsal.scripts import OTHERS, metric_cued, script
from helm_impactbench.rehearsal.sides import disputes_digest

# Free, which is known; its words are not the tokens of a model, so there is nothing to count.
_USAGE = {"calls": 1, "cost_usd": 0.0, "uncounted_calls": 1, "unpriced_calls": 0}


class RehearsalClient(CachingClient):
    """Plays one of the cast."""

    applies_limits = True
    """No provider, so nothing to limit or to pay."""

    def __init__(self, cache_config: CacheConfig, lock_file_path: str, name: str) -> None:
        """HELM injects the cache and the path of a lock file, which shows where prod_env is; `name` is ours."""
        super().__init__(cache_config=cache_config)
        self.cache = HelmCache(cache_config)
        self._name = name
        write_metadata(Path(lock_file_path).parent.parent)

    def make_request(self, request: Request) -> RequestResult:
        """Answer `request.messages`, or `request.prompt`: a question of another suite, or a user's single message."""
        chat = request.messages or [{"role": "user", "content": request.prompt}]
        messages = [Message(message["role"], message["content"]) for message in chat]
        part = self._name.removeprefix(REHEARSAL_PREFIX)
        if not request.messages and part not in OTHERS:
            return self._answered({"question": request.prompt}, request, lambda: (answer(part, request.prompt), None))
        lines = installed_lines() if part not in OTHERS else {}
        metric = metric_cued(messages, lines)
        # A script reads its lines from the benchmark: with other lines it is another model.
        read = metric.digest() if metric else disputes_digest(part)
        schema = request.response_format.json_schema if request.response_format else None
        key: dict[str, Any] = {
            "messages": chat,
            "lines": read,
            "dialogues": digest(),
            **({"schema": schema} if schema else {}),
        }
        if part in OTHERS:
            return self._answered(key, request, lambda: (script(part, messages, lines, schema), None))
        has_tools = bool(tools_in(request))
        key |= {"tools": True} if has_tools else {}
        return self._answered(
            key, request, lambda: next_step(script(part, messages, lines, schema), messages, has_tools=has_tools)
        )

    def _answered(
        self, key: dict[str, Any], request: Request, step: Callable[[], tuple[str, ToolCall | None]]
    ) -> RequestResult:
        def words() -> dict[str, Any]:
            text, call = step()
            called = {"tool_calls": [{"name": call.name, "arguments": call.arguments}]} if call else {}
            return {"text": text, **called}

        response, cached = self.cache.get(
            CachingClient.make_cache_key({"model": self._name, **key}, request),
            wrap_request_time(words),
        )
        called = {"tool_calls": response["tool_calls"]} if "tool_calls" in response else {}
        finish = {"reason": "stop", "usage": _USAGE, **called}
        return RequestResult(
            success=True,
            cached=cached,
            request_time=response["request_time"],
            request_datetime=response["request_datetime"],
            completions=[GeneratedOutput(text=response["text"], logprob=0.0, tokens=[], finish_reason=finish)],
            embedding=[],
        )

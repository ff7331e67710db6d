"""HELM client of a Python function that judges, or plays the user: `callable:module:function` in place of a model.

The function is given by name what it declares of

    messages    the whole chat, as a model gets it
    definition  of the behaviour that is asked about
    turns       the transcript: number, user, assistant
    answers     the answers that are allowed; empty where they are numbers

A judge returns an answer ("present", a point of a scale, a number), or a mapping with `answer` and any of
justification, evidence, severity, confidence and engaged. A user returns its message.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

from helm.clients.client import Client
from helm.common.cache import CacheConfig
from helm.common.request import GeneratedOutput, Request, RequestResult

from helm_impactbench.errors import FatalCallError, ModelError, did_you_mean, listed
from helm_impactbench.helm.own_names import FUNCTION_PREFIX
from helm_impactbench.llm.deadline import attempt
from helm_impactbench.llm.failures import PermanentCallError, one_line
from helm_impactbench.llm.retries import policy_from_environment
from helm_impactbench.rehearsal.reading import said_by, section
from helm_impactbench.targets.function import imported

ARGUMENTS = ("messages", "definition", "turns", "answers")
_USAGE = {"calls": 1, "cost_usd": 0.0, "uncounted_calls": 1, "unpriced_calls": 0}
"""Free, which is known; nothing has tokens."""


class FunctionClient(Client):
    """Asks a function. Nothing is cached: the function may change, and asking it costs nothing."""

    applies_limits = True
    """No provider, so nothing to limit or to pay."""

    def __init__(self, cache_config: CacheConfig, path: str) -> None:
        """`path` is module:function. HELM injects the cache. Raises ModelError where it cannot be called."""
        self._path, self._function, self._declared = path, imported(path), declared(path)

    def make_request(self, request: Request) -> RequestResult:
        """Return what the function says. Raises PermanentCallError for what it raises."""
        schema = request.response_format.json_schema if request.response_format else None
        given = _given(request, schema)
        try:
            with attempt(policy_from_environment().timeout):
                returned = self._function(**{name: given[name] for name in self._declared})
        except FatalCallError:
            raise
        except Exception as error:  # it is somebody else's function, and may raise anything
            failed = one_line(f"{type(error).__name__}: {error}")
            raise PermanentCallError(f"{FUNCTION_PREFIX}{self._path} failed: {failed}") from error
        text = str(returned) if schema is None else json.dumps(_answer(returned, self._path, schema), default=str)
        output = GeneratedOutput(text=text, logprob=0.0, tokens=[], finish_reason={"reason": "stop", "usage": _USAGE})
        return RequestResult(success=True, cached=False, request_time=0.0, completions=[output], embedding=[])


def declared(path: str) -> tuple[str, ...]:
    """Return the arguments that a function declares. Raises ModelError for one that cannot be called with ours."""
    function = imported(path)
    if not callable(function):
        raise ModelError(f"callable {path} is a {type(function).__name__}, which cannot be called.")
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return ARGUMENTS
    unknown = [one.name for one in parameters if one.name not in ARGUMENTS and one.default is one.empty]
    if unknown:
        raise ModelError(
            f"callable {path} wants {listed(unknown)}, and is given {listed(ARGUMENTS)} by name, as far as it declares "
            f"them.{did_you_mean(unknown[0], ARGUMENTS)}"
        )
    return tuple(one.name for one in parameters if one.name in ARGUMENTS)


def _given(request: Request, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    messages = [dict(message) for message in request.messages or [{"role": "user", "content": request.prompt}]]
    task = next((message["content"] for message in messages if message["role"] == "user"), "")
    heard = dict(said_by("user", task))
    turns = [
        {"number": number, "user": heard.get(number, ""), "assistant": words}
        for number, words in said_by("assistant", task)
    ]
    answer = (schema or {}).get("properties", {}).get("answer", {})
    return {
        "messages": messages,
        "definition": section("definition", task),
        "turns": turns,
        "answers": list(answer.get("enum", ())),
    }


def _answer(returned: Any, path: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with all the keys that judges are asked for."""
    said = dict(returned) if isinstance(returned, Mapping) else {"answer": returned}
    usual: dict[str, Any] = {"justification": f"By {path}.", "evidence": [], "severity": None, "engaged": True}
    asked = schema.get("properties", {})
    return {**{name: value for name, value in usual.items() if name in asked}, **said}

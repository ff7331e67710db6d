"""The arguments of a deployment that litellm reaches: `client_spec.args` in model_deployments.yaml, checked before any
call.

Messages name types and never values: a key in the wrong place must not get into a log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator

from helm_impactbench.errors import ModelError, did_you_mean
from helm_impactbench.llm.prices import own_price
from helm_impactbench.llm.release import read_release

DEPLOYMENTS_FILE = "model_deployments.yaml"
_VARIABLE_NAME = re.compile(r"[A-Za-z_]\w*")
_NOT_EXTRA = {
    "timeout": "set IMPACTBENCH_TIMEOUT, in seconds",
    "request_timeout": "set IMPACTBENCH_TIMEOUT, in seconds",
    "max_retries": "set IMPACTBENCH_ATTEMPTS",
    "num_retries": "set IMPACTBENCH_ATTEMPTS",
    "stream": "answers are read whole",
    "stream_options": "answers are read whole",
    "n": "each call has one answer; take more samples",
    "best_of": "each call has one answer; take more samples",
    "messages": "the conversation is sent",
    "model": "put it into litellm_model",
    "api_key": "put the name of the variable that holds the key into api_key_env",
    "api_base": "put it into api_base, outside of extra",
    "base_url": "put it into api_base, outside of extra",
    "headers": "put them into headers, outside of extra",
    "extra_headers": "put them into headers, outside of extra",
    "fallbacks": "answers of another model would count for this one",
    "client": "the run has its own",
    "drop_params": "it is always on",
    "mock_response": "take a rehearsal model",
    "input_cost_per_token": "put it beside extra",
    "output_cost_per_token": "put it beside extra",
}
"""Parameters of litellm.completion that the client sets itself, or that would make other calls of ours; what to do."""
_EXPECTED = {
    "litellm_model": "a text such as openai/gpt-4o",
    "api_base": "an address such as http://127.0.0.1:8000/v1",
    "api_key_env": "the name of an environment variable",
    "headers": "names with values, such as {X-Team: red}",
    "extra": "parameters of litellm.completion with values, such as {reasoning_effort: low}",
    "takes_schema": "true or false",
    "release": 'a text such as v2, in quotes where it looks like a number: "1.10"',
}


class DeploymentArguments(BaseModel):
    """What a deployment may state."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    litellm_model: str = Field(min_length=1)
    """Provider and model, as litellm calls it."""
    api_base: str | None = Field(default=None, pattern=r"^https?://[^\s/]")
    """Address of an endpoint of one's own."""
    api_key_env: str | None = Field(default=None, pattern=rf"^{_VARIABLE_NAME.pattern}$")
    """The environment variable that holds the key."""
    headers: dict[str, str | int | float] | None = None
    """HTTP headers to add."""
    extra: dict[str, JsonValue] | None = None
    """Further parameters of litellm.completion."""
    input_cost_per_token: float | str | None = None
    output_cost_per_token: float | str | None = None
    """US dollars; `llm.prices.own_price` checks both."""
    takes_schema: bool | None = None
    """Whether the endpoint takes the JSON schema of an answer; as litellm's table says where it is not set."""
    release: str | None = None
    """Which release of the model answers, where it is under test; --release says it for a single run."""

    @field_validator("release")
    @classmethod
    def _is_a_release(cls, name: str | None) -> str | None:
        return name if name is None else read_release(name)

    @field_validator("headers")
    @classmethod
    def _can_be_sent(cls, headers: dict[str, str | int | float] | None) -> dict[str, str | int | float] | None:
        for name, value in (headers or {}).items():
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                raise ValueError("a name holds a character that no name of a header may have (RFC 9110, 5.1)")
            if re.search(r"[\r\n\0]", str(value)):
                raise ValueError(f"the value of {name} has more than one line")
        return headers


def checked_arguments(deployment: str, arguments: Mapping[str, Any], file: str = DEPLOYMENTS_FILE) -> None:
    """Raise one ModelError with everything that is wrong with a deployment's arguments, and what to do."""
    faults = [*_faults(arguments), *_faults_of_extra(arguments.get("extra"))]
    try:
        own_price(arguments)
    except ModelError as error:
        faults.append(str(error).rstrip("."))
    if faults:
        raise ModelError(f"{deployment}: {'; '.join(faults)}. Correct client_spec.args of {deployment} in {file}.")


def _faults(arguments: Mapping[str, Any]) -> list[str]:
    try:
        DeploymentArguments.model_validate(dict(arguments))
    except ValidationError as error:
        prices = ("input_cost_per_token", "output_cost_per_token")
        found = {str(fault["loc"][0]): fault for fault in reversed(error.errors()) if fault["loc"][0] not in prices}
        return [_fault(name, arguments.get(name), fault) for name, fault in reversed(found.items())]
    return []


def _fault(name: str, value: object, fault: Mapping[str, Any]) -> str:
    if fault["type"] == "extra_forbidden":
        near = did_you_mean(name, DeploymentArguments.model_fields)
        return f"there is no argument {name!r}.{near} Parameters of litellm.completion belong into extra"
    if fault["type"] == "missing":
        return f"{name} is missing; it must be {_EXPECTED[name]}"
    if fault["type"] == "value_error":
        return f"{name}: {fault['ctx']['error']}"
    inside = ".".join(str(part) for part in fault["loc"][1:2])
    what = f"{name}.{inside} is {_kind(_within(value, inside))}" if inside else f"{name} is {_kind(value)}"
    return f"{what}; {name} must be {_EXPECTED[name]}"


def _within(value: object, name: str) -> object:
    return next((item for key, item in value.items() if str(key) == name), None) if isinstance(value, Mapping) else None


def _faults_of_extra(extra: object) -> list[str]:
    names = [str(name) for name in extra] if isinstance(extra, Mapping) else []
    return [f"extra may not hold {name}: {_NOT_EXTRA[name]}" for name in names if name in _NOT_EXTRA]


def _kind(value: object) -> str:
    kinds = {
        list: "a list",
        dict: "an object",
        bool: "a truth value",
        int: "a number",
        float: "a number",
        type(None): "empty",
    }
    return "a text of another form" if isinstance(value, str) else kinds.get(type(value), "of another kind")

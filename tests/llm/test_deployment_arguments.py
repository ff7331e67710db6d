"""Arguments of a deployment are checked before the first call: one message with the file and what to do."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.errors import ModelError
from helm_impactbench.llm.deployment_arguments import checked_arguments

KEY = "sk-PLANTED-zq81Xw72Lm"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {
            "api_base": "http://127.0.0.1:8000/v1",
            "api_key_env": "MY_KEY",
            "headers": {"X-Team": "$TEAM", "X-Version": 2},
        },
        {"extra": {"reasoning_effort": "low", "api_version": "2024-06-01", "extra_body": {"a": [1, None]}}},
        {"extra": {"max_completion_tokens": 9, "temperature": 1}, "headers": None, "api_base": None},
        {"input_cost_per_token": "1e-6", "output_cost_per_token": 0, "takes_schema": True},
    ],
)
def test_what_a_deployment_may_state_is_taken(arguments: dict[str, Any]) -> None:
    """As in docs/running.md."""
    checked_arguments("lab/m", {"litellm_model": "openai/m", **arguments})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"headers": [KEY]}, "headers is a list; headers must be names with values, such as {X-Team: red}"),
        ({"headers": KEY}, "headers is a text of another form; headers must be names with values"),
        ({"headers": {"X-Team": [KEY]}}, "headers.X-Team is a list; headers must be names with values"),
        ({"headers": {"X Team": "a"}}, "headers: Value error|a name holds a character that no name"),
        ({"headers": {"X-Team": f"a\r\nX-Key: {KEY}"}}, "the value of X-Team has more than one line"),
        ({"extra": {"timeout": 60}}, "extra may not hold timeout: set IMPACTBENCH_TIMEOUT, in seconds"),
        ({"extra": {"stream": True}}, "extra may not hold stream: answers are read whole"),
        ({"extra": {"extra_headers": {"a": "b"}}}, "extra may not hold extra_headers: put them into headers"),
        ({"extra": {"n": 3}}, "extra may not hold n: each call has one answer"),
        ({"extra": {"api_key": KEY}}, "extra may not hold api_key: put the name of the variable"),
        ({"extra": {"api_base": "http://a"}}, "extra may not hold api_base: put it into api_base"),
        ({"extra": {"messages": []}}, "extra may not hold messages: the conversation is sent"),
        ({"extra": {"model": "b"}}, "extra may not hold model: put it into litellm_model"),
        ({"extra": {"fallbacks": ["b"]}}, "extra may not hold fallbacks: answers of another model would count"),
        ({"extra": [KEY]}, "extra is a list; extra must be parameters of litellm.completion with values"),
        ({"extra": {"a": {1, 2}}}, "extra.a is of another kind; extra must be parameters"),
        (
            {"api_base": "127.0.0.1:8000"},
            "api_base is a text of another form; api_base must be an address such as http://",
        ),
        ({"api_base": ["http://a"]}, "api_base is a list; api_base must be an address"),
        (
            {"api_key_env": KEY},
            "api_key_env is a text of another form; api_key_env must be the name of an environment variable",
        ),
        ({"litellm_model": 3}, "litellm_model is a number; litellm_model must be a text such as openai/gpt-4o"),
        ({"temperature": 0}, "there is no argument 'temperature'. Parameters of litellm.completion belong into extra"),
        ({"input_cost_per_token": KEY, "output_cost_per_token": 0}, "input_cost_per_token is no number. Set both"),
        ({"header": {}}, "there is no argument 'header'. Did you mean headers?"),
        ({"input_cost_per_token": 3}, "input_cost_per_token is 3, output_cost_per_token is missing. Set both"),
    ],
)
def test_what_it_may_not_state_is_said_with_file_and_cure(arguments: dict[str, Any], said: str) -> None:
    """In one message, without a value that may be a key."""
    with pytest.raises(ModelError) as error:
        checked_arguments("lab/m", {"litellm_model": "openai/m", **arguments}, "prod_env/model_deployments.yaml")
    text = str(error.value)
    assert text.startswith("lab/m: ")
    assert any(part in text for part in said.split("|"))
    assert text.endswith(". Correct client_spec.args of lab/m in prod_env/model_deployments.yaml.")
    assert KEY not in text
    assert len(text.splitlines()) == 1


def test_everything_is_said_at_once() -> None:
    """In the order of the arguments."""
    arguments = {"litellm_model": "openai/m", "headers": [], "api_base": "x", "extra": {"n": 2, "stream": True}}
    with pytest.raises(ModelError) as error:
        checked_arguments("lab/m", arguments)
    assert str(error.value).count(";") == 6, str(error.value)

"""What is sent to litellm."""

from __future__ import annotations

from typing import Any

import pytest

from helm_impactbench.llm.litellm_wire import marked, wire_request


def test_marks_for_the_prompt_cache_stand_after_what_is_sent_again() -> None:
    """A dialogue keeps system prompt and newest message, a question that is asked once the system prompt alone."""
    messages = [{"role": role, "content": role} for role in ("system", "user", "assistant", "user")]

    def where(marks: list[dict[str, Any]]) -> list[int]:
        return [i for i, message in enumerate(marks) if isinstance(message["content"], list)]

    assert where(marked(messages, goes_on=True)) == [0, 3]
    assert where(marked(messages, goes_on=False)) == [0]
    assert marked(messages, goes_on=True)[3]["content"] == [
        {"type": "text", "text": "user", "cache_control": {"type": "ephemeral"}}
    ]


@pytest.mark.parametrize(
    ("model", "told", "sent"),
    [("openai/my-own", None, False), ("openai/my-own", True, True), ("gpt-4o", None, True), ("gpt-4o", False, False)],
)
def test_a_deployment_may_say_whether_its_endpoint_takes_schemas(model: str, told: bool | None, sent: bool) -> None:
    """litellm's table knows no server of one's own."""
    raw = {"model": model, "messages": [], "stop": None, "presence_penalty": 0, "frequency_penalty": 0}
    assert ("response_format" in wire_request(raw, None, {"type": "object"}, takes_schema=told)) is sent

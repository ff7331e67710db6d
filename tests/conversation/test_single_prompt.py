"""What a single prompt came to: words are judged; a block, silence and a failed call are three different things."""

from __future__ import annotations

import pytest

from helm_impactbench.conversation.record import Status
from helm_impactbench.conversation.single_prompt import answered, failed
from helm_impactbench.llm.usage import Usage
from tests.support.looped import looped


@looped(
    ("text", "reason", "status"),
    [
        pytest.param("No.", "stop", Status.COMPLETE, id="text"),
        pytest.param("Half of", "length", Status.COMPLETE, id="cut-short-is-a-text"),
        pytest.param("Half of", "content_filter", Status.COMPLETE, id="stopped-midway-is-a-text"),
        pytest.param(" \n", "stop", Status.TARGET_EMPTY, id="blank"),
        pytest.param("\u200b\u3164", "stop", Status.TARGET_EMPTY, id="nothing-that-can-be-seen"),
        pytest.param("\U0001f44d", "stop", Status.COMPLETE, id="emoji"),
        pytest.param("", "length", Status.TARGET_EMPTY, id="spent-on-reasoning"),
        pytest.param("", "content_filter", Status.TARGET_BLOCKED, id="filter"),
        pytest.param("", "refusal", Status.TARGET_BLOCKED, id="refusal-of-the-provider"),
        pytest.param("", "The prompt violates OpenAI's content policy. See https://x", Status.TARGET_BLOCKED,
                     id="helm-openai-policy"),
    ],
)  # fmt: skip
def test_what_was_answered(text: str, reason: str, status: Status) -> None:
    """A text is an exchange that can be judged; without one the prompt stands alone, with the provider's reason."""
    held = answered("q", text, reason, Usage(calls=1))
    assert (held.status, held.target_usage.calls, held.turns[0].user) == (status, 1, "q")
    assert [turn.assistant for turn in held.exchanges] == ([text] if status.can_be_judged else [])
    assert held.reason == ("" if status.can_be_judged else f"finish reason: {reason}")
    assert held.turns[0].cut_off == (status.can_be_judged and reason == "length")


@looped(
    ("error", "status"),
    [
        ("x: blocked by the provider's content filter (HTTP 400)", Status.TARGET_BLOCKED),
        ("x: ContentPolicyViolationError: no", Status.TARGET_BLOCKED),
        ("Content blocked by Azure's content management filter", Status.TARGET_BLOCKED),
        ("Prompt blocked by OpenAI's safety filter", Status.TARGET_BLOCKED),
        ("Grok API error: Content violates usage guidelines", Status.TARGET_BLOCKED),
        ("Anthropic error: Output blocked by content filtering policy", Status.TARGET_BLOCKED),
        ("Content blocked: Prompt blocked with reason: SAFETY", Status.TARGET_BLOCKED),
        ("x: HTTP 500: Internal Server Error", Status.TARGET_ERROR),
        ("x: Timeout: no answer in 300 s", Status.TARGET_ERROR),
        ("x: BadRequestError: the context is too long", Status.TARGET_ERROR),
    ],
)
def test_what_a_failed_call_says(error: str, status: Status) -> None:
    """A filter's block is told from every other failure by the provider's words, and neither can be judged."""
    held = failed("q", error)
    assert (held.status, held.reason, held.exchanges) == (status, error, ())
    assert not held.status.can_be_judged

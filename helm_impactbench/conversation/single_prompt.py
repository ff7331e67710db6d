"""A single prompt and its answer, as a conversation of one exchange, or why there is none. Pure.

A blocked, empty or failed answer is not a measurement of caution. HELM gives an empty one 1.0 on AIR-Bench, and on its
other safety suites has an empty text judged.
"""

from __future__ import annotations

import re

from helm_impactbench.characters import is_blank
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.llm.usage import Usage

BLOCKED_ERROR = re.compile(
    r"content.?(?:filter|policy|violates|block|management)|(?:prompt|output|response|request) (?:was )?blocked"
    r"|(?:prompt|output|response|request) (?:was )?flagged|safety (?:filter|system|guideline)|usage guideline"
    r"|guardrail|moderation|responsible.?ai.?policy",
    re.IGNORECASE,
)
BLOCKED_FINISH = re.compile(
    r"content.?(?:filter|policy)|refusal|safety|prohibited|blocklist|recitation|spii|guardrail", re.IGNORECASE
)


def answered(
    prompt: str,
    text: str,
    finish_reason: str,
    usage: Usage,
    reasoning: str = "",
    call: str = "",
    seconds: float = 0.0,
) -> Conversation:
    """Return the conversation that a model's answer makes. A text that was cut short is a text.

    One of which nothing can be seen is none. call: what names the call that gave it. seconds: that it took.
    """
    if is_blank(text):
        blocked = BLOCKED_FINISH.search(finish_reason)
        status = Status.TARGET_BLOCKED if blocked else Status.TARGET_EMPTY
        return _without_answer(prompt, status, f"finish reason: {finish_reason}", usage)
    cut_off = finish_reason == "length"
    turn = Turn(number=1, user=prompt, assistant=text, reasoning=reasoning, cut_off=cut_off, call=call, seconds=seconds)
    return Conversation(status=Status.COMPLETE, turns=(turn,), target_usage=usage)


def failed(prompt: str, error: str, usage: Usage | None = None) -> Conversation:
    """Return the conversation of a call that failed for good; `error` is one line of the provider's words."""
    blocked = BLOCKED_ERROR.search(error)
    return _without_answer(prompt, Status.TARGET_BLOCKED if blocked else Status.TARGET_ERROR, error, usage or Usage())


def _without_answer(prompt: str, status: Status, reason: str, usage: Usage) -> Conversation:
    return Conversation(status=status, reason=reason, turns=(Turn(number=1, user=prompt),), target_usage=usage)

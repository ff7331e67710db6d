"""The usage that a provider reports with an answer, before litellm reads it.

litellm refuses an answer whose token counts are no whole numbers: an answer that was paid for would be asked for again.
It takes negative and absurd counts as they are, and would book a negative price for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from helm_impactbench.files.json_fields import Fields, read_fields
from helm_impactbench.llm.amounts import amount, count

MOST_TOKENS = 10**8
"""Per call; ten times what the longest prompts have."""
MOST_USD = 1e6
"""Per call."""
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_BLOCKS: Fields = {"usage": None, "usageMetadata": None}
_PROMPT = ("prompt_tokens", "input_tokens", "promptTokenCount", "inputTokens")
_ANSWER = ("completion_tokens", "output_tokens", "candidatesTokenCount", "outputTokens")
"""What OpenAI, Anthropic, Gemini and Bedrock call their counts."""


def sound_usage(usage: object) -> dict[str, Any] | None:
    """Return a usage block whose counts are whole numbers, None where those of prompt and answer are not."""
    counts = token_counts(usage)
    if counts is None or not isinstance(usage, Mapping):
        return None
    total = count(usage.get("total_tokens"), 2 * MOST_TOKENS)
    given = {
        name: count(value, 2 * MOST_TOKENS) if name in _COUNTS else value for name, value in _sound_part(usage).items()
    }
    return {**given, "total_tokens": sum(counts) if total is None else total}


def token_counts(usage: object) -> tuple[int, int] | None:
    """Return the tokens of (prompt, answer), None where a count is missing or cannot be true."""
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = (count(usage.get(name), MOST_TOKENS) for name in _COUNTS[:2])
    return None if prompt is None or completion is None else (prompt, completion)


def tokens_in(body: bytes) -> tuple[int, int] | None:
    """Return the tokens of (prompt, answer) that the body of an answer states in the words of any provider, None where
    it does not.
    """
    try:
        answer = read_fields(body.decode(json.detect_encoding(body), "replace"), _BLOCKS)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, Mapping):
        return None
    block = answer.get("usage") or answer.get("usageMetadata")
    if not isinstance(block, Mapping):
        return None
    given = [next((block[name] for name in names if name in block), None) for names in (_PROMPT, _ANSWER)]
    return token_counts(dict(zip(_COUNTS, given, strict=False)))


def _sound_part(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return a block, or one inside it, without the numbers that cannot be true."""
    return {
        name: _sound_part(value) if isinstance(value, Mapping) else value
        for name, value in usage.items()
        if isinstance(value, Mapping) or _is_sound(name, value)
    }


def _is_sound(name: str, value: object) -> bool:
    if name.endswith("_tokens"):
        return value is None or count(value, 2 * MOST_TOKENS) is not None
    return not isinstance(value, (int, float)) or amount(value, MOST_USD) is not None

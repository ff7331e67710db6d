"""The usage that a provider reports with an answer, before litellm reads it.

litellm refuses an answer whose token counts are no whole numbers: an answer that was paid for would be asked for again.
It takes negative and absurd counts as they are, and would book a negative price for them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from helm_impactbench.llm.amounts import amount, count

MOST_TOKENS = 10**8
"""Per call; ten times what the longest prompts have."""
MOST_USD = 1e6
"""Per call."""
_LONGEST_INTEGER = 30
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


def with_sound_usage(body: bytes) -> bytes:
    """Return a chat completion without a usage that cannot be true; it is then unknown. Anything else is unchanged."""
    if b'"usage"' not in body or b'"choices"' not in body:
        return body
    try:
        answer = json.loads(body, parse_int=_integer)
    except (ValueError, RecursionError):
        return body
    if not isinstance(answer, dict) or answer.get("usage") is None:
        return body
    sound = sound_usage(answer["usage"])
    if json.dumps(sound) == json.dumps(answer["usage"]):
        return body
    return json.dumps({**answer, "usage": sound}).encode()


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


def _integer(digits: str) -> float:
    """Return an integer; Python refuses to read one of thousands of digits, which is in no usage."""
    return int(digits) if len(digits) <= _LONGEST_INTEGER else math.inf

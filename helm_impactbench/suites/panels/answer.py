"""Is there an answer to judge? A blocked, empty or failed one is no measurement of the target's caution.

HELM gives an empty answer 1.0 on AIR-Bench, and on the other suites has an empty text judged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from helm.common.request import RequestResult

from helm_impactbench.llm.usage import UNKNOWN_USAGE, Usage
from helm_impactbench.suites.panels.names import Unscored

_BLOCKED_ERROR = re.compile(
    r"content.?(?:filter|policy|violates|block|management)|(?:prompt|output|response|request) (?:was )?blocked"
    r"|(?:prompt|output|response|request) (?:was )?flagged|safety (?:filter|system|guideline)|usage guideline"
    r"|guardrail|moderation|responsible.?ai.?policy",
    re.IGNORECASE,
)
_BLOCKED_FINISH = re.compile(
    r"content.?(?:filter|policy)|refusal|safety|prohibited|blocklist|recitation|spii|guardrail", re.IGNORECASE
)


@dataclass(frozen=True)
class NoAnswer:
    """Why there is nothing to judge."""

    reason: Unscored
    """BLOCKED, EMPTY or TARGET_ERROR."""
    detail: str
    """The provider's words."""


def answer_of(result: RequestResult | None) -> str | NoAnswer:
    """Return the target's text as HELM has it, or why there is none. A text that was cut short is a text."""
    if result is None or not result.success:
        return _failed((result.error if result else None) or "no result")
    completion = result.completions[0]
    if completion.text.strip():
        return completion.text
    reason = str((completion.finish_reason or {}).get("reason") or "unknown")
    blocked = Unscored.BLOCKED if _BLOCKED_FINISH.search(reason) else Unscored.EMPTY
    return NoAnswer(blocked, f"finish reason: {reason}")


def _failed(error: str) -> NoAnswer:
    return NoAnswer(Unscored.BLOCKED if _BLOCKED_ERROR.search(error) else Unscored.TARGET_ERROR, error)


def usage_of(result: RequestResult | None) -> Usage:
    """Return what the target's call took, where its client tells it."""
    finish = result.completions[0].finish_reason if result and result.completions else None
    return Usage.model_validate((finish or {}).get("usage") or UNKNOWN_USAGE)

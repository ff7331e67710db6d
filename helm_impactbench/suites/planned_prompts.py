"""What a run entry takes whose prompts are counted without their words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlannedPrompts:
    """Single prompts whose words are not at hand; tokens are means per prompt."""

    prompts: int
    prompt_tokens: int
    answer_tokens: int
    judge_tokens: int = 0
    """Of a judge's instructions, before prompt and answer."""
    judges: tuple[str, ...] = ()
    """Deployments that read every answer."""

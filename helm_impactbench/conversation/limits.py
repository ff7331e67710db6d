"""What one conversation may take at most, so that a single one cannot use up the budget or the day of a run.

It is looked at before each message and each reply, so the last call may pass a limit. What counts is what the answers
used and how long their providers took, which the cache keeps with them: the same answers end at the same place.
"""

from __future__ import annotations

from dataclasses import dataclass

from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.llm.usage import Usage


@dataclass(frozen=True)
class Limits:
    """Of one conversation, both sides together; None for no limit."""

    tokens: float | None = None
    """Of prompts and answers."""
    seconds: float | None = None
    """In which the providers of its answers worked on them."""
    usd: float | None = None

    def passed(self, used: Usage, seconds: float) -> str:
        """Return which limit is reached, in words; empty where none is."""
        tokens = used.prompt_tokens + used.completion_tokens
        for name, most, now, unit in (
            ("limit_tokens", self.tokens, tokens, "tokens"),
            ("limit_seconds", self.seconds, seconds, "seconds"),
            ("limit_usd", self.usd, used.cost_usd, "US dollars"),
        ):
            if most is not None and now >= most:
                return f"{name} is {most:g}, and it has taken {now:,.6g} {unit}"
        return ""


def limits_of(plan: ConversationPlan) -> Limits:
    """Return the limits of a plan."""
    given = {name: plan.manner.get(f"limit_{name}") for name in ("tokens", "seconds", "usd")}
    return Limits(**{name: float(most) for name, most in given.items() if most is not None})

"""What a judge is told: definition, examples, near misses and the numbered transcript. Nothing else, ever.

Name, type, goal, persona, demographic and model would each tell the judge which answer is wanted.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from helm_impactbench.benchmark.model import Metric
from helm_impactbench.conversation.record import Turn
from helm_impactbench.models.request import Message
from helm_impactbench.prompting import Prompt, load_prompt, neutralise

ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "justification": {"type": "string"},
        "evidence": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"turn": {"type": "integer"}, "quote": {"type": "string"}},
                "required": ["turn", "quote"],
                "additionalProperties": False,
            },
        },
        "present": {"type": "boolean"},
    },
    "required": ["justification", "evidence", "present"],
    "additionalProperties": False,
}
"""JSON schema of the answer; reasons come before the verdict, so that the verdict follows from them."""


@cache
def judge_prompts() -> dict[str, Prompt]:
    """Return the judge's templates by their short names."""
    return {
        "system": load_prompt("judge_system", ()),
        "task": load_prompt("judge_task", {"definition", "examples", "near_misses", "turns"}),
        "retry": load_prompt("judge_retry", {"problem"}),
    }


def judge_messages(metric: Metric, exchanges: tuple[Turn, ...]) -> list[Message]:
    """Return the question for a judge. What is fixed for a metric comes first, for providers' prompt caches."""
    prompts = judge_prompts()
    task = prompts["task"].fill(
        definition=metric.definition,
        examples=metric.examples,
        near_misses=metric.near_misses,
        turns=[
            {"number": turn.number, "user": neutralise(turn.user), "assistant": neutralise(turn.assistant or "")}
            for turn in exchanges
        ],
    )
    return [Message("system", prompts["system"].fill()), Message("user", task)]


def retry_messages(messages: list[Message], answer: str, problem: str) -> list[Message]:
    """Return `messages` with the unreadable answer and a request that says what was wrong with it."""
    retry = judge_prompts()["retry"].fill(problem=problem)
    return [*messages, Message("assistant", answer.strip() or "(nothing)"), Message("user", retry)]

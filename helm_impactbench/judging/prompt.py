"""What a judge is told: definition, examples, near misses and the numbered transcript. Nothing else, ever.

Name, type, goal, persona, demographic and model would each tell the judge which answer is wanted.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from helm_impactbench.benchmark.model import Metric
from helm_impactbench.conversation.record import Turn
from helm_impactbench.judging.verdict import VERDICT_KEY
from helm_impactbench.llm.request import Message
from helm_impactbench.prompts import Prompt, load_prompt, neutralise

EVIDENCE_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"turn": {"type": "integer"}, "quote": {"type": "string"}},
        "required": ["turn", "quote"],
        "additionalProperties": False,
    },
}


def answer_schema(verdict_key: str) -> dict[str, Any]:
    """Return the JSON schema of an answer; reasons come before the verdict, so that the verdict follows from them."""
    return {
        "type": "object",
        "properties": {
            "justification": {"type": "string"},
            "evidence": EVIDENCE_SCHEMA,
            verdict_key: {"type": "boolean"},
        },
        "required": ["justification", "evidence", verdict_key],
        "additionalProperties": False,
    }


ANSWER_SCHEMA = answer_schema(VERDICT_KEY)
"""JSON schema of the answer on a behaviour."""


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
        turns=shown_turns(exchanges),
    )
    return [Message("system", prompts["system"].fill()), Message("user", task)]


def shown_turns(turns: tuple[Turn, ...]) -> list[dict[str, Any]]:
    """Return turns as the templates show them: number, user, assistant; words cannot close the transcript."""
    return [
        {"number": turn.number, "user": neutralise(turn.user), "assistant": neutralise(turn.assistant or "")}
        for turn in turns
    ]

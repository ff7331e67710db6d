"""What a judge is told: the measure's instructions, definition, examples, facts and the numbered transcript.

Nothing else: name, type, goal, persona, level and model would each reveal which answer is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from helm_impactbench.benchmark.measures.base import Context, ParsedAnswer
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.conversation.record import Turn
from helm_impactbench.judging.answer import Unreadable, parse_measured
from helm_impactbench.judging.evidence import Speaker
from helm_impactbench.llm.request import Message, Reply
from helm_impactbench.prompts import Prompt, load_prompt, prompts_digest
from helm_impactbench.quoting import key_of, neutralise

EVIDENCE_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"turn": {"type": "integer"}, "quote": {"type": "string"}},
        "required": ["turn", "quote"],
        "additionalProperties": False,
    },
}


@dataclass(frozen=True)
class Question:
    """One question on one conversation, ready for any judge."""

    messages: tuple[Message, ...]
    schema: dict[str, Any] | None
    """JSON schema of the answer; its title names the question. None where the answer is not JSON."""
    parse: Callable[[str], ParsedAnswer | Unreadable]
    """Reads a reply. Never raises."""
    retry: Callable[[str], str]
    """From the problem of an unreadable reply to what the judge is told about it."""
    turns: tuple[Turn, ...]
    """The exchanges as the judge sees them: quotes are checked against these."""
    needs_evidence: Callable[[ParsedAnswer], bool]
    speaker: Speaker = "assistant"
    """Whose words are evidence."""
    oriented: Callable[[ParsedAnswer], ParsedAnswer] = lambda reading: reading
    """From what the judge said to the scenario's own terms."""
    words: Callable[[Reply], str] = lambda reply: reply.text
    """The part of a reply that is its answer; another one where the answer's form has a part called reasoning."""


@cache
def judge_prompts() -> dict[str, Prompt]:
    """Return the judge's templates by their short names, without those of the measures."""
    return {
        "system": load_prompt("judge_system", {"instructions", "applies", "form"}),
        "form": load_prompt("judge_form", {"answer", "severity"}),
        "task": load_prompt(
            "judge_task",
            {"definition", "exclusions", "applies", "examples", "near_misses", "facts", "turns", "key", "shows_user"},
        ),
        "retry": load_prompt("judge_retry", {"problem", "form"}),
        "tools": load_prompt("judge_tools", {"tools"}),
    }


def judge_digest() -> str:
    """Return the SHA-256 (hex) of the judge's templates; a metric's measure adds its instructions to them."""
    return prompts_digest(judge_prompts().values())


def answer_schema(
    title: str, answer: dict[str, Any], severities: Sequence[str] = (), *, engaged: bool = False
) -> dict[str, Any]:
    """Return the JSON schema of an answer. Reasons come before the answer, so that it follows from them, and confidence
    after it, so that the answer does not follow from it.

    engaged: whether it is asked if the assistant takes up the request.
    """
    severity = {"severity": {"anyOf": [{"type": "string", "enum": list(severities)}, {"type": "null"}]}}
    properties = {
        "justification": {"type": "string"},
        "evidence": EVIDENCE_SCHEMA,
        "answer": answer,
        **(severity if severities else {}),
        **({"engaged": {"type": "boolean"}} if engaged else {}),
        "confidence": {"type": "integer"},
    }
    return {
        "title": title,
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def metric_question(
    metric: Metric,
    exchanges: tuple[Turn, ...],
    facts: Sequence[str] = (),
    context: Context | None = None,
    tools: Sequence[str] = (),
) -> Question:
    """Return the question of a metric. What is fixed for a metric comes first, for providers' prompt caches.

    facts, context: those of the scenario. tools: the names of what the assistant could call.
    """
    measure, prompts, known = metric.measure, judge_prompts(), context or Context()
    applies = metric.applies is not None
    form = prompts["form"].fill(
        answer=measure.answer_form(applies=applies), severity=" or ".join(f'"{word}"' for word in measure.severities)
    )
    turns = tuple(_seen(turn, metric, known) for turn in exchanges)
    task = prompts["task"].fill(
        definition=metric.definition,
        exclusions=metric.exclusions,
        applies=metric.applies,
        examples=metric.examples,
        near_misses=metric.near_misses,
        facts=[*metric.facts, *measure.presentation.told_to_judge(facts, known), *told_of_tools(exchanges, tools)],
        **transcript(turns, shows_user=measure.presentation.shows_user),
        shows_user=measure.presentation.shows_user,
    )
    system = prompts["system"].fill(instructions=measure.instructions(), applies=applies, form=form)
    return Question(
        messages=(Message("system", system), Message("user", task)),
        schema=answer_schema(
            measure.kind, measure.answer_schema(applies=applies), tuple(measure.severities), engaged=True
        ),
        parse=lambda text: parse_measured(text, measure, applies=applies),
        retry=lambda problem: prompts["retry"].fill(problem=problem, form=form),
        turns=turns,
        needs_evidence=measure.needs_evidence,
        oriented=lambda reading: measure.presentation.oriented(reading, known),
    )


def told_of_tools(exchanges: Sequence[Turn], tools: Sequence[str]) -> list[str]:
    """Return what a reader of a transcript is told about what the assistant did with tools, if it could."""
    used = dict.fromkeys([*tools, *(one.name for turn in exchanges for one in turn.actions)])
    return [judge_prompts()["tools"].fill(tools=", ".join(used))] if used else []


def _seen(turn: Turn, metric: Metric, context: Context) -> Turn:
    """Return a turn with the words as the judge sees them."""
    words = metric.measure.presentation.seen_by_judge(turn.whole, context)
    return turn.seen_as(words) if words != turn.assistant else turn


def transcript(turns: tuple[Turn, ...], *, shows_user: bool = True) -> dict[str, Any]:
    """Return what the templates need to show turns: `turns` (number, user, assistant), with words that cannot close the
    transcript, and `key`, which its tags carry and nobody who writes in it can know.
    """
    shown = [
        {"number": turn.number, "user": neutralise(turn.user), "assistant": neutralise(turn.assistant or "")}
        for turn in turns
    ]
    sides = ("user", "assistant") if shows_user else ("assistant",)
    return {"turns": shown, "key": key_of(*(str(turn[side]) for turn in shown for side in sides))}

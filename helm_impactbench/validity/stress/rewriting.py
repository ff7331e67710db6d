"""Transcripts in other words and in another language, written by a model and refused where they are not the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from helm_impactbench.benchmark.measures.base import InvalidAnswerError
from helm_impactbench.characters import is_blank
from helm_impactbench.judging.answer import Unreadable, check_keys, read_object
from helm_impactbench.judging.judge import ask_until_read
from helm_impactbench.judging.judge_conversation import Call, speaker
from helm_impactbench.judging.question import transcript
from helm_impactbench.llm.request import Message
from helm_impactbench.llm.usage import Usage
from helm_impactbench.prompts import Prompt, load_prompt
from helm_impactbench.validity.stress.edits import LeftOut, Put

SCHEMA: dict[str, Any] = {
    "title": "stress_rewriting",
    "type": "object",
    "properties": {"messages": {"type": "array", "items": {"type": "string"}}},
    "required": ["messages"],
    "additionalProperties": False,
}
SHORTEST, LONGEST = 0.5, 2.0
"""Words of a message that is rewritten, over those of the message, where it has more than FEW_WORDS."""
FEW_WORDS = 8
_SEPARATOR = re.compile(r"(?<=\d)[.,](?=\d)")
_NUMBER = re.compile(r"\d+")
_ON_WORDS = re.compile(
    r"\b(?:dialect|expressions?|grammar|languages?|phrases?|spelling|translat\w{1,4}|wording|word for word)\b|"
    r"\b(?:exact|own|same|these|user's) words\b|\bclose to them\b",
    re.I,
)


@cache
def stress_prompts() -> dict[str, Prompt]:
    """Return the rewriter's templates by their short names."""
    return {
        "system": load_prompt("stress_system", ()),
        "paraphrase": load_prompt("stress_paraphrase", {"turns", "key"}),
        "translation": load_prompt("stress_translation", {"turns", "key"}),
        "retry": load_prompt("stress_retry", {"problem", "count"}),
    }


def may_be_rewritten(put: Put) -> LeftOut | None:
    """Return why a transcript cannot have other words and the same verdict; None where it can."""
    if put.case.metric.measure.presentation.has_names:
        return LeftOut("judges see these transcripts with other names, which are put in for certain English words")
    if _ON_WORDS.search(put.case.metric.definition):
        return LeftOut("the definition is about the words that are used")
    return None


def rewriting_messages(put: Put, kind: str) -> list[Message]:
    """Return what a model is asked to write."""
    prompts = stress_prompts()
    task = prompts[kind].fill(**transcript(put.conversation.exchanges))
    return [Message("system", prompts["system"].fill()), Message("user", task)]


def rewritten(put: Put, kind: str, call: Call, deployment: str) -> tuple[Put | LeftOut, Usage]:
    """Return a transcript as a model rewrote it, or why there is none, and what that took.

    Raises FatalCallError when no call can succeed any more.
    """
    if left := may_be_rewritten(put):
        return left, Usage()
    turns, retry = put.conversation.exchanges, stress_prompts()["retry"]
    texts = [text for turn in turns for text in (turn.user, turn.assistant or "")]
    asked = ask_until_read(
        rewriting_messages(put, kind),
        reader(texts),
        lambda problem: retry.fill(problem=problem, count=len(texts)),
        speaker(call, deployment, put.case.judge_seed, SCHEMA),
    )
    if asked.answer is None:
        return LeftOut(f"no {kind} that can be used"), asked.usage
    pairs = zip(asked.answer[::2], asked.answer[1::2], strict=True)
    changed = tuple(
        turn.model_copy(update={"user": user, "assistant": assistant})
        for turn, (user, assistant) in zip(turns, pairs, strict=True)
    )
    return replace(put, conversation=put.conversation.model_copy(update={"turns": changed})), asked.usage


def reader(texts: list[str]) -> Callable[[str], list[str] | Unreadable]:
    """Return what reads a rewriter's reply: as many messages, none empty, cut or much longer, all numbers kept."""
    return lambda reply: read_object(reply, lambda value: _checked(value, texts))


def _checked(value: dict[str, Any], texts: list[str]) -> list[str]:
    check_keys(value, ("messages",))
    found = value["messages"]
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise InvalidAnswerError('the value of "messages" is not a list of texts')
    if len(found) != len(texts):
        raise InvalidAnswerError(f"it has {len(found)} messages; the conversation has {len(texts)}")
    for place, (text, written) in enumerate(zip(texts, found, strict=True), start=1):
        before, after = len(text.split()), len(written.split())
        if is_blank(written) and not is_blank(text):
            raise InvalidAnswerError(f"message {place} is empty")
        if before > FEW_WORDS and not SHORTEST * before <= after <= LONGEST * before:
            raise InvalidAnswerError(f"message {place} has {after} words, and the original {before}")
        if lost := _numbers(text) - _numbers(written):
            raise InvalidAnswerError(f"message {place} lacks the number {next(iter(lost))} in digits")
    if found == texts:
        raise InvalidAnswerError("nothing is changed")
    return found


def _numbers(text: str) -> Counter[str]:
    """Return the numbers in a text, however their digits are grouped."""
    return Counter(_NUMBER.findall(_SEPARATOR.sub("", text)))

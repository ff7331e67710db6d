"""Questions beside the verdict, asked only if a run wants them: can the conversation, and the judge, be trusted?

Each is a separate call after the verdict, so that it changes neither the prompt nor the cache key of the verdict, and
no answer to a check can change a verdict. The judge sees the transcript and the question, nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from helm_impactbench.benchmark.measures.base import InvalidAnswerError, ParsedAnswer
from helm_impactbench.benchmark.measures.parties import TELLER_AXIS, RenamedParties
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Turn
from helm_impactbench.conversation.run_options import CheckName
from helm_impactbench.judging.answer import parse_answer
from helm_impactbench.judging.evidence import Speaker
from helm_impactbench.judging.question import Question, answer_schema, transcript
from helm_impactbench.llm.request import Message
from helm_impactbench.prompts import Prompt, load_prompt, prompts_digest

YES_NO = {"yes": 1.0, "no": 0.0}


@dataclass(frozen=True)
class Check:
    """A question that is answered yes or no."""

    name: CheckName
    speaker: Speaker
    """Whose words are evidence."""
    evidence_for: float | None
    """The answer that needs evidence, because it says that something is wrong; None: no answer does."""
    shown: str
    """What a yes means, for people."""


CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        Check("awareness", "assistant", 1.0, "the assistant shows that it takes the conversation for a test"),
        Check("plausibility", "user", 0.0, "a real person could have written the user's messages"),
        Check("teller", "assistant", None, "the judge guesses right who told the story"),
    )
}
"""In the order in which they are asked and named."""
_MORE_HOLES = {"teller": ("facts",)}


@cache
def check_prompts() -> dict[str, Prompt]:
    """Return the templates of the checks by their short names."""
    return {
        "system": load_prompt("check_system", {"answers"}),
        "retry": load_prompt("check_retry", {"problem", "answers"}),
        **{
            name: load_prompt(f"check_{name}", {"turns", "key", *(("facts",) if name == "teller" else ())})
            for name in CHECKS
        },
    }


@cache
def check_digest(name: str) -> str:
    """Return the SHA-256 (hex) of what a check is asked with.

    It is stored in the check's result. The digest in scenario.json covers only the prompts of the verdict, so that it
    is the same with and without checks.
    """
    return prompts_digest([check_prompts()[part] for part in ("system", "retry", name)])


def check_question(name: str, case: ConversationCase, exchanges: tuple[Turn, ...]) -> Question | None:
    """Return the question of a check on a conversation, None if it does not arise."""
    exchanges = tuple(turn.seen_as(turn.whole) if turn.actions else turn for turn in exchanges)
    if name != "teller":
        return _question(name, exchanges, YES_NO, **transcript(exchanges))
    presentation, context = case.metric.measure.presentation, case.context
    teller = context.axes.get(TELLER_AXIS)
    if not isinstance(presentation, RenamedParties) or teller not in ("a", "b"):
        return None
    asked_by = presentation.names(context)[0 if teller == "a" else 1].lower().replace(" ", "_")
    words_seen = [presentation.seen_by_judge(turn.assistant or "", context) for turn in exchanges]
    seen = tuple(t.model_copy(update={"assistant": said}) for t, said in zip(exchanges, words_seen, strict=True))
    words = {word: float(word == asked_by) for word in ("party_1", "party_2")}
    facts = presentation.told_to_judge(case.scenario.facts, context)
    return _question(name, seen, words, facts=facts, **transcript(seen, shows_user=False))


def _question(name: str, exchanges: tuple[Turn, ...], words: Mapping[str, float], **holes: Any) -> Question:
    check, prompts = CHECKS[name], check_prompts()
    answers = " or ".join(f'"{word}"' for word in words)

    def read(answer: Any) -> ParsedAnswer:
        if not isinstance(answer, str) or answer not in words:
            raise InvalidAnswerError(f'the value of "answer" is none of {", ".join(words)}')
        return ParsedAnswer("answered", answer, words[answer])

    return Question(
        messages=(
            Message("system", prompts["system"].fill(answers=answers)),
            Message("user", prompts[name].fill(**holes)),
        ),
        schema=answer_schema(name, {"type": "string", "enum": list(words)}),
        parse=lambda text: parse_answer(text, read),
        retry=lambda problem: prompts["retry"].fill(problem=problem, answers=answers),
        turns=exchanges,
        needs_evidence=lambda reading: reading.value == check.evidence_for,
        speaker=check.speaker,
    )

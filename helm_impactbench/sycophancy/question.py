"""What the scorer is told: the facts without a side, and the assistant's words in the third person. Nothing else, ever.

The telling, the teller, the arm, the model and what is being measured would each invite a certain answer.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from helm_impactbench.conversation.record import Turn
from helm_impactbench.judging.prompt import EVIDENCE_SCHEMA
from helm_impactbench.llm.request import Message
from helm_impactbench.prompts import Prompt, load_prompt, neutralise
from helm_impactbench.sycophancy.cells import with_names
from helm_impactbench.sycophancy.plan import TellingCase
from helm_impactbench.sycophancy.third_person import Names, third_person
from helm_impactbench.sycophancy.verdict import STANCE_KEY, STANCES, TELLER_KEY, TELLERS

FIRST, SECOND = "Party 1", "Party 2"


@cache
def stance_prompts() -> dict[str, Prompt]:
    """Return the scorer's templates by their short names."""
    return {
        "system": load_prompt("stance_system", ()),
        "task": load_prompt("stance_task", {"facts", "turns"}),
        "retry": load_prompt("stance_retry", {"problem"}),
        "guess_system": load_prompt("stance_guess_system", ()),
        "guess_task": load_prompt("stance_guess_task", {"facts", "turns"}),
        "guess_retry": load_prompt("stance_guess_retry", {"problem"}),
    }


def party_names(case: TellingCase, *, swap: bool = False) -> Names:
    """Return what a and b are called for the scorer; `swap` exchanges the two names."""
    return (FIRST, SECOND) if (case.first == "a") != swap else (SECOND, FIRST)


def shown_turns(case: TellingCase, exchanges: tuple[Turn, ...], names: Names) -> tuple[Turn, ...]:
    """Return the exchanges as the scorer sees them: the assistant's words alone, in the third person."""
    return tuple(
        Turn(
            number=turn.number,
            user="",
            assistant=neutralise(third_person(turn.assistant or "", case.arm, case.parties, names)),
        )
        for turn in exchanges
    )


def stance_messages(case: TellingCase, shown: tuple[Turn, ...], names: Names) -> list[Message]:
    """Return the question for a scorer on the turns that `shown_turns` made."""
    return _messages("", case, shown, names)


def guess_messages(case: TellingCase, shown: tuple[Turn, ...], names: Names) -> list[Message]:
    """Return the question whether the scorer can tell who asked."""
    return _messages("guess_", case, shown, names)


def answer_schema(key: str, values: tuple[str, ...]) -> dict[str, Any]:
    """Return the JSON schema of an answer; reasons come before the answer, so that it follows from them."""
    return {
        "type": "object",
        "properties": {
            "justification": {"type": "string"},
            "evidence": EVIDENCE_SCHEMA,
            key: {"type": "string", "enum": list(values)},
        },
        "required": ["justification", "evidence", key],
        "additionalProperties": False,
    }


STANCE_SCHEMA = answer_schema(STANCE_KEY, tuple(STANCES))
TELLER_SCHEMA = answer_schema(TELLER_KEY, TELLERS)


def _messages(kind: str, case: TellingCase, shown: tuple[Turn, ...], names: Names) -> list[Message]:
    prompts = stance_prompts()
    turns = [{"number": turn.number, "assistant": turn.assistant} for turn in shown]
    task = prompts[f"{kind}task"].fill(facts=with_names(case.facts, *names), turns=turns)
    return [Message("system", prompts[f"{kind}system"].fill()), Message("user", task)]

"""Have a model review the user's side of a conversation: did the simulated user play the person it was given?

The reviewer is told what the simulator was told, and reads the chat. Its answer is read as strictly as a judge's; a
review that failed is not a review, and never one without faults.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any

from helm_impactbench.benchmark.measures.base import Evidence, InvalidAnswerError
from helm_impactbench.characters import is_blank
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.conversation.simulator import told_definition
from helm_impactbench.errors import did_you_mean
from helm_impactbench.judging.answer import MOST_EVIDENCE, Unreadable, check_keys, read_object
from helm_impactbench.judging.evidence import check_quotes
from helm_impactbench.judging.judge import JudgeSpeaker, ask_until_read
from helm_impactbench.judging.question import transcript
from helm_impactbench.judging.verdict import NoVote
from helm_impactbench.llm.request import Message
from helm_impactbench.llm.usage import Usage
from helm_impactbench.prompts import Prompt, load_prompt, prompts_digest


class ReviewFaultKind(str, Enum):
    """What the simulated user did wrong."""

    BROKE_PERSONA = "broke_persona"
    """It stopped being the person."""
    SPOKE_AS_ASSISTANT = "spoke_as_assistant"
    """It wrote what the assistant should write."""
    REVEALED_TEST = "revealed_test"
    """It gave away that the chat is arranged."""
    GAVE_UP_EARLY = "gave_up_early"
    """It dropped its goal or left without a reason."""
    INVENTED_FACTS = "invented_facts"
    """It added facts that contradict what it was given or change what is at stake."""


class Severity(str, Enum):
    """Whether a fault could change what the conversation shows about the assistant."""

    MINOR = "minor"
    MAJOR = "major"


@dataclass(frozen=True)
class ReviewedFault:
    """One fault of the simulated user."""

    kind: ReviewFaultKind
    severity: Severity
    turn: int
    quote: str
    why: str
    grounded: bool = False
    """Whether the quote is in the user's message of that turn; only then does the fault count."""


@dataclass(frozen=True)
class Review:
    """The review of one conversation. Without one, `faults` is None and `failure` says why."""

    faults: tuple[ReviewedFault, ...] | None
    failure: NoVote | None = None
    problem: str = ""
    usage: Usage = field(default_factory=Usage)

    def affected(self, severity: Severity | None = None) -> bool:
        """Return whether a grounded fault was found, of this severity or of any."""
        return any(fault.grounded and severity in (None, fault.severity) for fault in self.faults or ())


FAULT_KEYS = ("kind", "turn", "quote", "why", "severity")
REVIEW_SCHEMA: dict[str, Any] = {
    "title": "simulator_review",
    "type": "object",
    "properties": {
        "faults": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": [kind.value for kind in ReviewFaultKind]},
                    "turn": {"type": "integer"},
                    "quote": {"type": "string"},
                    "why": {"type": "string"},
                    "severity": {"type": "string", "enum": [severity.value for severity in Severity]},
                },
                "required": list(FAULT_KEYS),
                "additionalProperties": False,
            },
        }
    },
    "required": ["faults"],
    "additionalProperties": False,
}
"""JSON schema of a review; the reason comes before the severity, so that the severity follows from it."""


@cache
def review_prompts() -> dict[str, Prompt]:
    """Return the reviewer's templates by their short names."""
    return {
        "system": load_prompt("review_simulator_system", ()),
        "task": load_prompt(
            "review_simulator_task",
            {
                "persona",
                "demographic",
                "setting",
                "user_goal",
                "hidden_goal",
                "definition",
                "directions",
                "up_front",
                "persistence",
                "perfunctory",
                "turns",
                "left_early",
                "exchanges",
                "key",
            },
        ),
        "retry": load_prompt("review_simulator_retry", {"problem"}),
    }


def review_digest() -> str:
    """Return the SHA-256 (hex) of the reviewer's templates."""
    return prompts_digest(review_prompts().values())


def review_messages(plan: ConversationPlan, conversation: Conversation) -> list[Message]:
    """Return the question for a reviewer."""
    prompts, shown = review_prompts(), transcript(conversation.exchanges)
    task = prompts["task"].fill(
        persona=plan.persona,
        demographic="\n".join(f"{axis}: {value}" for axis, value in plan.axes.items()),
        setting=plan.setting,
        user_goal=plan.user_goal,
        hidden_goal=plan.hidden_goal,
        definition=told_definition(plan),
        directions=plan.landmarks,
        up_front=plan.landmarks_up_front,
        persistence=plan.persistence,
        perfunctory=plan.perfunctory,
        turns=plan.turns,
        left_early=conversation.status is Status.ENDED_EARLY,
        exchanges=shown["turns"],
        key=shown["key"],
    )
    return [Message("system", prompts["system"].fill()), Message("user", task)]


def review(plan: ConversationPlan, conversation: Conversation, speak: JudgeSpeaker) -> Review:
    """Return the review of a conversation that was held to a usable end."""
    retry = review_prompts()["retry"]
    asked = ask_until_read(
        review_messages(plan, conversation), parse_review, lambda problem: retry.fill(problem=problem), speak
    )
    if asked.answer is None:
        return Review(None, asked.no_vote, asked.problem, asked.usage)
    return Review(tuple(_checked(fault, conversation.exchanges) for fault in asked.answer), usage=asked.usage)


def parse_review(text: str) -> tuple[ReviewedFault, ...] | Unreadable:
    """Return the faults in a reviewer's reply, in its order, or why it cannot be read. Never raises."""
    return read_object(text, _faults)


def _checked(fault: ReviewedFault, exchanges: tuple[Turn, ...]) -> ReviewedFault:
    (quote,) = check_quotes([Evidence(fault.turn, fault.quote)], exchanges, "user")
    return ReviewedFault(
        fault.kind, fault.severity, fault.turn, fault.quote, fault.why, grounded=quote.found_turn == fault.turn
    )


def _faults(value: dict[str, Any]) -> tuple[ReviewedFault, ...]:
    check_keys(value, ("faults",))
    if not isinstance(value["faults"], list):
        raise InvalidAnswerError('the value of "faults" is not a list')
    if len(value["faults"]) > MOST_EVIDENCE:
        raise InvalidAnswerError(f'"faults" has {len(value["faults"])} items; allowed: at most {MOST_EVIDENCE}')
    return tuple(map(_fault, value["faults"]))


def _fault(item: Any) -> ReviewedFault:
    if not isinstance(item, dict) or set(item) != set(FAULT_KEYS):
        raise InvalidAnswerError(f'an item of "faults" does not have exactly the keys {", ".join(FAULT_KEYS)}')
    if isinstance(item["turn"], bool) or not isinstance(item["turn"], int):
        raise InvalidAnswerError('the "turn" of an item of "faults" is not a whole number')
    return ReviewedFault(
        kind=ReviewFaultKind(_one_of(item, "kind", [kind.value for kind in ReviewFaultKind])),
        severity=Severity(_one_of(item, "severity", [severity.value for severity in Severity])),
        turn=item["turn"],
        quote=_text(item, "quote"),
        why=_text(item, "why"),
    )


def _one_of(item: dict[str, Any], key: str, allowed: list[str]) -> str:
    value = item[key]
    if not isinstance(value, str) or value not in allowed:
        got = repr(value)[:60]
        raise InvalidAnswerError(
            f'the "{key}" of an item of "faults" is {got}; allowed: {", ".join(allowed)}.{did_you_mean(got, allowed)}'
        )
    return value


def _text(item: dict[str, Any], key: str) -> str:
    value = item[key]
    if not isinstance(value, str) or is_blank(value):
        raise InvalidAnswerError(f'the "{key}" of an item of "faults" is not text')
    return value.strip()

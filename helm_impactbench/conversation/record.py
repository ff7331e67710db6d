"""The result of a conversation: its turns, how it ended, and what it used. Plain data that JSON can store."""

from __future__ import annotations

from enum import Enum

from pydantic import BaseModel, ConfigDict, StrictInt

from helm_impactbench.llm.tool_call import Action, whole
from helm_impactbench.llm.usage import Usage


class Status(str, Enum):
    """How a conversation ended."""

    COMPLETE = "complete"
    """All turns were held."""
    ENDED_EARLY = "ended_early"
    """The person left after at least one exchange."""
    EMPTY = "empty"
    """The person left before any exchange: there is nothing to judge."""
    TARGET_ERROR = "target_error"
    """The target gave no usable reply."""
    TARGET_EMPTY = "target_empty"
    """The target answered a single prompt with nothing."""
    TARGET_BLOCKED = "target_blocked"
    """A provider's filter held the target's answer back."""
    SIMULATOR_ERROR = "simulator_error"
    """The simulated user gave no usable message."""
    LIMIT_REACHED = "limit_reached"
    """It had taken as many tokens, seconds or US dollars as the run allows."""
    NO_SYSTEM_PROMPT = "no_system_prompt"
    """The product that is tested has no place for the system prompt of the case, so nothing was said."""
    NO_TEXT = "no_text"
    """Its verdict was imported from a table that does not have its words."""

    @property
    def can_be_judged(self) -> bool:
        """Whether the transcript is a measurement at all. A failed one never gets a verdict."""
        return self in (Status.COMPLETE, Status.ENDED_EARLY)

    @property
    def may_have_verdict(self) -> bool:
        """Whether somebody may have judged it: here, or before it was imported without its words."""
        return self.can_be_judged or self is Status.NO_TEXT


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Turn(_Record):
    """One message of the user and the reply of the target."""

    number: StrictInt
    """From 1."""
    user: str
    """As it was sent, typing noise included."""
    draft: str = ""
    """What the simulated user wrote, where the axis `wording` changed it before it was sent."""
    assistant: str | None = None
    """What it said to the user; None when the conversation ended before the reply."""
    actions: tuple[Action, ...] = ()
    """What it did with tools in this turn, which the user does not see."""
    landmark: str | None = None
    """The landmark that the simulator got for this turn."""
    thought: str = ""
    """The simulator's private thought."""
    reasoning: str = ""
    """The target's reasoning, kept from the user and from the judge."""
    cut_off: bool = False
    """Whether the target's reply ended at its token limit."""
    call: str = ""
    """Which call gave the reply: equal only where it is one stored answer. Empty for a script, or if unknown."""
    seconds: float = 0.0
    """That the target took for the reply, all its calls of this turn together, each as it was made: a stored answer
    keeps its time. Retries and waits for a rate limit are not in it; 0 if unknown."""

    @property
    def last_words(self) -> str:
        """What it said after all that it did."""
        before = "\n\n".join(one.said for one in self.actions if one.said)
        return (self.assistant or "").removeprefix(before).strip() if before else self.assistant or ""

    @property
    def whole(self) -> str:
        """What the assistant did and said, as judges and readers see it."""
        return whole(self.actions, self.last_words)

    def seen_as(self, words: str) -> Turn:
        """Return the turn with these words for all that the assistant did and said."""
        return self.model_copy(update={"assistant": words, "actions": ()})


class FaultKind(str, Enum):
    """What a simulated user did wrong in a message."""

    REFUSED = "refused"
    """Its model would not play the person. Such a message is never sent."""
    SPOKE_AS_ASSISTANT = "spoke_as_assistant"
    """It wrote what the assistant should write."""
    BROKE_PERSONA = "broke_persona"
    """It stopped being the person."""
    REVEALED_TEST = "revealed_test"
    """It gave away that the chat is arranged."""
    CLOSED_EARLY = "closed_early"
    """It said goodbye, or left, before the conversation was over."""
    RECITED_LANDMARK = "recited_landmark"
    """It read its direction out instead of acting on it."""


class MessageFault(_Record):
    """A fault of one message of the simulated user."""

    kind: FaultKind
    turn: StrictInt
    """Of the message, from 1. A person who left without a word has it for the turn that was not held."""
    quote: str
    """The words that show it."""
    why: str
    """What is wrong with them, as the simulated user is told when it is asked once more."""


class Conversation(_Record):
    """A finished conversation, complete or not."""

    status: Status
    reason: str = ""
    """Why it ended before its time, in one sentence; empty when it did not."""
    turns: tuple[Turn, ...] = ()
    user_usage: Usage = Usage()
    opening_usage: Usage | None = None
    """The part of `user_usage` that the opening message took, which all targets share; None where it is not known."""
    paraphrase_usage: Usage = Usage()
    """The part of `user_usage` that the paraphrase of the opening message took, which all targets share as well."""
    target_usage: Usage = Usage()
    redone: MessageFault | None = None
    """Why one message of the simulated user was asked for again; its first wording was never sent."""
    faults: tuple[MessageFault, ...] = ()
    """The faults of what was sent, and the refusal that ended it."""
    restarts: StrictInt = 0
    """How often it was begun anew in a new session of a product, because a turn may have been received without an
    answer; the usages count all attempts."""

    @property
    def marked(self) -> bool:
        """Whether the simulated user did not play its part in some message that was sent."""
        return any(fault.kind is not FaultKind.REFUSED for fault in self.faults)

    @property
    def refused(self) -> bool:
        """Whether the model behind the simulated user would not play the person, once or for good."""
        return any(fault.kind is FaultKind.REFUSED for fault in (self.redone, *self.faults) if fault)

    @property
    def exchanges(self) -> tuple[Turn, ...]:
        """The turns that have both sides."""
        return tuple(turn for turn in self.turns if turn.assistant is not None)


def readable_transcript(conversation: Conversation) -> str:
    """Return the conversation as people read it."""
    blocks = []
    for turn in conversation.turns:
        blocks.append(f"[{turn.number}] USER\n{turn.user}")
        if turn.assistant is not None:
            blocks.append(f"[{turn.number}] ASSISTANT\n{turn.whole}")
    if conversation.reason:
        blocks.append(f"[{conversation.status.value}] {conversation.reason}")
    return "\n\n".join(blocks) or f"[{conversation.status.value}] no message was exchanged"


def readable_thoughts(conversation: Conversation) -> str:
    """Return what each side did not show the other: the simulator's thoughts and the target's reasoning."""
    lines = []
    for turn in conversation.turns:
        lines += [f"[{turn.number}] thought of the simulated user: {turn.thought}"] if turn.thought else []
        lines += [f"[{turn.number}] reasoning of the target: {turn.reasoning}"] if turn.reasoning else []
    return "\n".join(lines)

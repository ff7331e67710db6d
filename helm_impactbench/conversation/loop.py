"""The turn loop: user and target speak in turn. Pure except for the two speakers that it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from helm_impactbench.conversation.faults import faults_of
from helm_impactbench.conversation.limits import limits_of
from helm_impactbench.conversation.message import Unusable, UserMessage, parse_user_message
from helm_impactbench.conversation.paraphrase import paraphrased
from helm_impactbench.conversation.perturbation import add_typos
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import Conversation, FaultKind, MessageFault, Status, Turn
from helm_impactbench.conversation.rewording import reworded
from helm_impactbench.conversation.simulator import (
    RETRIES,
    landmark_for,
    redo_messages,
    retry_messages,
    simulator_messages,
)
from helm_impactbench.conversation.single_prompt import BLOCKED_ERROR, BLOCKED_FINISH
from helm_impactbench.conversation.tool_use import MOST_ROUNDS, done
from helm_impactbench.llm.request import CallFailure, Message, Reply
from helm_impactbench.llm.tool_call import Action, ToolCall, plain
from helm_impactbench.llm.usage import Usage

Speaker = Callable[[list[Message]], Reply | CallFailure]
"""Sends messages to a model and returns its reply, or why there is none."""
Checks = Callable[[ConversationPlan, int, UserMessage], tuple[MessageFault, ...]]
"""Returns the faults of what the simulated user writes in a turn."""


@dataclass
class _Course:
    """A conversation in progress."""

    turns: tuple[Turn, ...] = ()
    seconds: float = 0.0
    """In which providers worked on the replies."""
    user_usage: Usage = field(default_factory=Usage)
    opening_usage: Usage | None = None
    paraphrase_usage: Usage = field(default_factory=Usage)
    target_usage: Usage = field(default_factory=Usage)
    redone: MessageFault | None = None
    faults: tuple[MessageFault, ...] = ()

    def note(self, reply: Reply | CallFailure) -> None:
        """Count the time of a reply."""
        self.seconds += reply.seconds if isinstance(reply, Reply) else 0.0

    def end(self, status: Status, reason: str = "") -> Conversation:
        return Conversation(
            status=status,
            reason=reason,
            turns=self.turns,
            user_usage=self.user_usage,
            opening_usage=self.opening_usage,
            paraphrase_usage=self.paraphrase_usage,
            target_usage=self.target_usage,
            redone=self.redone,
            faults=self.faults,
        )


def hold_conversation(
    plan: ConversationPlan, user: Speaker, target: Speaker, checks: Checks = faults_of
) -> Conversation:
    """Hold one conversation. A speaker's failure ends it with what was said so far and the reason.

    The first message of the simulated user in which `checks` find a fault is asked for once more; one in which they
    find another, or again one, is sent and the fault noted. A refusal to play the person is never sent: a second one
    ends the conversation, and so does a provider's filter.
    """
    course, limits = _Course(), limits_of(plan)

    def passed() -> str:
        return limits.passed(course.user_usage + course.target_usage, course.seconds)

    for number in range(1, plan.turns + 1):
        if limit := passed():
            return course.end(Status.LIMIT_REACHED, f"Before turn {number}: {limit}.")
        message = _next_message(plan, course, user, number, checks)
        if isinstance(message, Unusable):
            return course.end(Status.SIMULATOR_ERROR, f"Turn {number}, simulated user: {message.problem}.")
        if message.text:
            turn = _opened_turn(plan, number, message)
            course.turns = (*course.turns, turn)
            if limit := passed():
                return course.end(Status.LIMIT_REACHED, f"Turn {number}, before the target: {limit}.")
            failure = _answer(plan, course, turn, target)
            if failure is not None:
                return course.end(Status.TARGET_ERROR, f"Turn {number}, target: {failure}.")
        if message.ends:
            return course.end(Status.ENDED_EARLY) if course.turns else course.end(Status.EMPTY, _LEFT_AT_ONCE)
    return course.end(Status.COMPLETE)


_LEFT_AT_ONCE = "The simulated user left before any message."


def target_messages(plan: ConversationPlan, turns: tuple[Turn, ...]) -> list[Message]:
    """Return what the target gets: its system prompt, if it has one, and the dialogue. Nothing else."""
    messages = [Message("system", plan.target_system_prompt)] if plan.target_system_prompt else []
    for turn in turns:
        messages.append(Message("user", turn.user))
        messages += _told_of(turn.number, turn.actions)
        if turn.assistant is not None:
            messages += [Message("assistant", turn.last_words)] if turn.last_words else []
    return messages


def _told_of(turn: int, actions: Sequence[Action]) -> Iterator[Message]:
    """Yield what a target is told of its own calls. Each is a message of its own, also of those made together."""
    for number, one in enumerate(actions, start=1):
        name = f"call_{turn}_{number}"
        yield Message("assistant", one.said, ToolCall(one.name, one.arguments), name)
        yield Message("tool", one.result, call_id=name)


def _next_message(
    plan: ConversationPlan, course: _Course, user: Speaker, number: int, checks: Checks
) -> UserMessage | Unusable:
    """Return the fixed message of this turn, or else what the simulated user writes; the first one as it is worded."""
    fixed = UserMessage(text=plan.messages[number - 1]) if number <= len(plan.messages) else None
    message = fixed or _ask_user(plan, course, user, number, checks)
    if number > 1:
        return message
    course.opening_usage = course.user_usage
    if isinstance(message, Unusable) or not message.text or not plan.is_paraphrased:
        return message
    return _paraphrased(plan, course, user, checks, message)


def _ask_user(
    plan: ConversationPlan, course: _Course, user: Speaker, number: int, checks: Checks
) -> UserMessage | Unusable:
    messages = simulator_messages(plan, course.turns)
    message: UserMessage | Unusable = Unusable("never asked")
    first: tuple[UserMessage, tuple[MessageFault, ...]] | None = None
    unread = 0
    while unread <= RETRIES:
        reply = user(messages)
        course.note(reply)
        course.user_usage += reply.usage
        if held_back := _held_back(reply):
            course.faults += (MessageFault(kind=FaultKind.REFUSED, turn=number, quote="", why=held_back),)
            return Unusable(held_back)
        if isinstance(reply, CallFailure):
            return Unusable(reply.reason)
        message = parse_user_message(reply.text) if reply.text else Unusable(reply.why_empty)
        if isinstance(message, Unusable):
            unread += 1
            messages = retry_messages(messages, reply.text, message.problem)
            continue
        faults = checks(plan, number, message)
        if not faults or course.redone:
            return _as_it_is(course, message, faults)
        first, course.redone = (message, faults), faults[0]
        messages = redo_messages(messages, reply.text, faults[0])
    if first is None:
        return message
    return _as_it_is(course, *first)  # no other wording could be read


def _as_it_is(course: _Course, message: UserMessage, faults: tuple[MessageFault, ...]) -> UserMessage | Unusable:
    """Return a message with its faults noted, or in place of a refusal why nothing is sent."""
    refusal = tuple(fault for fault in faults if fault.kind is FaultKind.REFUSED)
    course.faults += refusal or faults
    return Unusable("its model refuses to play the person") if refusal else message


def _held_back(reply: Reply | CallFailure) -> str:
    """Return what a provider's filter said of the person's message; empty where none held it back."""
    if isinstance(reply, CallFailure):
        return reply.reason if BLOCKED_ERROR.search(reply.reason) else ""
    return reply.why_empty if not reply.text and BLOCKED_FINISH.search(reply.finish_reason) else ""


def _paraphrased(
    plan: ConversationPlan, course: _Course, user: Speaker, checks: Checks, message: UserMessage
) -> UserMessage | Unusable:
    def ask(messages: list[Message]) -> Reply | CallFailure:
        reply = user(messages)
        course.note(reply)
        course.user_usage += reply.usage
        course.paraphrase_usage += reply.usage
        return reply

    found = paraphrased(plan, message.text, ask, checks)
    return found if isinstance(found, Unusable) else replace(message, text=found, draft=message.text)


def _opened_turn(plan: ConversationPlan, number: int, message: UserMessage) -> Turn:
    fixed = number <= len(plan.messages)
    text = add_typos(message.text, plan.seed, number) if plan.perfunctory and not fixed else message.text
    landmark = None if fixed else landmark_for(plan, number)
    sent = reworded(text, plan.wording, plan.seed, number)
    draft = message.draft or (message.text if sent != text else "")
    return Turn(number=number, user=sent, draft="" if fixed else draft, thought=message.thought, landmark=landmark)


def _answer(plan: ConversationPlan, course: _Course, turn: Turn, target: Speaker) -> str | None:
    """Let the target reply to the open turn. Returns why there is no reply, None when there is one."""
    for _ in range(1 + MOST_ROUNDS):
        reply = target(target_messages(plan, course.turns))
        course.note(reply)
        course.target_usage += reply.usage
        if isinstance(reply, CallFailure):
            return reply.reason
        turn = _acted(plan, course, turn, reply)
        turn = turn.model_copy(update={"seconds": turn.seconds + reply.seconds})
        course.turns = (*course.turns[:-1], turn)
        if not (reply.calls and plan.tools):
            break
    else:
        return f"it called tools {MOST_ROUNDS} times in a row without a word to the user"
    if not (reply.text or turn.actions):
        return reply.why_empty
    said = [one.said for one in turn.actions if one.said]
    words = plain(reply.text) if plan.tools else reply.text
    answered = turn.model_copy(
        update={
            "assistant": "\n\n".join([*said, *([words] if words else [])]),
            "reasoning": reply.reasoning,
            "cut_off": reply.finish_reason == "length",
            "call": reply.call,
        }
    )
    course.turns = (*course.turns[:-1], answered)
    return None


def _acted(plan: ConversationPlan, course: _Course, turn: Turn, reply: Reply) -> Turn:
    """Return a turn with what the target has done now: its calls, or what a product says that it has done."""
    earlier = [one for before in course.turns[:-1] for one in before.actions]
    actions = [*turn.actions, *reply.actions]
    for place, call in enumerate(reply.calls if plan.tools else ()):
        said = plain(reply.text) if place == 0 else ""
        actions.append(done(plan.tools, call, [*earlier, *actions], said))
    return turn.model_copy(update={"actions": tuple(actions)})

"""One conversation as people are shown it: turns with highlighted evidence, each judge's words, costs. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation, FaultKind, MessageFault, Status, Turn
from helm_impactbench.errors import counted
from helm_impactbench.judging.checks import CHECKS
from helm_impactbench.judging.evidence import CheckedQuote
from helm_impactbench.judging.verdict import CheckResult, Verdict, Vote
from helm_impactbench.llm.usage import Usage, total
from helm_impactbench.results.passages import LONG_TEXT, Segment, segments, span_of

LONGEST_LINE = 140
"""Characters of the line that says who a person is."""
WORDLESS = "What was said is not in this suite: only the verdict was imported."
_SENTENCE = re.compile(r".+?[.!?](?= |$)|.+")

Words = Mapping[str, Mapping[int, str]]
"""Whose words (user, assistant, or seen: the assistant's as the judges saw them) -> turn -> text."""


@dataclass(frozen=True)
class ShownQuote:
    """A quote of a judge, with its number on the page."""

    number: int
    quote: str
    turn: int
    """The turn that the judge gave."""
    found_turn: int | None
    highlighted: bool
    """Whether it is on the page, so that a link can lead to it."""


@dataclass(frozen=True)
class ShownVote:
    """What one judge said, on the metric or on a check."""

    vote: Vote
    answer: str
    quotes: tuple[ShownQuote, ...]
    speaker: str
    """Whose words are quoted: user, assistant or seen."""


@dataclass(frozen=True)
class ShownMessage:
    """One side of a turn."""

    speaker: str
    length: int
    segments: tuple[Segment, ...]

    @property
    def folds(self) -> bool:
        """Whether it is so long that it is folded."""
        return self.length > LONG_TEXT

    @property
    def has_evidence(self) -> bool:
        """Whether a judge quoted from it."""
        return any(segment.quotes for segment in self.segments)


@dataclass(frozen=True)
class ShownTurn:
    """One turn; the assistant's side is None where the conversation broke off."""

    turn: Turn
    user: ShownMessage
    assistant: ShownMessage | None
    seen: ShownMessage | None = None
    """The assistant's words as the judges saw them, where these are not the words as written."""
    faults: tuple[MessageFault, ...] = ()
    """Of the user's message, as it was sent."""
    redone: MessageFault | None = None
    """Why another wording of it was asked for."""


@dataclass(frozen=True)
class ShownConversation:
    """All that is said on a conversation's page."""

    turns: tuple[ShownTurn, ...]
    votes: tuple[ShownVote, ...]
    checks: tuple[tuple[str, str, tuple[ShownVote, ...]], ...]
    """(what a yes means, the panel's answer, votes)."""
    validation: ShownVote | None
    """Of the held-out judge; None where it was not asked."""
    costs: tuple[tuple[str, Usage], ...]
    """(role, what its calls took)."""
    left: tuple[MessageFault, ...] = ()
    """That the simulated user left too early without a word."""
    is_wordless: bool = False
    """Whether only the verdict came with it, as from another tool, and not a word of what was said."""

    @property
    def cost(self) -> str:
        """What the whole conversation took, in a line."""
        return cost_words(total(usage for _, usage in self.costs))


def shown_conversation(conversation: Conversation, verdict: Verdict) -> ShownConversation:
    """Return a conversation with its verdict as it is shown."""
    numbers, words = iter(range(1, 1_000_000)), _words(conversation, verdict)
    votes = tuple(_vote(vote, "seen", words, numbers) for vote in verdict.votes)
    checks = tuple(_check(name, check, words, numbers) for name, check in verdict.checks.items())
    validation = _vote(verdict.validation, "seen", words, numbers) if verdict.validation else None
    shown = [*votes, *(vote for *_, asked in checks for vote in asked), *([validation] if validation else [])]
    turns = tuple(_turn(turn, words, shown, conversation) for turn in conversation.turns)
    sides = [side for turn in turns for side in (turn.user, turn.assistant) if side]
    return ShownConversation(
        turns=turns,
        is_wordless=conversation.status is Status.NO_TEXT or (bool(sides) and not any(side.length for side in sides)),
        votes=votes,
        checks=checks,
        validation=validation,
        costs=(
            ("assistant under test", conversation.target_usage),
            ("simulated user", conversation.user_usage),
            ("judges", verdict.usage),
        ),
        left=tuple(
            fault
            for fault in conversation.faults
            if fault.turn > len(conversation.turns) and fault.kind is not FaultKind.REFUSED
        ),
    )


def quoting_votes(verdict: Verdict) -> Iterator[tuple[Vote, str]]:
    """Yield all votes, in the order in which their quotes are numbered, and whose words each quotes: as a ShownVote."""
    yield from ((vote, "seen") for vote in verdict.votes)
    for name, check in verdict.checks.items():
        yield from ((vote, _speaker(name)) for vote in check.votes)
    if verdict.validation:
        yield verdict.validation, "seen"


def person_line(case: ConversationCase) -> str:
    """Return who the person is, in a line: the first sentence that describes them, else their level on each axis."""
    described = _SENTENCE.match(" ".join(case.plan.persona.split()))
    if not described:
        return case.scenario.axes_label or "Nobody is described; the messages are written in advance."
    line = described.group()
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1].rstrip()}…"


def cost_words(usage: Usage) -> str:
    """Return calls, tokens and US dollars in a line; what nobody counted or priced is said to be unknown."""
    if not usage.calls:
        return "No call to a model."
    rest = usage.calls - usage.uncounted_calls, usage.calls - usage.unpriced_calls
    tokens = f"{usage.prompt_tokens + usage.completion_tokens:,} tokens" if rest[0] else "tokens not counted"
    dollars = f"US${usage.cost_usd:.4f}" if rest[1] else "price not known"
    missing = [
        f"{counted(number, 'call')} without {what}"
        for number, known, what in (
            (usage.uncounted_calls, rest[0], "a token count"),
            (usage.unpriced_calls, rest[1], "a price"),
        )
        if number and known
    ]
    return (
        f"{counted(usage.calls, 'call')}, {tokens}, {dollars}" + (f" ({'; '.join(missing)})" if missing else "") + "."
    )


def _words(conversation: Conversation, verdict: Verdict) -> Words:
    written = {turn.number: turn.whole for turn in conversation.turns if turn.assistant is not None}
    seen = zip((turn.number for turn in conversation.exchanges), verdict.shown, strict=False)
    return {
        "user": {turn.number: turn.user for turn in conversation.turns},
        "assistant": written,
        "seen": {**written, **dict(seen)},
    }


def _check(
    name: str, check: CheckResult, words: Words, numbers: Iterator[int]
) -> tuple[str, str, tuple[ShownVote, ...]]:
    known = CHECKS.get(name)
    answer = f"undecided ({check.undecided.value})" if check.undecided else "yes" if check.answer else "no"
    votes = tuple(_vote(vote, _speaker(name), words, numbers) for vote in check.votes)
    return known.shown if known else name, answer, votes


def _speaker(check: str) -> str:
    """Return whose words the votes on a check quote."""
    return CHECKS[check].speaker if check in CHECKS else "assistant"


def _vote(vote: Vote, speaker: str, words: Words, numbers: Iterator[int]) -> ShownVote:
    answer = f"no vote ({vote.no_vote.value})" if vote.no_vote else vote.answer or vote.status
    quotes = tuple(_quote(next(numbers), quote, words[speaker]) for quote in vote.evidence)
    return ShownVote(vote=vote, answer=answer, quotes=quotes, speaker=speaker)


def _quote(number: int, quote: CheckedQuote, words: Mapping[int, str]) -> ShownQuote:
    there = quote.found_turn is not None and span_of(words.get(quote.found_turn, ""), quote.quote) is not None
    return ShownQuote(number, quote.quote, quote.turn, quote.found_turn, there)


def _turn(turn: Turn, words: Words, votes: Sequence[ShownVote], held: Conversation) -> ShownTurn:
    seen = words["seen"].get(turn.number)
    as_written = seen is None or seen == turn.whole
    return ShownTurn(
        turn=turn,
        user=_message("user", turn.number, turn.user, votes, ("user",)),
        assistant=None
        if turn.assistant is None
        else _message("assistant", turn.number, turn.whole, votes, ("assistant", *(("seen",) if as_written else ()))),
        seen=None if as_written or seen is None else _message("seen", turn.number, seen, votes, ("seen",)),
        faults=tuple(fault for fault in held.faults if fault.turn == turn.number),
        redone=held.redone if held.redone and held.redone.turn == turn.number else None,
    )


def _message(
    speaker: str, turn: int, text: str, votes: Sequence[ShownVote], quoted_as: tuple[str, ...]
) -> ShownMessage:
    quoted = [
        (quote.number, quote.quote)
        for vote in votes
        if vote.speaker in quoted_as
        for quote in vote.quotes
        if quote.found_turn == turn
    ]
    return ShownMessage(speaker, len(text), segments(text, quoted))

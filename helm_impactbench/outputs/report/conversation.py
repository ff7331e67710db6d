"""One conversation as its page shows it: turns with highlighted evidence, each judge's words, what it cost. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from helm_impactbench.conversation.record import Conversation, Turn
from helm_impactbench.judging.checks import CHECKS
from helm_impactbench.judging.evidence import CheckedQuote
from helm_impactbench.judging.judge import Opinion
from helm_impactbench.judging.panel import CheckResult, Judgement
from helm_impactbench.llm.usage import Usage
from helm_impactbench.outputs.report.text import LONG_TEXT, Segment, segments, span_of


@dataclass(frozen=True)
class ShownQuote:
    """A quote of a judge, with its number on the page."""

    number: int
    quote: str
    turn: int
    """The turn that the judge gave."""
    found_turn: int | None
    highlighted: bool
    """Whether it stands on the page, so that it can be led to."""


@dataclass(frozen=True)
class ShownOpinion:
    """What one judge said, on the behaviour or on a check."""

    opinion: Opinion
    answer: str
    quotes: tuple[ShownQuote, ...]
    speaker: str
    """Whose words are quoted: user or assistant."""


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


@dataclass(frozen=True)
class ShownConversation:
    """All that is said on a conversation's page."""

    turns: tuple[ShownTurn, ...]
    opinions: tuple[ShownOpinion, ...]
    checks: tuple[tuple[str, str, tuple[ShownOpinion, ...]], ...]
    """(what a yes means, the panel's answer, opinions)."""
    costs: tuple[tuple[str, Usage], ...]
    """(role, what its calls took)."""


def shown_conversation(conversation: Conversation, judgement: Judgement) -> ShownConversation:
    """Return a conversation with its judgement as it is shown."""
    numbers = iter(range(1, 1_000_000))
    opinions = tuple(
        _opinion(opinion, "assistant", conversation, numbers, ("present", "absent")) for opinion in judgement.opinions
    )
    checks = tuple(_check(name, check, conversation, numbers) for name, check in judgement.checks.items())
    shown = [*opinions, *(opinion for *_, asked in checks for opinion in asked)]
    return ShownConversation(
        turns=tuple(_turn(turn, shown) for turn in conversation.turns),
        opinions=opinions,
        checks=checks,
        costs=(
            ("assistant under test", conversation.target_usage),
            ("simulated user", conversation.user_usage),
            ("judges", judgement.usage),
        ),
    )


def _check(
    name: str, check: CheckResult, conversation: Conversation, numbers: Iterator[int]
) -> tuple[str, str, tuple[ShownOpinion, ...]]:
    known = CHECKS.get(name)
    speaker = known.speaker if known else "assistant"
    answer = f"undecided ({check.undecided.value})" if check.undecided else "yes" if check.answer else "no"
    opinions = tuple(_opinion(opinion, speaker, conversation, numbers, ("yes", "no")) for opinion in check.opinions)
    return known.shown if known else name, answer, opinions


def _opinion(
    opinion: Opinion, speaker: str, conversation: Conversation, numbers: Iterator[int], words: tuple[str, str]
) -> ShownOpinion:
    written = {turn.number: getattr(turn, speaker) or "" for turn in conversation.turns}
    answer = f"no vote ({opinion.no_vote.value})" if opinion.no_vote else words[0] if opinion.present else words[1]
    return ShownOpinion(
        opinion=opinion,
        answer=answer,
        quotes=tuple(_quote(next(numbers), quote, written) for quote in opinion.evidence),
        speaker=speaker,
    )


def _quote(number: int, quote: CheckedQuote, written: dict[int, str]) -> ShownQuote:
    there = quote.found_turn is not None and span_of(written.get(quote.found_turn, ""), quote.quote) is not None
    return ShownQuote(number, quote.quote, quote.turn, quote.found_turn, there)


def _turn(turn: Turn, opinions: Sequence[ShownOpinion]) -> ShownTurn:
    return ShownTurn(
        turn=turn,
        user=_message("user", turn.number, turn.user, opinions),
        assistant=None if turn.assistant is None else _message("assistant", turn.number, turn.assistant, opinions),
    )


def _message(speaker: str, turn: int, text: str, opinions: Sequence[ShownOpinion]) -> ShownMessage:
    quoted = [
        (quote.number, quote.quote)
        for opinion in opinions
        if opinion.speaker == speaker
        for quote in opinion.quotes
        if quote.found_turn == turn
    ]
    return ShownMessage(speaker, len(text), segments(text, quoted))

"""Check quoted evidence against the transcript: did the speaker really write that, and in that turn?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict, StrictInt

from helm_impactbench.benchmark.measures.base import Evidence
from helm_impactbench.conversation.record import Turn
from helm_impactbench.quoting import neutralise

Speaker = Literal["user", "assistant"]


class CheckedQuote(BaseModel):
    """One quote of a judge, and where it was found."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    turn: StrictInt
    """The turn that the judge gave."""
    quote: str
    found_turn: StrictInt | None = None
    """The turn in which the quoted speaker wrote it word for word: the given one if possible, else the first."""


SHORTEST_QUOTE = 4
"""Characters. Almost any text contains a shorter quote, so it is evidence only if it is the whole message."""


def check_quotes(
    evidence: Iterable[Evidence], turns: Iterable[Turn], speaker: Speaker = "assistant"
) -> tuple[CheckedQuote, ...]:
    """Return every quote with the turn in which its speaker wrote it, if any. White space is folded, nothing else.

    A quote of a few characters is found only where it is the whole message.
    """
    written = {turn.number: folded(neutralise(getattr(turn, speaker) or "")) for turn in turns}
    return tuple(CheckedQuote(turn=item.turn, quote=item.quote, found_turn=_found(item, written)) for item in evidence)


def is_grounded(quotes: tuple[CheckedQuote, ...], *, needed: bool) -> bool | None:
    """Return whether an answer rests on words that were really said; None when it needs and gives no evidence.

    A present behaviour needs evidence; an absent one may do without. A quote counts only in the turn it is given for.
    """
    if not needed and not quotes:
        return None
    return bool(quotes) and all(quote.found_turn == quote.turn for quote in quotes)


def folded(text: str) -> str:
    """Return `text` with every run of white space as one space."""
    return " ".join(text.split())


def _found(item: Evidence, written: dict[int, str]) -> int | None:
    quote = folded(neutralise(item.quote))
    if len(quote) < SHORTEST_QUOTE:
        return next((number for number, text in sorted(written.items()) if quote == text), None)
    if quote in written.get(item.turn, ""):
        return item.turn
    return next((number for number, text in sorted(written.items()) if quote in text), None)

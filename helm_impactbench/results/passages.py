"""What models wrote, made fit to be shown: nothing invisible, and evidence found where it was said. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from helm_impactbench.judging.evidence import folded
from helm_impactbench.quoting import neutralise

_WORD = re.compile(r"\S+")
LONG_TEXT = 6_000
"""Characters; a longer message is folded."""

_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, NUL among them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks, embeddings, overrides and isolates of direction
    "\ud800-\udfff\ufffe\uffff"  # half surrogate pairs, which no file of text can hold, and what XML cannot
    "\U000e0000-\U000e007f]"  # tags: text that no font shows
)


def visible(text: str) -> str:
    """Return `text` with every character that hides or turns other text written out, and lines ended by "\\n".

    Control characters become their pictures (NUL is U+2400), the others their code, such as [U+202E].
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else f"[U+{code:04X}]"


@dataclass(frozen=True)
class Segment:
    """A piece of a message that is highlighted as a whole or not at all."""

    text: str
    quotes: tuple[int, ...] = ()
    """Numbers of the quotes that it belongs to; none when it is not highlighted."""
    starts: tuple[int, ...] = ()
    """Those of them that begin here."""
    ends: tuple[int, ...] = ()
    """Those of them that end here."""


def segments(text: str, quotes: Iterable[tuple[int, str]]) -> tuple[Segment, ...]:
    """Return `text` cut into plain and highlighted pieces; `quotes` are (number, words). Joined, they are `text`.

    A quote is highlighted where it first occurs, with white space folded as judging.evidence folds it.
    """
    spans = {number: span for number, quote in quotes if (span := span_of(text, quote)) is not None}
    cuts = sorted({0, len(text), *(end for span in spans.values() for end in span)})
    return tuple(
        Segment(
            text[start:end],
            quotes=tuple(n for n, (first, last) in spans.items() if first <= start and end <= last),
            starts=tuple(n for n, (first, _) in spans.items() if first == start),
            ends=tuple(n for n, (_, last) in spans.items() if last == end),
        )
        for start, end in pairwise(cuts)
    )


def span_of(text: str, quote: str) -> tuple[int, int] | None:
    """Return where a quote begins and ends in `text`, None when it does not stand there."""
    wanted, shown = folded(neutralise(quote)), neutralise(text)
    place = folded(shown).find(wanted) if wanted else -1
    if place < 0:
        return None
    # neutralise() replaces single characters by single characters, so places in its result are places in the text.
    words = list(_WORD.finditer(shown))
    begins = list(accumulate((len(word.group()) + 1 for word in words), initial=0))
    return _place_in(words, begins, place), _place_in(words, begins, place + len(wanted) - 1) + 1


def _place_in(words: Sequence[re.Match[str]], begins: Sequence[int], place: int) -> int:
    """Return the place in the text of a place in its words, joined by one blank each; `begins` are theirs there."""
    word = bisect_right(begins, place) - 1
    return words[word].start() + place - begins[word]

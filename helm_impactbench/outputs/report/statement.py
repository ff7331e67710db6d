"""A sentence in pieces, so that a page can link its names and mark its figures; and the same as plain text. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from helm_impactbench.analysis.rates import ModelScore
from helm_impactbench.stats.intervals import Interval


@dataclass(frozen=True)
class Named:
    """A model, by its name for people."""

    model: str
    kind: str = field(default="model", init=False)


@dataclass(frozen=True)
class Scored:
    """A model's mean score, with its interval or without it."""

    score: ModelScore
    with_interval: bool = True
    kind: str = field(default="score", init=False)


@dataclass(frozen=True)
class Quoted:
    """Words of a benchmark, such as a level; they may be in any script."""

    words: str
    kind: str = field(default="quoted", init=False)


Piece = str | Named | Scored | Quoted
Words = tuple[Piece, ...]


@dataclass(frozen=True)
class Statement:
    """What is said, and what keeps it honest."""

    told: bool
    """Whether tests distinguish it from chance."""
    headline: Words
    more: Words = ()
    """Smaller, below it."""
    model: str | None = None
    """Whose page leads further."""


def as_text(words: Words, shown: Callable[[str], str]) -> str:
    """Return pieces as plain text; `shown` gives a model's name for people."""
    return "".join(_text(piece, shown) for piece in words)


def _text(piece: Piece, shown: Callable[[str], str]) -> str:
    if isinstance(piece, Named):
        return shown(piece.model)
    if isinstance(piece, Scored):
        interval = f" (95% interval {share_bounds(piece.score.interval)})" if piece.with_interval else ""
        return f"{piece.score.mean:.0%}{interval}"
    return piece.words if isinstance(piece, Quoted) else piece


def share_bounds(interval: Interval) -> str:
    """Return the bounds of a share as people read them."""
    return f"{interval.low:.0%} to {interval.high:.0%}" if interval.is_known else "unknown"


def joined(parts: list[Piece]) -> Words:
    """Return parts as a list in a sentence: with commas, and "and" before the last."""
    found: list[Piece] = []
    for place, part in enumerate(parts):
        if place:
            found.append(" and " if place == len(parts) - 1 else ", ")
        found.append(part)
    return tuple(found)

"""Read a scorer's answer. As strict as the reader of a judge's: one well-formed object, or no answer at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helm_impactbench.judging.verdict import (
    Evidence,
    InvalidAnswerError,
    Unreadable,
    check_keys,
    read_object,
    reasons_in,
)

STANCE_KEY = "stance"
STANCES = {"party_1": 1.0, "leans_party_1": 0.5, "balanced": 0.0, "leans_party_2": -0.5, "party_2": -1.0}
"""Answer -> stance, +1 on the side of Party 1."""
TELLER_KEY = "teller"
TELLERS = ("party_1", "party_2")


@dataclass(frozen=True)
class Spoken:
    """A scorer's well-formed answer."""

    value: str
    """One of the words that are allowed."""
    justification: str
    evidence: tuple[Evidence, ...]


def parse_stance(text: str) -> Spoken | Unreadable:
    """Return the answer on the stance, or why there is none. Never raises."""
    return read_object(text, lambda value: _spoken(value, STANCE_KEY, tuple(STANCES)))


def parse_teller(text: str) -> Spoken | Unreadable:
    """Return the guess who asked, or why there is none. Never raises."""
    return read_object(text, lambda value: _spoken(value, TELLER_KEY, TELLERS))


def _spoken(value: dict[str, Any], key: str, allowed: Sequence[str]) -> Spoken:
    check_keys(value, ("justification", "evidence", key))
    word = value[key]
    if not isinstance(word, str) or word not in allowed:
        raise InvalidAnswerError(f'the value of "{key}" is none of {", ".join(allowed)}')
    return Spoken(word, *reasons_in(value))

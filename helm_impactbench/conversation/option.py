"""What an option of a run is: what it takes, what it changes, and the line that explains it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from helm_impactbench.errors import RunEntryError, did_you_mean

HERE = "Run entry impactbench"
"""How an error says where the mistake is, unless it is elsewhere."""
MOST_SHOWN = 200
"""Most characters of a refused value that an error shows."""
Reader = Callable[[Any], Any]
"""From a value as it was given to one of the option's type. Raises ValueError that says what is allowed."""


class Effect(Enum):
    """What an option changes, as the table of options says it."""

    CASES = "the cases"
    CHOICE = "which cases are taken"
    TARGET = "the target"
    MANNER = "how a case is presented"
    REPETITION = "nothing: repeats the same cases"
    VERDICT = "how it is judged"
    END = "when the run ends"


@dataclass(frozen=True)
class RunOption:
    """All about an option but its name, type, default and the line that explains it, which are those of a field."""

    reads: Reader
    effect: Effect
    example: str = ""
    """The value that the table shows; the default where this is empty."""
    is_named: bool = False
    """Whether a run's name has it in any case."""

    def read(self, name: str, value: Any, where: str = HERE) -> Any:
        """Return a value of the option's type. Raises RunEntryError that says what was got and what is allowed."""
        try:
            return self.reads(value)
        except ValueError as error:
            got = repr(brief_text(value)) if isinstance(value, str) else brief_text(value)
            raise RunEntryError(f"{where}: {name} cannot be {got}; it must be {error}") from None


def brief_text(value: Any) -> str:
    """Return a value for an error's text; a command line may contain anything, even a number of 10,000 digits."""
    try:
        text = str(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def written(value: Any) -> str:
    """Return a value as a run entry has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "+".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def words(value: Any) -> str:
    """Read text that is not empty."""
    text = str(value).strip()
    if not text:
        raise ValueError("text that is not empty")
    return text


def whole(most: int) -> Reader:
    """Return what reads a whole number from 1 on."""

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise ValueError(f"a whole number from 1 to {most}")
        return value

    return read


def fraction(value: Any) -> float:
    """Read a fraction above 0 and up to 1."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if isinstance(value, bool) or not 0 < number <= 1:
        raise ValueError("a fraction above 0 and up to 1, for example 0.1")
    return number


def above_zero(value: Any) -> float:
    """Read a number above 0."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if isinstance(value, bool) or not 0 < number < math.inf:
        raise ValueError("a number above 0")
    return number


def between(value: Any) -> float:
    """Read a fraction above 0 and below 1."""
    number = fraction(value)
    if number == 1:
        raise ValueError("a fraction between 0 and 1, for example 0.1")
    return number


def flag(value: Any) -> bool:
    """Read true or false."""
    flags = {"true": True, "false": False}
    word = str(value).strip().lower()
    if word not in flags:
        raise ValueError("true or false")
    return flags[word]


def choice(allowed: Sequence[str]) -> Reader:
    """Return what reads one of some words."""

    def read(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}.{did_you_mean(str(value), allowed)}")
        return str(value)

    return read


def listed(of_what: str) -> Reader:
    """Return what reads names with + between them, each once."""

    def read(value: Any) -> tuple[str, ...]:
        parts = tuple(part.strip() for part in written(value).split("+"))
        if not all(parts):
            raise ValueError(f"{of_what} with + between them, and none of them blank")
        return tuple(dict.fromkeys(parts))

    return read

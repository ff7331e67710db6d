"""What a benchmark is called, and how it stands to others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Title:
    """A benchmark's name for people, and its relation to others."""

    name: str
    replaces: str | None = None
    """A benchmark with the same prompts, in whose place this one counts in a mean: the same answers count once."""
    counted: bool = True
    """Whether the mean of its area counts it: not where it is a second figure of the same answers."""
    is_help: bool = False
    """Whether its pass rate is help that a person in need gets."""


TitleOf = Callable[[str], Title]
"""From a benchmark's slug to its title."""

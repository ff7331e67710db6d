"""Quantity: which number does the assistant give? A salary to ask for, a loan, the years of a sentence."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import FiniteFloat, StringConstraints, model_validator

from helm_impactbench.benchmark.measures.base import NOT_APPLICABLE, UNCLEAR, InvalidAnswerError, Measure, ParsedAnswer
from helm_impactbench.prompts import Prompt, load_prompt

NONE_GIVEN = "none_given"
"""The assistant names no such number: the quantity does not apply."""
LARGEST = 1e15
"""A larger number is a mistake, not a measurement."""


class Quantity(Measure):
    """A number with a unit. The panel's value is the median. Where the assistant gives none, it does not apply."""

    scale: ClassVar[Literal["nominal", "interval"]] = "interval"

    kind: Literal["quantity"] = "quantity"
    unit: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]
    """What is counted: "US dollars a year"."""
    least: FiniteFloat | None = None
    """The least value that makes sense; a judge's answer below it is refused."""
    most: FiniteFloat | None = None
    """The greatest value that makes sense."""

    @model_validator(mode="after")
    def _ordered(self) -> Quantity:
        if self.least is not None and self.most is not None and self.least >= self.most:
            raise ValueError(f"least ({self.least:g}) must be below most ({self.most:g})")
        return self

    def instructions(self) -> str:
        """Return how the number is found, and in which unit it is given."""
        return _prompt().fill(unit=self.unit)

    def answer_schema(self, *, applies: bool) -> dict[str, Any]:
        """Return the schema of a number or of a word that says why there is none."""
        return {"anyOf": [{"type": "number"}, {"type": "string", "enum": _words(applies=applies)}]}

    def answer_form(self, *, applies: bool) -> str:
        """Return the allowed values as the prompt shows them."""
        return " or ".join(["<a number>", *(f'"{word}"' for word in _words(applies=applies))])

    def read(self, answer: Any, *, applies: bool) -> ParsedAnswer:
        """Return the number. Raises InvalidAnswerError for one outside of `least` to `most`."""
        if answer == UNCLEAR:
            return ParsedAnswer("unclear")
        if answer == NONE_GIVEN or (answer == NOT_APPLICABLE and applies):
            return ParsedAnswer("not_applicable")
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            words = ", ".join(_words(applies=applies))
            raise InvalidAnswerError(f'the value of "answer" is neither a number nor one of {words}')
        if not (abs(answer) <= LARGEST and math.isfinite(answer)):
            raise InvalidAnswerError('the number in "answer" is too large')
        low, high = self.least, self.most
        if (low is not None and answer < low) or (high is not None and answer > high):
            raise InvalidAnswerError(f'the number in "answer" is {answer:g}, which cannot be in {self.unit}')
        value = float(answer) + 0.0  # no -0
        return ParsedAnswer("answered", self.shown(value), value)

    def combine(self, values: Sequence[float]) -> float | None:
        """Return the median."""
        return float(statistics.median(values))

    @property
    def bounds(self) -> tuple[float, float] | None:
        """`least` and `most` where both are set."""
        return None if self.least is None or self.most is None else (self.least, self.most)

    @property
    def has_zero(self) -> bool:
        """Whether `least` says that values are never negative."""
        return self.least is not None and self.least >= 0

    def shown(self, value: float) -> str:
        """Return the number with its unit."""
        return f"{value:,.10g} {self.unit}"


def _words(*, applies: bool) -> list[str]:
    return [NONE_GIVEN, UNCLEAR, *([NOT_APPLICABLE] if applies else [])]


@cache
def _prompt() -> Prompt:
    return load_prompt("judge_quantity", {"unit"})

"""Quantity: which number does the assistant give? A salary to ask for, a loan, the years of a sentence."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import StringConstraints, model_validator

from helm_impactbench.benchmark.measures.base import UNCLEAR, InvalidAnswerError, Measure, Reading
from helm_impactbench.prompts import Prompt, load_prompt

NONE_GIVEN = "none_given"
"""The assistant names no such number: the quantity does not apply."""
LARGEST = 1e15
"""Beyond it a number is a slip and no measurement."""


class Quantity(Measure):
    """A number with a unit. The panel's value is the median. Where the assistant gives none, it does not apply."""

    scale: ClassVar[Literal["nominal", "interval"]] = "interval"

    kind: Literal["quantity"] = "quantity"
    unit: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]
    """What is counted: "US dollars a year"."""
    least: float | None = None
    """The least value that makes sense; a judge's answer below it is refused."""
    most: float | None = None
    """The greatest value that makes sense."""

    @model_validator(mode="after")
    def _ordered(self) -> Quantity:
        if self.least is not None and self.most is not None and self.least >= self.most:
            raise ValueError(f"got least {self.least:g} and most {self.most:g}; allowed: least below most")
        return self

    def instructions(self) -> str:
        """Return how the number is found, and in which unit it is given."""
        return _prompt().fill(unit=self.unit)

    def answer_schema(self, *, applies: bool) -> dict[str, Any]:
        """Return the schema of a number, none_given or unclear."""
        return {"anyOf": [{"type": "number"}, {"type": "string", "enum": [NONE_GIVEN, UNCLEAR]}]}

    def answer_form(self, *, applies: bool) -> str:
        """Return the allowed values as the prompt shows them."""
        return f'<a number> or "{NONE_GIVEN}" or "{UNCLEAR}"'

    def read(self, answer: Any, *, applies: bool) -> Reading:
        """Return the number. Raises InvalidAnswerError for one outside of `least` to `most`."""
        if answer == UNCLEAR:
            return Reading("unclear")
        if answer == NONE_GIVEN:
            return Reading("not_applicable")
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            raise InvalidAnswerError(f'the value of "answer" is neither a number nor {NONE_GIVEN} nor {UNCLEAR}')
        if not (abs(answer) <= LARGEST and math.isfinite(answer)):
            raise InvalidAnswerError('the number in "answer" is too large')
        low, high = self.least, self.most
        if (low is not None and answer < low) or (high is not None and answer > high):
            raise InvalidAnswerError(f'the number in "answer" is {answer:g}, which cannot be in {self.unit}')
        return Reading("answered", self.shown(float(answer)), float(answer))

    def combine(self, values: Sequence[float]) -> float | None:
        """Return the median."""
        return float(statistics.median(values))

    @property
    def bounds(self) -> tuple[float, float] | None:
        """`least` and `most` where both are set."""
        return None if self.least is None or self.most is None else (self.least, self.most)

    def shown(self, value: float) -> str:
        """Return the number with its unit."""
        return f"{value:,.10g} {self.unit}"


@cache
def _prompt() -> Prompt:
    return load_prompt("judge_quantity", {"unit"})

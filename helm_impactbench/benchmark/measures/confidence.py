"""Confidence: is the assistant's answer right by the facts, and how sure does it say that it is?

A value is both in one number, so that it is stored, combined and compared as any other: 1 + the stated percent where
the answer is right, and the negative of that where it is wrong. So surely right is the most and surely wrong the least.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Literal

from helm_impactbench.benchmark.measures.base import NOT_APPLICABLE, UNCLEAR, InvalidAnswerError, Measure, ParsedAnswer
from helm_impactbench.benchmark.measures.quantity import NONE_GIVEN
from helm_impactbench.prompts import Prompt, load_prompt

CERTAIN = 100
"""Percent."""
_TEXT = re.compile(r"(right|wrong) (\d{1,3})")


class Confidence(Measure):
    """Right or wrong, and the stated percent. Of a panel the majority says which, and the percent is the median."""

    scale: ClassVar[Literal["nominal", "interval"]] = "interval"
    needs_facts: ClassVar[bool] = True
    text_form: ClassVar[str] = "right 90 or wrong 90, with the percent that is stated"

    kind: Literal["confidence"] = "confidence"

    def instructions(self) -> str:
        """Return how the judge tells right from wrong, and what counts as a stated confidence."""
        return _prompt().fill()

    def answer_schema(self, *, applies: bool) -> dict[str, Any]:
        """Return the schema of both, or of a word that says why there is none."""
        both = {
            "type": "object",
            "properties": {"right": {"type": "boolean"}, "stated": {"type": "integer"}},
            "required": ["right", "stated"],
            "additionalProperties": False,
        }
        return {"anyOf": [both, {"type": "string", "enum": _words(applies=applies)}]}

    def answer_form(self, *, applies: bool) -> str:
        """Return the allowed values as the prompt shows them."""
        both = f'{{"right": true or false, "stated": <a whole number from 0 to {CERTAIN}>}}'
        return " or ".join([both, *(f'"{word}"' for word in _words(applies=applies))])

    def read(self, answer: Any, *, applies: bool) -> ParsedAnswer:
        """Return both. In golden sets and sheets they are a text, `right 90`. Raises InvalidAnswerError."""
        if answer == UNCLEAR:
            return ParsedAnswer("unclear")
        if answer == NONE_GIVEN or (answer == NOT_APPLICABLE and applies):
            return ParsedAnswer("not_applicable")
        if isinstance(answer, str) and (words := _TEXT.fullmatch(answer)):
            answer = {"right": words[1] == "right", "stated": int(words[2])}
        if not isinstance(answer, dict) or set(answer) != {"right", "stated"}:
            raise InvalidAnswerError(f'the value of "answer" is not {self.answer_form(applies=applies)}')
        right, stated = answer["right"], answer["stated"]
        if not isinstance(right, bool):
            raise InvalidAnswerError('the value of "right" is neither true nor false')
        if isinstance(stated, bool) or not isinstance(stated, int) or not 0 <= stated <= CERTAIN:
            raise InvalidAnswerError(f'the value of "stated" is not a whole number from 0 to {CERTAIN}')
        value = _value(right, stated)
        return ParsedAnswer("answered", self.shown(value), value)

    def combine(self, values: Sequence[float]) -> float | None:
        """Return what the majority says of right and wrong, with the median of the percents; None for a tie."""
        right = sum(value > 0 for value in values)
        if 2 * right == len(values):
            return None
        return _value(2 * right > len(values), statistics.median(abs(value) - 1 for value in values))

    @property
    def bounds(self) -> tuple[float, float]:
        """From surely wrong to surely right."""
        return _value(False, CERTAIN), _value(True, CERTAIN)

    def shown(self, value: float) -> str:
        """Return a value as people read it."""
        right, stated = right_and_stated(value)
        return f"{'right' if right else 'wrong'}, {CERTAIN * stated:g}% sure"


def right_and_stated(value: float) -> tuple[bool, float]:
    """Return whether an answer with this value is right, and how sure the assistant says to be, from 0 to 1."""
    return value > 0, (abs(value) - 1) / CERTAIN


def _value(right: bool, percent: float) -> float:
    return (1 + percent) if right else -(1 + percent)


def _words(*, applies: bool) -> list[str]:
    return [NONE_GIVEN, UNCLEAR, *([NOT_APPLICABLE] if applies else [])]


@cache
def _prompt() -> Prompt:
    return load_prompt("judge_confidence", ())

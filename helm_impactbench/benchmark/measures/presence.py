"""Presence: is a behaviour present? The default measure of a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from helm_impactbench.benchmark.measures.base import Measure, ParsedAnswer, enumerated, read_word
from helm_impactbench.prompts import Prompt, load_prompt

WORDS = {"present": 1.0, "absent": 0.0}
_STANDARD = {"slight": 1 / 3, "clear": 2 / 3, "severe": 1.0}
Weight = Annotated[float, Field(ge=0, le=1)]


class Presence(Measure):
    """Present or absent. The panel's answer is that of the majority."""

    kind: Literal["presence"] = "presence"
    severity: Literal["standard"] | dict[str, Weight] | None = None
    """Words for how severe a behaviour that is present is -> weight from 0 to 1; "standard" is slight 1/3, clear 2/3,
    severe 1. Asked beside presence; None: not asked."""
    anchors: dict[str, Annotated[str, Field(min_length=1)]] = Field(default={})
    """Word for how severe -> what it looks like for this metric, in place of the general anchor."""

    @model_validator(mode="after")
    def _anchors_its_own_words(self) -> Presence:
        unknown = [word for word in self.anchors if word not in self.severities]
        if unknown:
            allowed = ", ".join(self.severities) or "none, because severity is not asked"
            raise ValueError(f"anchors names {', '.join(unknown)}; the words for severity are: {allowed}")
        return self

    def instructions(self) -> str:
        """Return how presence is decided."""
        anchors = {word: self.anchors.get(word, "") for word in self.severities}
        return _prompt().fill(severities=anchors, is_standard=self.severity == "standard")

    def answer_schema(self, *, applies: bool) -> dict[str, Any]:
        """Return the schema of present, absent and unclear."""
        return enumerated(tuple(WORDS), applies=applies)

    def read(self, answer: Any, *, applies: bool) -> ParsedAnswer:
        """Return 1 for present and 0 for absent. Raises InvalidAnswerError."""
        return read_word(answer, WORDS, applies=applies)

    def combine(self, values: Sequence[float]) -> float | None:
        """Return the value of the majority, None for a tie."""
        present = sum(value == 1 for value in values)
        return None if 2 * present == len(values) else float(2 * present > len(values))

    @property
    def bounds(self) -> tuple[float, float]:
        """From 0 (absent) to 1 (present)."""
        return 0.0, 1.0

    def shown(self, value: float) -> str:
        """Return "present" or "absent"."""
        return "present" if value == 1 else "absent"

    def needs_evidence(self, reading: ParsedAnswer) -> bool:
        """Return True for a behaviour that is present: absence leaves nothing to quote."""
        return reading.value == 1

    @property
    def severities(self) -> Mapping[str, float]:
        """The words for severity and their weights."""
        return _STANDARD if self.severity == "standard" else self.severity or {}


@cache
def _prompt() -> Prompt:
    return load_prompt("judge_presence", {"severities", "is_standard"})

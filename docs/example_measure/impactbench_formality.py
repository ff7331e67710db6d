"""Formality: does an assistant speak casually or formally? The panel's value is the median of its judges' values."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, Literal

from helm_impactbench.benchmark.measures import Measure, ParsedAnswer, enumerated, read_word

WORDS = {"casual": 0.0, "neutral": 0.5, "formal": 1.0}


class Formality(Measure):
    """`measure: formality` in benchmark.yaml."""

    scale = "interval"
    kind: Literal["formality"] = "formality"

    def instructions(self) -> str:
        """Return how a judge decides."""
        return "- The question: how formal are the assistant's words? Answer casual, neutral or formal."

    def answer_schema(self, *, applies: bool) -> dict[str, Any]:
        """Return the JSON schema of the answer."""
        return enumerated(tuple(WORDS), applies=applies)

    def read(self, answer: Any, *, applies: bool) -> ParsedAnswer:
        """Return what an answer says."""
        return read_word(answer, WORDS, applies=applies)

    def combine(self, values: Sequence[float]) -> float | None:
        """Return the panel's value."""
        return statistics.median(values)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value."""
        return 0.0, 1.0

    def shown(self, value: float) -> str:
        """Return a value as people read it."""
        return f"formality {value:.2f}"

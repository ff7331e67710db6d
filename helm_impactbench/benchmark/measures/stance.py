"""Stance: whose side of a dispute does the assistant take?

The judge does not know who told the story; parties.py says how that is done.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar, Literal

from helm_impactbench.benchmark.measures.base import Measure, ParsedAnswer, enumerated, read_word
from helm_impactbench.benchmark.measures.parties import Parties, RenamedParties
from helm_impactbench.prompts import Prompt, load_prompt

POINTS = {"party_2": -1.0, "leans_party_2": -0.5, "balanced": 0.0, "leans_party_1": 0.5, "party_1": 1.0}


class Stance(Measure):
    """From -1, party b is in the right, to +1, party a is. The panel's value is the median."""

    scale: ClassVar[Literal["nominal", "interval"]] = "interval"
    kind: Literal["stance"] = "stance"
    parties: Parties

    def instructions(self) -> str:
        """Return how a side is recognised, and what the five answers mean."""
        return _prompt().fill()

    def answer_schema(self, *, applies: bool) -> dict[str, Any]:
        """Return the schema of the five answers and unclear."""
        return enumerated(tuple(POINTS), applies=applies)

    def read(self, answer: Any, *, applies: bool) -> ParsedAnswer:
        """Return the stance towards Party 1. Raises InvalidAnswerError."""
        return read_word(answer, POINTS, applies=applies)

    def combine(self, values: Sequence[float]) -> float | None:
        """Return the median."""
        return float(statistics.median(values))

    @property
    def bounds(self) -> tuple[float, float]:
        """From -1 (party b is right) to +1 (party a is right)."""
        return -1.0, 1.0

    def shown(self, value: float) -> str:
        """Return whose side a value is on."""
        if value == 0:
            return "balanced (0)"
        party = self.parties.a if value > 0 else self.parties.b
        return f"{'leans towards' if abs(value) < 1 else 'sides with'} {party.label} ({value:+g})"

    def needs_evidence(self, reading: ParsedAnswer) -> bool:
        """Return True for a side that is taken."""
        return bool(reading.value)

    @property
    def presentation(self) -> RenamedParties:
        """In the third person, with the parties renamed."""
        return RenamedParties(self.parties, self.shown)


@cache
def _prompt() -> Prompt:
    return load_prompt("judge_stance", ())

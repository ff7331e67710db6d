"""Scale: which of the points that the metric describes fits best?"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints

from helm_impactbench.benchmark.measures.base import (
    NOT_APPLICABLE,
    UNCLEAR,
    Measure,
    ParsedAnswer,
    enumerated,
    read_word,
)
from helm_impactbench.prompts import Prompt, load_prompt


class Point(BaseModel):
    """One point of a scale."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    """The judge's answer: lower-case letters, digits and underscores."""
    value: FiniteFloat
    description: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    """When this point fits."""


def _checked(points: list[Point]) -> list[Point]:
    ids, values = [point.id for point in points], [point.value for point in points]
    reserved = {UNCLEAR, NOT_APPLICABLE} & set(ids)
    if reserved:
        raise ValueError(f"every measure already has the answer {reserved.pop()}; give the point another id")
    if len(set(ids)) < len(ids):
        raise ValueError(f"the points {', '.join(ids)} repeat an id; every id must occur once")
    if values != sorted(set(values)):
        raise ValueError(f"the values {values} must be in rising order, every value once")
    return points


class Scale(Measure):
    """One of several ordered points. The panel's value is the median of the judges' values."""

    scale: ClassVar[Literal["nominal", "interval"]] = "interval"

    kind: Literal["scale"] = "scale"
    points: Annotated[list[Point], Field(min_length=2), AfterValidator(_checked)]
    """From the least value to the greatest."""

    def instructions(self) -> str:
        """Return how a point is chosen, and what each of them means."""
        return _prompt().fill(points=[point.model_dump() for point in self.points])

    def answer_schema(self, *, applies: bool) -> dict[str, Any]:
        """Return the schema of the points' ids and unclear."""
        return enumerated([point.id for point in self.points], applies=applies)

    def read(self, answer: Any, *, applies: bool) -> ParsedAnswer:
        """Return the point's value. Raises InvalidAnswerError."""
        return read_word(answer, {point.id: point.value for point in self.points}, applies=applies)

    def combine(self, values: Sequence[float]) -> float | None:
        """Return the median: with three judges or more no single one can move it far."""
        return float(statistics.median(values))

    def needs_evidence(self, reading: ParsedAnswer) -> bool:
        """Return True above the lowest point: where nothing was done there is nothing to quote."""
        return reading.value is not None and reading.value > self.points[0].value

    @property
    def bounds(self) -> tuple[float, float]:
        """The values of the first and the last point."""
        return self.points[0].value, self.points[-1].value

    def shown(self, value: float) -> str:
        """Return the point's id, in words, with its value, or the value alone where it lies between two points."""
        found = next((point.id for point in self.points if point.value == value), None)
        return f"{value:g}" if found is None else f"{found.replace('_', ' ')} ({value:g})"


@cache
def _prompt() -> Prompt:
    return load_prompt("judge_scale", {"points"})

"""One behaviour that an assistant should or should not show."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SerializeAsAny, model_validator

from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.benchmark.measures.base import Measure
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.measures.registry import built
from helm_impactbench.benchmark.parts import Id, Part, Text, content_digest

MetricType = Literal["positive", "negative", "contrast"]
Favour = Literal["high", "low"]


class Contrast(Part):
    """Between which levels of an axis a contrast metric compares its measure."""

    axis: Text
    levels: list[Text] = []
    """The levels that are compared with each other; all levels of the axis but `reference` when empty."""
    reference: Text | None = None
    """A level to which the others are also compared, such as a neutral version of the same case."""
    favours: dict[Text, Favour] = {}
    """Level -> the end of the measure that is in this person's favour: siding with the landlord, when the landlord
    asks. It gives the figures on agreement: how often a person is told what favours them, and how often both are."""
    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.33
    """How far from the middle of the measure, as a share of half its range, an answer is on a side."""
    better: Favour = "high"
    """Which end of the measure is better for the person: a gap says who gets more of it, so that the gaps of a high
    salary and of a low deposit add up."""
    relative: bool = False
    """Compare ratios, not differences: sums of money and other amounts, whose usual size differs from case to case."""
    placebo: bool = False
    """Its levels must not matter: it shows how far answers vary by chance, and is in no gap of the benchmark."""

    @property
    def sign(self) -> float:
        """1 where more of the measure is better for the person, else -1."""
        return 1.0 if self.better == "high" else -1.0

    @model_validator(mode="after")
    def _names_levels_that_can_be_compared(self) -> Contrast:
        if self.levels and (len(set(self.levels)) < len(self.levels) or len(self.levels) < 2):
            raise ValueError(f"the levels are {', '.join(self.levels)}; a contrast needs two or more, each once")
        if self.reference in self.levels:
            raise ValueError(f"the reference {self.reference!r} is one of the levels; it must be another one")
        unknown = [level for level in self.favours if level == self.reference or level not in (self.levels or [level])]
        if unknown:
            raise ValueError(
                f"favours names {', '.join(unknown)}, which is not compared; it may name only the levels that are"
            )
        return self


class Metric(Part):
    """One observable behaviour of an assistant."""

    id: Id
    name: Text
    """Shown to people, never to a judge: it reveals the wanted answer."""
    type: MetricType
    """Which way is good: the behaviour ("positive"), its absence ("negative"), or no difference between the levels of
    an axis ("contrast"). Authored, never inferred."""
    definition: Text
    """The behaviour itself, also for a negative metric; the judge applies this text."""
    exclusions: list[Text] = []
    """What the definition seems to cover and does not: each a short clause that the judge reads beside it."""
    measure: Annotated[SerializeAsAny[Measure], BeforeValidator(built)] = Presence()
    """What the judge is asked of a conversation, and the type of its answer."""
    applies: Text | None = None
    """The condition under which the question arises; otherwise the answer is "not applicable". Unset: always."""
    facts: list[Text] = []
    """True statements that the judge needs, such as crisis numbers or the right result of a sum."""
    contrast: Contrast | None = None
    """What a contrast metric compares; unset for other types."""
    examples: list[Text] = []
    """Things an assistant says when it shows the behaviour."""
    near_misses: list[Text] = []
    """Things an assistant says that look similar and do not count."""
    rationale: Text | None = None
    """Why it matters, in one sentence."""
    contested: Text | None = None
    """Where experts differ on whether it is good or bad: both sides, with their literature as "Author (2020)"."""
    source: Text | None = None
    """Which entry of the benchmark's literature it rests on."""
    clause: Text | None = None
    """The number of the clause of a specification that it rests on."""
    content_note: Text | None = None
    """What may distress a reader of its conversations; it takes the place of the benchmark's note."""
    labels: list[LabelRow] = []
    """The nutrition-label rows that it feeds."""

    def aim_digest(self) -> str:
        """Return the hash of what scenarios are made for: definition and type."""
        return content_digest([self.definition, *self.exclusions, self.type])

    @model_validator(mode="after")
    def _has_what_its_type_needs(self) -> Metric:
        if (self.type == "contrast") != (self.contrast is not None):
            raise ValueError("a metric of type contrast needs contrast: with the axis, and no other type has it")
        if self.type != "contrast" and self.measure.bounds is None:
            raise ValueError(
                f"the measure {self.measure.kind} has no bounds, which a {self.type} metric needs; use type contrast, "
                "or a measure whose least and greatest values are known"
            )
        if self.contrast is not None and self.contrast.relative and not self.measure.has_zero:
            raise ValueError(
                f"the measure {self.measure.kind} has no zero below which nothing is, which relative needs; use a "
                "quantity with least: 0 or more, or leave out relative"
            )
        if self.contrast is not None and self.contrast.favours and self.measure.bounds is None:
            raise ValueError(
                f"the measure {self.measure.kind} has no bounds and so no middle, which favours needs; use no "
                "favours, or a measure whose least and greatest values are known"
            )
        return self

    def score(self, value: float) -> float | None:
        """Return how good a value of the measure is, from 0 to 1; None for a contrast, where no single value is."""
        return score_of(value, self.type, self.measure.bounds)


def score_of(value: float, kind: str, bounds: tuple[float, float] | None) -> float | None:
    """Return how good a value is, from 0 to 1, for a type of metric and the bounds of its measure.

    None for a contrast, where no single value is good or bad, and without bounds.
    """
    if kind == "contrast" or bounds is None:
        return None
    low, high = bounds
    present = (value - low) / (high - low)
    return present if kind == "positive" else 1 - present

"""What is known of a benchmark from outside of it: experts' ratings of relevance, and statistics of items on models.

Written down by the benchmark's authors from `impactbench items` and from experts' sheets; never inferred, and no part
of what is measured.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from helm_impactbench.benchmark.parts import Id, Part, Text
from helm_impactbench.files.safe_yaml import Place

Point = Annotated[int, Field(ge=1, le=4)]
"""1 not relevant, 2 somewhat, 3 quite, 4 highly relevant."""


def _is_a_day(text: str) -> str:
    try:
        is_day = date.fromisoformat(text).isoformat() == text
    except ValueError:
        is_day = False
    if not is_day:
        raise ValueError(f"found {text[:40]!r}, expected a day such as 2026-11-20")
    return text


Day = Annotated[Text, AfterValidator(_is_a_day)]
"""A day such as 2026-11-20."""


class RelevanceRatings(Part):
    """How relevant experts who did not write the benchmark call each metric for its construct."""

    date: Day
    by: Annotated[list[Text], Field(min_length=2)]
    """Who rated, each as a name or a role, with their consent; the order is that of the ratings."""
    ratings: Annotated[dict[Id, list[Point]], Field(min_length=1)]
    """Metric -> one rating per expert."""

    @model_validator(mode="after")
    def _has_a_rating_of_each_expert(self) -> RelevanceRatings:
        uneven = [metric for metric, points in self.ratings.items() if len(points) != len(self.by)]
        if uneven:
            raise ValueError(f"{', '.join(uneven)}: there are {len(self.by)} experts; give one rating of each")
        return self


class ItemStatistic(Part):
    """What conversations of models say of one metric."""

    pass_rate: Annotated[float, Field(ge=0, le=1)]
    """Mean pass rate over models, from 0 (nobody passes) to 1."""
    discrimination: Annotated[float, Field(ge=-1, le=1)]
    """Correlation of models' rates with their rates on the benchmark's other metrics."""
    spread: Annotated[float, Field(ge=0, le=0.5)] | None = None
    """Standard deviation of the models' true rates."""


class ItemRun(Part):
    """A run of real models from which item statistics come."""

    date: Day
    version: Annotated[int, Field(ge=1)]
    """Of the benchmark's content that was run."""
    models: Annotated[int, Field(ge=2)]
    conversations: Annotated[int, Field(ge=1)]
    metrics: Annotated[dict[Id, ItemStatistic], Field(min_length=1)]


class ContentEvidence(Part):
    """All that is known; empty until somebody has done it."""

    relevance: RelevanceRatings | None = None
    items: ItemRun | None = None


def evidence_findings(
    evidence: ContentEvidence, metrics: Collection[str], version: int | None
) -> Iterator[tuple[Place, str, str]]:
    """Yield (place, message, severity) where evidence is about metrics that do not exist, or about other content."""
    named: dict[Place, Collection[str]] = {}
    if evidence.relevance is not None:
        named["evidence", "relevance", "ratings"] = evidence.relevance.ratings
    if evidence.items is not None:
        named["evidence", "items", "metrics"] = evidence.items.metrics
        if evidence.items.version != version:
            yield (
                ("evidence", "items", "version"),
                f"the run was of version {evidence.items.version}, the benchmark has version {version}; statistics of "
                "other content say nothing of this one",
                "warning",
            )
    for place, ids in named.items():
        unknown = [metric for metric in ids if metric not in metrics]
        if unknown:
            yield place, f"no metric {', '.join(unknown)}; there are: {', '.join(metrics)}", "error"

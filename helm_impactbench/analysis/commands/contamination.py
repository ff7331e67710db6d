"""`contamination`: whether models do better on published scenarios than on private forms of them."""

from __future__ import annotations

from typing import Annotated, TypedDict

from helm_impactbench.analysis.columns import between
from helm_impactbench.analysis.contamination import Advantage, advantages, concluded
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Table


class AdvantageRow(TypedDict):
    """What a model gains on published scenarios, over the benchmarks of which it has run both kinds."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    public: Annotated[float, Column("Published", "rate", "Mean score on published scenarios.", "default")]
    private: Annotated[float, Column("Private", "rate", "Mean score on private scenarios.", "default")]
    difference: Annotated[
        float,
        Column(
            "Difference (95% CI)",
            "difference",
            "Published minus private.",
            "default",
            text=between("difference", "low", "high", "difference"),
        ),
    ]
    low: Annotated[
        float,
        Column("Low", "difference", "Lower end of the difference's 95% CI over scenarios."),
    ]
    high: Annotated[
        float,
        Column("High", "difference", "Upper end of the difference's 95% CI over scenarios."),
    ]
    is_found: Annotated[bool, Column("Significant", "flag", "Whether the whole interval lies above 0.", "default")]


def contamination(reading: Reading) -> Result:
    """Return what each model gains on published scenarios. Raises ImpactBenchError where none has run both kinds."""
    found = advantages(reading.levels)
    if not found:
        raise ImpactBenchError(
            "No model has run both published and private scenarios of a benchmark; see impactbench gen-scenarios -h."
        )
    table = Table.of("contamination", AdvantageRow, [_row(advantage) for advantage in found], "Mean scores")
    return Result((table,), notes=(concluded(found),))


def _row(advantage: Advantage) -> AdvantageRow:
    return {
        "model": advantage.model,
        "public": advantage.public,
        "private": advantage.private,
        "difference": advantage.difference,
        "low": advantage.interval.low,
        "high": advantage.interval.high,
        "is_found": advantage.is_found,
    }

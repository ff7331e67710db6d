"""Does what a target says of its own confidence hold? From outcomes of the measure `confidence`, target by target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, TypedDict

from helm_impactbench.analysis.columns import High, Low, between, bounded
from helm_impactbench.analysis.rates import by_benchmark, grouped
from helm_impactbench.benchmark.measures.confidence import Confidence, right_and_stated
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.reliability import Reliability, reliability
from helm_impactbench.tables import Column, Table

KIND = Confidence.model_fields["kind"].default


@dataclass(frozen=True)
class Calibration:
    """One target's stated confidence on a benchmark."""

    model: str
    benchmark: str
    silent: int
    """Conversations in which it gives no answer, or no percent."""
    found: Reliability

    @property
    def finding(self) -> str:
        """What the interval of the excess supports."""
        excess = self.found.excess.interval
        if not excess.is_known:
            return "too few base scenarios"
        if excess.low > 0:
            return "overconfident"
        return "underconfident" if excess.high < 0 else "no significant difference"


def calibrations(outcomes: Sequence[Outcome]) -> list[Calibration]:
    """Return the calibration of every target and benchmark that has stated confidences; clusters are base scenarios."""
    asked = [outcome for outcome in outcomes if outcome.measure == KIND]
    return [
        one
        for slug, own in by_benchmark(asked).items()
        for model, answers in sorted(grouped(own, lambda outcome: outcome.model).items())
        for one in _calibration(model, slug, answers)
    ]


def _calibration(model: str, slug: str, answers: Sequence[Outcome]) -> Iterator[Calibration]:
    values = [(outcome, *right_and_stated(outcome.value)) for outcome in answers if outcome.value is not None]
    found = reliability(
        [stated for *_, stated in values],
        [right for _, right, _ in values],
        [outcome.cluster for outcome, *_ in values],
    )
    if found is not None:
        silent = sum(outcome.status == "not_applicable" for outcome in answers)
        yield Calibration(model, slug, silent, found)


class CalibrationRow(TypedDict):
    """How sure one target says it is, beside how often it is right."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    benchmark: Annotated[str, Column("Benchmark", "text", "Slug.", "default")]
    answers: Annotated[int, Column("Answers", "count", "Answers with a stated confidence.", "default")]
    silent: Annotated[int, Column("None stated", "count", "Conversations without an answer or without a percentage.")]
    stated: Annotated[float, Column("Says", "rate", "Mean stated confidence.", "default")]
    right: Annotated[
        float, Column("Is right", "rate", "Share of answers that are right.", "default", text=between("right"))
    ]
    right_low: Low
    right_high: High
    excess: Annotated[
        float,
        Column(
            "Says minus is",
            "difference",
            "Mean confidence minus share right; above 0, the model is overconfident.",
            "default",
            text=between("excess", kind="difference"),
        ),
    ]
    excess_low: Low
    excess_high: High
    error: Annotated[
        float,
        Column("ECE", "rate", "Expected calibration error, less what chance adds.", "default", text=between("error")),
    ]
    error_low: Low
    error_high: High
    chance: Annotated[
        float,
        Column(
            "ECE by chance", "rate", "What chance would add to the ECE if all stated confidences were exact.", "wide"
        ),
    ]
    brier: Annotated[
        float,
        Column(
            "Brier score",
            "rate",
            "Mean squared difference between confidence and correctness (1 or 0); 0 is best.",
            "default",
            text=between("brier"),
        ),
    ]
    brier_low: Low
    brier_high: High
    finding: Annotated[str, Column("Finding", "text", 'What the interval of "Says minus is" supports.', "default")]


class BinRow(TypedDict):
    """Answers of about the same stated confidence."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    benchmark: Annotated[str, Column("Benchmark", "text", "Slug.", "default")]
    low: Annotated[float, Column("From", "rate", "Lowest stated confidence in the bin.", "default")]
    high: Annotated[float, Column("To", "rate", "Highest stated confidence in the bin.", "default")]
    stated: Annotated[float, Column("Says", "rate", "Mean stated confidence.", "default")]
    right: Annotated[
        float, Column("Is right", "rate", "Share of answers that are right.", "default", text=between("right"))
    ]
    right_low: Low
    right_high: High
    answers: Annotated[int, Column("Answers", "count", "Answers in the bin.", "default")]


def calibration_tables(outcomes: Sequence[Outcome]) -> tuple[Table, ...]:
    """Return the tables of stated confidence and of its bins; none where none was asked for."""
    found = calibrations(outcomes)
    if not found:
        return ()
    title = "Stated confidence beside what is right (95% CI over base scenarios)"
    return (
        Table.of("calibration", CalibrationRow, [_row(one) for one in found], title),
        Table.of("calibration_bins", BinRow, [row for one in found for row in _bin_rows(one)], view="file"),
    )


def _row(one: Calibration) -> dict[str, object]:
    found = one.found
    return {
        "model": one.model,
        "benchmark": one.benchmark,
        "answers": found.answers,
        "silent": one.silent,
        "stated": found.said,
        **bounded("right", found.right.value, found.right.interval),
        **bounded("excess", found.excess.value, found.excess.interval),
        **bounded("error", found.error.value, found.error.interval),
        "chance": found.chance,
        **bounded("brier", found.brier.value, found.brier.interval),
        "finding": one.finding,
    }


def _bin_rows(one: Calibration) -> Iterator[dict[str, object]]:
    for part in one.found.bins:
        yield {
            "model": one.model,
            "benchmark": one.benchmark,
            "low": part.low,
            "high": part.high,
            "stated": part.said,
            **bounded("right", part.right.value, part.right.interval),
            "answers": part.answers,
        }

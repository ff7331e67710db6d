"""`items`: metrics and scenarios that need attention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypedDict, cast

from helm_impactbench.analysis.columns import High, Low, between, bounded
from helm_impactbench.analysis.item_analysis import KnownPair, Unit, item_analysis
from helm_impactbench.analysis.item_findings import OF_SEVERAL
from helm_impactbench.analysis.item_statistics import ItemStatistics
from helm_impactbench.errors import ImpactBenchError, counted
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import Reading, no_verdict
from helm_impactbench.tables import Column, Result, Row, Table
from helm_impactbench.tables.column import any_of, known, varies
from helm_impactbench.tables.names import SCRIPTED

REHEARSAL_ANCHORS = ("rehearsal/supportive", "rehearsal/harmful")


def _name(row: Row) -> str:
    return f"{row['metric']}/{row['scenario']}" if row["scenario"] else str(row["metric"])


class ItemRow(TypedDict):
    """One metric, or one base scenario, over all models."""

    metric: Annotated[str, Column("Metric", "text", "Metric, as slug/id.", "default", text=_name)]
    scenario: Annotated[str, Column("Scenario", "text", "Id of the base scenario; empty for a metric.")]
    name: Annotated[str, Column("Name", "text", "Name of the metric.")]
    type: Annotated[str, Column("Type", "text", "positive, negative or contrast.", "default", varies("type"))]
    conversations: Annotated[int, Column("Of all", "count", "All conversations.")]
    scored: Annotated[int, Column("Scored", "count", "Conversations with a value.", "default")]
    possible: Annotated[int, Column("Possible", "count", "Conversations in which the question arose.")]
    passed: Annotated[float, Column("Passed", "number", "Sum of the scores.")]
    models: Annotated[int, Column("Models", "count", "Models with a scored conversation.")]
    repeats: Annotated[int, Column("Repeats", "count", "Base scenarios of a metric, or variants of a scenario.")]
    mean: Annotated[
        float,
        Column(
            "Pass rate (95% CI)",
            "rate",
            "Mean of the models' pass rates.",
            "default",
            known("mean"),
            text=between("mean"),
        ),
    ]
    item_rest: Annotated[
        float,
        Column(
            "Item-rest",
            "number",
            "Correlation of the item with the benchmark's other items, across models.",
            "wide",
            text=between("item_rest"),
        ),
    ]
    against: Annotated[
        float,
        Column("p, against", "p", "p value of the test of whether the item runs against the benchmark's other items."),
    ]
    split: Annotated[float, Column("Split votes", "rate", "Share of conversations on which a panel's votes differ.")]
    distance: Annotated[
        float, Column("Distance", "rate", "Mean distance between two judges' answers, as a share of the range.")
    ]
    voted_twice: Annotated[int, Column("Voted twice", "count", "Conversations with two votes or more.")]
    grounded: Annotated[float, Column("Grounded", "rate", "Share of votes whose evidence is in the transcript.")]
    quoted: Annotated[int, Column("Quoted", "count", "Conversations with a vote that has evidence.")]
    scripted: Annotated[bool, Column("Scripted anchors", "flag", "Whether the anchors are scripts.")]
    refused: Annotated[
        int,
        Column(
            "Refused",
            "count",
            "Conversations in which the simulated user's model refused to play the person.",
            "wide",
            any_of("refused"),
        ),
    ]
    matched: Annotated[
        float, Column("Matched", "rate", "For contrasts: share of matched sets with values at two or more levels.")
    ]
    moves: Annotated[float, Column("Moves", "rate", "For contrasts: spread of the values, as a share of the range.")]
    bar: Annotated[
        float, Column("Bar", "rate", 'Value of "SD of models" below which an item does not separate models.')
    ]
    mean_low: Low
    mean_high: High
    spread: Annotated[
        float,
        Column(
            "SD of models", "rate", "Standard deviation of the models' true pass rates.", "wide", text=between("spread")
        ),
    ]
    spread_low: Low
    spread_high: High
    item_rest_low: Low
    item_rest_high: High
    auroc: Annotated[
        float,
        Column(
            "AUROC",
            "rate",
            "Area under the ROC curve of the score: 1 separates the two anchors, 0.5 does not.",
            "wide",
            text=between("auroc"),
        ),
    ]
    auroc_low: Low
    auroc_high: High
    difficulty: Annotated[
        float,
        Column(
            "Difficulty",
            "rate",
            "Share of models that fail the base scenario; needs at least three models.",
            "default",
            known("difficulty"),
            text=between("difficulty"),
        ),
    ]
    difficulty_low: Low
    difficulty_high: High
    findings: Annotated[
        str,
        Column(
            "Findings",
            "text",
            "What an author should look at because chance cannot explain it.",
            "default",
            text=lambda row: row["findings"] or "none",
        ),
    ]
    cannot_be_told: Annotated[str, Column("Too few data", "text", "What the data are too few to tell.")]


def items(reading: Reading, anchors: tuple[str, str] | None = None, by: Unit = "metric") -> Result:
    """Return what is flagged of metrics or base scenarios, and the statistics of all.

    anchors: two targets known to behave well and badly; the rehearsal ones if the suite has them. by: metric or
    scenario. Raises ImpactBenchError for a target that the suite lacks.
    """
    statistics = item_analysis(reading.outcomes, anchors_of(reading.outcomes, anchors), by)
    rows = [item_row(item) for item in statistics]
    every = Table.of("items", ItemRow, rows, f"Every {by}", "wide")
    flagged = replace(
        every, name="flagged", rows=[row for row in rows if row["findings"]], title="", view="default", in_files=False
    )
    notes = [no_verdict(reading.outcomes), *concluded(statistics, by)]
    if any(not item.is_level for item in statistics):
        notes.append("Contrast metrics have no pass rate: neither spread, nor item-rest, nor anchors apply to them.")
    return Result((flagged, every), tuple(filter(None, notes)), DETAILS)


DETAILS = (
    "Findings are beyond chance, over all of them. Shares are tested for the same cases asked again. SD of models is "
    "how far the models' true rates differ, without noise. Correlations and difficulty need three models; the interval "
    "of a difficulty is for other models like these.",
)


def concluded(statistics: Sequence[ItemStatistics], unit: Unit) -> Iterator[str]:
    """Yield what may be concluded, and what so few data leave open."""
    count = counted(len(statistics), unit)
    yield (
        f"{sum(bool(item.findings) for item in statistics)} of {count} need attention. A {unit} without a finding may "
        "still have a fault that these data cannot show."
    )
    left_open = Counter(question for item in statistics for question in item.cannot_be_told)
    if left_open:
        unsure = [item for item in statistics if item.cannot_be_told]
        models = _from_to([item.models for item in unsure], "model")
        repeats = _from_to([item.repeats for item in unsure], "base scenario" if unit == "metric" else "variant")
        questions = "; ".join(
            f"whether {number} of {count} {question if number == 1 else OF_SEVERAL[question]}"
            for question, number in left_open.items()
        )
        yield f"Too few data, {models} and {repeats} for each {unit}, to say {questions}."


def anchors_of(outcomes: Sequence[Outcome], names: tuple[str, str] | None) -> KnownPair | None:
    """Return the anchors that are named, or the rehearsal ones; None without any. Raises ImpactBenchError."""
    models = {outcome.model for outcome in outcomes}
    for name in names or ():
        if name not in models:
            raise ImpactBenchError(f"No model {name!r} in this suite; it has: {', '.join(sorted(models))}")
    if names and names[0] == names[1]:
        raise ImpactBenchError(f"--anchors needs two different models, a good and a bad one; both are {names[0]!r}.")
    if names is None and not models.issuperset(REHEARSAL_ANCHORS):
        return None
    good, bad = names or REHEARSAL_ANCHORS
    return KnownPair(good, bad, scripted=good.startswith(SCRIPTED) and bad.startswith(SCRIPTED))


def item_row(item: ItemStatistics) -> ItemRow:
    """Return the statistics of an item as a row."""
    plain = {name: value for name, value in vars(item).items() if isinstance(value, str | int | float)}
    row: dict[str, Any] = {
        **plain,
        **bounded("mean", item.mean, item.mean_interval),
        **bounded("spread", item.spread.value, item.spread.interval),
        **bounded("item_rest", item.item_rest, item.item_rest_interval),
        **bounded("auroc", item.auroc.value, item.auroc.interval),
        **bounded("difficulty", item.difficulty, item.difficulty_interval),
        "findings": "; ".join(item.findings),
        "cannot_be_told": "; ".join(item.cannot_be_told),
    }
    return cast(ItemRow, row)


def _from_to(numbers: list[int], what: str) -> str:
    least, most = min(numbers), max(numbers)
    return counted(most, what) if least == most else f"{least} to {counted(most, what)}"

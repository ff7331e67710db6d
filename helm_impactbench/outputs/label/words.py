"""A label in the words of one audience: every text and figure ready to be shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.item_findings import MOST_UNSCORED
from helm_impactbench.benchmark.model import LabelRow
from helm_impactbench.outputs.label import grades
from helm_impactbench.outputs.label.audiences import Audience
from helm_impactbench.outputs.label.doubts import Finding
from helm_impactbench.outputs.label.grades import SHOWN_DIGITS, Grade
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.rows import AVOIDS, Row
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.population import Population, interval_of

NOTHING = "-"
MINIMUMS = {
    "fewest_scored": str(grades.FEWEST_SCORED),
    "fewest_scenarios": str(grades.FEWEST_SCENARIOS),
    "fewest_metrics": str(grades.FEWEST_METRICS),
    "most_unscored": f"{MOST_UNSCORED:.0%}",
    "most_bands": str(grades.MOST_BANDS),
}
"""What a grade needs, as texts may say it."""


@dataclass(frozen=True)
class Cell:
    """A figure of a row under its column."""

    column: str
    heading: str
    text: str


@dataclass(frozen=True)
class ShownRow:
    """A row in an audience's words."""

    kind: str | None
    """Heading over its name; None for none."""
    key: LabelRow
    name: str
    text: str
    example: str | None
    grade: Grade | None
    could_be: str
    """Grades that the interval leaves open; why there is no grade where there is none."""
    cells: tuple[Cell, ...]
    """Every column but those of the row's name."""
    beside: str | None = None
    """What contrast metrics say, which is not graded; None without any."""


def percent(value: float | None) -> str:
    """Return a share (0 to 1) as it is shown everywhere, for example "88.3%"; "-" for an unknown one."""
    return NOTHING if value is None or math.isnan(value) else f"{100 * round(value, SHOWN_DIGITS):.1f}%"


def span(interval: Interval) -> str:
    """Return an interval as it is shown everywhere, for example "80.1% to 93.0%"; "-" for an unknown one."""
    return f"{percent(interval.low)} to {percent(interval.high)}" if interval.is_known else NOTHING


DRAWN: dict[Population, str] = {"these": "situations", "like-these": "situations, behaviours and benchmarks"}
"""What could have been another one."""


def filled(template: str, **values: str) -> str:
    """Return a text of audiences.yaml with the names in braces filled in, in one pass."""
    return template.format_map(values)


def shown_rows(label: Label, audience: Audience) -> list[ShownRow]:
    """Return the nine rows in the audience's order and words."""
    return [_shown(label.row(key), audience) for key in audience.order]


def shown_findings(findings: Sequence[Finding], audience: Audience) -> list[str]:
    """Return a sentence for each finding."""
    return [_sentence(finding, audience) for finding in findings]


def figures(row: Row) -> dict[str, str]:
    """Return the figures of a row by column, as all audiences see them; a row without a grade has no rate."""
    rate, graded = row.rate, row.grade is not None
    return {
        "grade": row.grade.letter if row.grade else NOTHING,
        "rate": percent(rate.value) if graded else NOTHING,
        "interval": span(row.interval) if graded else NOTHING,
        "scored": f"{len(rate.scored):,}",
        "scenarios": f"{row.scenarios:,}",
        "metrics": str(row.scored_metrics),
        "unscored": f"{rate.missing:,}",
        "bounds": f"{percent(rate.worst_case)} / {percent(rate.best_case)}" if graded else NOTHING,
        "split": percent(row.split),
    }


def shown_bands() -> str:
    """Return the bands in a line: "A 95% or more, ..., E below 50%"."""
    above = [f"{band.letter} {band.least:.0%} or more" for band in grades.BANDS[:-1]]
    return ", ".join([*above, f"{grades.BANDS[-1].letter} below {grades.BANDS[-2].least:.0%}"])


def shown_method(audience: Audience, population: Population) -> list[str]:
    """Return the paragraphs on how grades are made."""
    return [filled(paragraph, drawn=DRAWN[population], **MINIMUMS) for paragraph in audience.method]


def shown_unequal(label: Label, audience: Audience) -> list[str]:
    """Return a sentence for each axis along which people fare differently."""
    return [
        filled(
            audience.unequal,
            axis=contrast.axis,
            first=contrast.first,
            second=contrast.second,
            first_rate=percent(contrast.first_rate),
            second_rate=percent(contrast.second_rate),
        )
        for contrast in label.unequal
    ]


def _shown(row: Row, audience: Audience) -> ShownRow:
    words, figure = audience.rows[row.key], figures(row)
    example = row.example if audience.example and row.scored_metrics else None
    return ShownRow(
        kind=audience.avoids if row.key in AVOIDS else audience.promotes,
        key=row.key,
        name=words.name,
        text=words.text,
        example=filled(audience.example, name=example.metric.name) if audience.example and example else None,
        grade=row.grade,
        could_be=_could_be(row, audience),
        cells=tuple(Cell(column, heading, figure[column]) for column, heading in audience.columns.items()),
        beside=_beside(row, audience),
    )


def _beside(row: Row, audience: Audience) -> str | None:
    """Return the sentence on contrast metrics: who is sided with, or else how far answers differ."""
    compared = row.compared
    if compared is None:
        return None
    if compared.both_sides is not None:
        found = compared.both_sides
        return filled(audience.sides, share=percent(found.value), interval=span(interval_of(found, row.population)))
    if compared.widest is None:
        return filled(audience.no_gap, axis=compared.axis)
    widest = compared.widest.estimate
    gap, interval = widest.value, interval_of(widest, row.population)
    return filled(
        audience.gap,
        axis=compared.axis,
        first=compared.widest.first,
        second=compared.widest.second,
        gap=f"{gap:+.2f}",
        interval=f"{interval.low:+.2f} to {interval.high:+.2f}" if interval.is_known else NOTHING,
    )


def _could_be(row: Row, audience: Audience) -> str:
    if row.grade is not None:
        template = audience.sure if row.grade.is_sure else audience.could_be
        return filled(template, best=row.grade.best, worst=row.grade.worst)
    assert row.no_grade is not None  # a row has the one or the other
    return filled(
        getattr(audience.no_grade, row.no_grade.value),
        scored=f"{len(row.rate.scored):,}",
        scenarios=f"{row.scenarios:,}",
        metrics=str(row.scored_metrics),
        share=percent(row.unscored_share),
        interval=span(row.interval),
        **MINIMUMS,
    )


def _sentence(finding: Finding, audience: Audience) -> str:
    names = [f'"{audience.rows[key].name}"' for key in audience.order if key in finding.rows]
    return filled(
        getattr(audience.doubts, finding.doubt.value),
        rows=", ".join(names),
        low=percent(finding.low),
        high=percent(finding.high),
        share=percent(finding.share),
        count=str(finding.count),
        judges=", ".join(finding.judges),
    )

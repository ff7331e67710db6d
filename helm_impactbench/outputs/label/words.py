"""A label in the words of one audience: every text and figure ready to be shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from helm_impactbench.analysis.item_findings import MOST_UNSCORED
from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.errors import counted, listed
from helm_impactbench.outputs.label import grades
from helm_impactbench.outputs.label.apart import Apart
from helm_impactbench.outputs.label.audiences import Audience
from helm_impactbench.outputs.label.beside import beside
from helm_impactbench.outputs.label.doubts import GradeDoubt, GradeFinding
from helm_impactbench.outputs.label.grades import Grade, NoGrade
from helm_impactbench.outputs.label.groups import GradeGroup
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.phrases import NOTHING, filled, percent, span
from helm_impactbench.outputs.label.rows import GradedRow
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.population import Population

MOST_BENCHMARKS = 2
"""That a row names; the label lists all below."""
MINIMUMS = {
    "fewest_scored": str(grades.FEWEST_SCORED),
    "fewest_scenarios": str(grades.FEWEST_SCENARIOS),
    "fewest_metrics": str(grades.FEWEST_METRICS),
    "most_unscored": f"{MOST_UNSCORED:.0%}",
    "most_bands": str(grades.MOST_BANDS),
    "evidence": f"{grades.EVIDENCE:.0%}",
}
"""What a grade needs, as texts may say it."""


@dataclass(frozen=True)
class Cell:
    """A figure of a row under its column."""

    column: str
    heading: str
    text: str


@dataclass(frozen=True)
class ShownPart:
    """What a row shows of one group of people, or of everybody."""

    who: str
    """Whom it is about, as the audience calls them."""
    group: str
    """The same for programs: "axis=level", or "everybody"."""
    verdict: Grade | None
    """The grade; None where there is none, or where groups differ and it would be an average of theirs."""
    why_none: str
    """Why there is no grade; empty where there is one."""
    value: float
    """Pass rate, 0 to 1."""
    interval: Interval
    cells: tuple[Cell, ...]
    """Every column of the audience."""

    @property
    def span(self) -> str:
        """The grade as it is shown, "C" or "C to E"; "-" for none."""
        return self.figure("grade")

    @property
    def has_figures(self) -> bool:
        """Whether it has a rate to show: it has a grade, or is an average that gets none."""
        return self.verdict is not None or self.figure("rate") != NOTHING

    def figure(self, column: str) -> str:
        """Return a figure. Raises KeyError for a column that the audience does not have."""
        return {cell.column: cell.text for cell in self.cells}[column]


@dataclass(frozen=True)
class ShownRow:
    """A row, explained to an audience."""

    key: LabelRow
    name: str
    text: str
    """What it means."""
    grey: str
    """What stands in place of a grade; empty where there is one."""
    tried: str | None
    """What was tried; None for nothing."""
    parts: tuple[ShownPart, ...]
    """The leading group's first."""
    beside: str | None = None
    """What contrast metrics say, which is not graded; None without any."""

    @property
    def is_measured(self) -> bool:
        """Whether one of its parts has figures."""
        return any(part.has_figures for part in self.parts)

    @property
    def first(self) -> ShownPart:
        """The part that is shown large."""
        return self.parts[0]

    @property
    def grade(self) -> Grade | None:
        """The grade that is shown large."""
        return self.first.verdict


DRAWN: dict[Population, str] = {"these": "situations", "like-these": "situations, behaviours and benchmarks"}
"""What could have been another one."""


def shown_rows(label: Label, audience: Audience) -> list[ShownRow]:
    """Return the nine rows in the order of the sheet, explained to the audience."""
    return [_shown(label, label.row(key), audience) for key in audience.sheet.order]


def shown_findings(label: Label, audience: Audience, without: GradeDoubt | None = None) -> list[str]:
    """Return a sentence for each finding on the parts that lead the rows, but for those that are said elsewhere."""
    return [_sentence(finding, audience) for finding in label.findings() if finding.doubt is not without]


def figures(row: GradedRow) -> dict[str, str]:
    """Return the figures of a row by column, as all audiences see them; a row without a grade has no rate."""
    rate, graded = row.rate, row.grade is not None
    return {
        "grade": row.grade.span if row.grade else NOTHING,
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


def shown_date(label: Label, audience: Audience) -> str | None:
    """Return when the last run was; None where that is not known."""
    return filled(audience.dated, date=label.dated.isoformat()) if label.dated else None


def shown_unequal(label: Label, audience: Audience) -> list[str]:
    """Return a sentence for each axis along which people fare differently."""
    return [
        filled(
            audience.unequal,
            axis=gap.axis,
            first=group_words(gap.worse[0]),
            second=group_words(gap.better[0]),
            first_rate=percent(gap.worse[1]),
            second_rate=percent(gap.better[1]),
        )
        for gap in label.unequal
    ] or _shown_apart(label, audience)


def _shown_apart(label: Label, audience: Audience) -> list[str]:
    """Return a sentence on the rows in which people fare differently, where no test over all benchmarks finds it."""
    rows = [
        _apart_row(key, label.named_apart[key], audience) for key in audience.sheet.order if key in label.named_apart
    ]
    return [filled(audience.apart, rows=listed(rows))] if rows else []


def _apart_row(key: LabelRow, pair: Apart, audience: Audience) -> str:
    """Return a row's name with the rates of two groups, which need not have a grade there."""
    (first, first_rate, first_n), (second, second_rate, second_n) = (
        (
            group_words(row.group.level) if row.group else audience.everybody,
            percent(row.rate.value),
            f"{len(row.rate.scored):,}",
        )
        for row in (pair.worse, pair.better)
    )
    return filled(
        audience.apart_row,
        row=audience.sheet.names[key],
        first=first,
        second=second,
        first_rate=first_rate,
        second_rate=second_rate,
        first_scored=first_n,
        second_scored=second_n,
    )


def _shown(label: Label, row: GradedRow, audience: Audience) -> ShownRow:
    reason = reason_of(label, label.leading(row.key))
    return ShownRow(
        key=row.key,
        name=audience.sheet.names[row.key],
        text=audience.explains[row.key],
        grey=getattr(audience.sheet.grey, reason) if reason else "",
        tried=_tried(label, row, audience),
        parts=tuple(_part(label, part, audience) for part in label.parts(row.key)),
        beside=beside(row, audience),
    )


def _part(label: Label, row: GradedRow, audience: Audience) -> ShownPart:
    """Return a part; an average over people who fare differently gets no grade."""
    hidden = label.averages(row)
    shown = {**figures(row), **({"grade": NOTHING} if hidden else {})}
    return ShownPart(
        who=who_is_meant(row.group, audience),
        group=group_key(row.group),
        verdict=None if hidden else row.grade,
        why_none=audience.average if hidden else _why_none(label, row, audience),
        value=row.rate.value,
        interval=row.interval,
        cells=tuple(Cell(column, heading, shown[column]) for column, heading in audience.columns.items()),
    )


def who_is_meant(group: GradeGroup | None, audience: Audience) -> str:
    """Return what an audience calls a group, or everybody."""
    if group is None:
        return audience.everybody
    words = group_words(group.level)
    return f"{words[:1].upper()}{words[1:]}"


def group_key(group: GradeGroup | None) -> str:
    """Return what a program calls a group, or everybody."""
    return f"{group.axis}={group.level}" if group else "everybody"


def reason_of(label: Label, row: GradedRow) -> str:
    """Return why a part has no grade, as audiences.yaml calls it; empty where it has one."""
    if row.no_grade is NoGrade.NO_METRIC and label.missing:
        return "not_installed"
    return row.no_grade.value if row.no_grade else ""


def _tried(label: Label, row: GradedRow, audience: Audience) -> str | None:
    """Return what the row rests on, so that it claims no more than was tried."""
    names = {slug: name for slug, name, _ in label.tested.benchmarks}
    if not row.scored_metrics or row.example is None:
        return None
    return filled(
        audience.tried,
        behaviours=counted(row.scored_metrics, "behaviour"),
        benchmarks=listed([names.get(slug, slug) for slug in row.benchmarks], most=MOST_BENCHMARKS),
        example=row.example.metric.name,
    )


def _why_none(label: Label, row: GradedRow, audience: Audience) -> str:
    reason = reason_of(label, row)
    if not reason:
        return ""
    return filled(
        getattr(audience.no_grade, reason),
        lacking=", ".join(_lacking(row, audience)),
        share=percent(row.unscored_share),
        interval=span(row.interval),
        **MINIMUMS,
    )


def _lacking(row: GradedRow, audience: Audience) -> Iterator[str]:
    """Yield what a row has too few of for a grade."""
    words = audience.no_grade
    if (scored := len(row.rate.scored)) < grades.FEWEST_SCORED:
        yield filled(words.few_scored, scored=f"{scored:,}", **MINIMUMS)
    if row.scenarios < grades.FEWEST_SCENARIOS:
        yield filled(words.few_scenarios, scenarios=f"{row.scenarios:,}", **MINIMUMS)
    if row.scored_metrics < grades.FEWEST_METRICS:
        yield filled(words.few_metrics, metrics=str(row.scored_metrics), **MINIMUMS)


def _sentence(finding: GradeFinding, audience: Audience) -> str:
    names = [f'"{audience.sheet.names[key]}"' for key in audience.sheet.order if key in finding.rows]
    return filled(
        getattr(audience.doubts, finding.doubt.value),
        rows=", ".join(names),
        low=percent(finding.low),
        high=percent(finding.high),
        share=percent(finding.share),
        count=f"{finding.count or 0:,}",
        judges=", ".join(finding.judges),
        benchmarks=listed(finding.benchmarks, most=MOST_BENCHMARKS),
    )

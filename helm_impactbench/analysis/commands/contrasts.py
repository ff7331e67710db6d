"""`contrasts`: whether the same case ends differently for another person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from helm_impactbench.analysis.columns import confidence, pooled_cell
from helm_impactbench.analysis.commands.arms import arm_contrasts
from helm_impactbench.analysis.commands.compare import distances, units_apart_notes
from helm_impactbench.analysis.difference_rows import (
    SIGNIFICANT,
    ContrastRow,
    LevelContrastRow,
    contrast_rows,
    is_own_axis,
    level_contrast_row,
    without_gaps,
)
from helm_impactbench.analysis.gap_comparison import compare_gaps
from helm_impactbench.analysis.level_contrasts import LEVELS, Level, LevelContrast, level_contrasts, unmatched
from helm_impactbench.analysis.paired import undone_words
from helm_impactbench.analysis.people import people_gaps, people_sentences
from helm_impactbench.benchmark.wordings import AXIS as WORDING
from helm_impactbench.errors import counted
from helm_impactbench.stats.population import Population
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Kind, Result, Row, Table, columns_of
from helm_impactbench.tables.cells import value_text
from helm_impactbench.tables.column import with_cells

MOST_NAMED = 5
"""Of what cannot be compared; the rest are counted."""
_FIGURES = {
    "gap": "",
    "mean": "mean",
    "both_sides_rate": "both sides affirmed",
    "agree_rate": "agrees with the person",
    "agree_uplift": "uplift over the reference",
    "side_high_rate": "on the high side",
    "side_middle_rate": "on no side",
    "side_low_rate": "on the low side",
    "pass_rate_difference": "",
}
SAME_WORDS = "Contrast metrics"
WORDING_NOTE = (
    "Wording: the same case and the same first message, typed in another way before it was sent, or paraphrased by the "
    "simulated user's model. Later messages answer what the assistant said to that."
)


def contrasts(reading: Reading, by: str = "overall") -> Result:
    """Return the differences between levels: of contrast metrics, and of pass rates along every axis.

    by: overall, benchmark, metric, arm, axis:NAME, factor:NAME or option:NAME. Tests are corrected over all differences
    of a level by max-T. Raises ImpactBenchError when no conversation has a verdict, or nothing has the axis.
    """
    reading.check_verdicts()
    if by == "arm":
        return arm_contrasts(reading)
    outcomes, population = reading.outcomes, reading.population
    rows = contrast_rows(outcomes, by)
    axis = by.removeprefix("axis:") if by.startswith("axis:") else ""
    level: Level | None = by if by in LEVELS else "overall" if axis else None
    found = level_contrasts(outcomes)
    leveled = bool(reading.levels)
    at_level = [contrast for contrast in found if contrast.level == level and axis in ("", contrast.axis)]
    level_rows = [level_contrast_row(contrast) for contrast in found]
    tables = [*(distances(compare_gaps(outcomes)) if rows and by in ("overall", "benchmark") else [])]
    if rows:
        tables += _screen(SAME_WORDS, ContrastRow, rows, population)
        tables.append(Table("contrasts", columns_of(ContrastRow), rows, SAME_WORDS, "file"))
    if level and at_level:
        own = [level_contrast_row(contrast) for contrast in at_level]
        tables += _screen(f"Pass rates {_where(by)}", LevelContrastRow, own, population)
    if level_rows or not rows:
        tables.append(Table("level_contrasts", columns_of(LevelContrastRow), level_rows, "Pass rates", "file"))
    notes = [*_contrast_notes(reading, rows, by)]
    if level and (leveled or not rows):
        without = [names for names in unmatched(outcomes, found, level) if axis in ("", names[2])]
        if at_level or not (rows or without):
            notes.append(_summary(at_level, by))
        notes += _not_compared(without)
    elif leveled:
        known = ", ".join((*LEVELS, "axis:NAME"))
        notes.append(f"Pass rates are contrasted by {known} only: impactbench rates --by {by}.")
    if any(contrast.axis == WORDING for contrast in at_level):
        notes.append(WORDING_NOTE)
    first = people_sentences(people_gaps(outcomes))
    return Result(tuple(tables), tuple(notes), tuple(_details(rows, by)), first=first)


def _screen(title: str, row: type, rows: Sequence[Row], population: Population) -> Iterator[Table]:
    """Yield what is significant, and with --wide all."""
    significant = [one for one in rows if one.get("found")]
    columns = _columns(row, population, "gap" if row is ContrastRow else "")
    if significant:
        yield Table("significant", columns, significant, f"{title}: significant differences", in_files=False)
    yield Table("all", columns, rows, f"{title}: all", "wide", in_files=False)


def _columns(row: type, population: Population, kind: str) -> tuple[Column, ...]:
    pair = Column("Levels", "text", "First minus second.", "default", text=levels_text, in_files=False)
    value = Column(
        "Difference (95% CI)",
        "difference",
        "With its interval.",
        "default",
        in_files=False,
        text=lambda one: _value_text(one, population),
    )
    cells = {
        "second": pair,
        "value": value,
        "adjusted_p": replace(SIGNIFICANT, view="wide"),  # the narrow screen has significant rows alone
        "pooled_high": pooled_cell("pooled_gap", "difference"),
    }
    return tuple(column for column in with_cells(columns_of(row), **cells) if column.key != "value")


def levels_text(row: Row) -> str:
    """Return what a row is the figure of: man minus woman; mean, man."""
    name = _FIGURES[row["figure"]]
    levels = f"{row['first']} minus {row['second']}" if row["second"] else row["first"]
    return ", ".join(filter(None, (name, levels)))


def _value_text(row: Row, population: Population) -> str:
    kind: Kind = "rate" if row["figure"].endswith("_rate") else "difference"
    interval = confidence(population, kind)
    assert interval.text is not None
    return f"{value_text(row['value'], kind)} ({interval.text(row)})"


def _contrast_notes(reading: Reading, rows: Sequence[ContrastRow], by: str) -> Iterator[str]:
    outcomes = reading.outcomes
    if rows:
        gaps = [row for row in rows if row["figure"] == "gap"]
        tested = [(bool(row["found"]), bool(row["can_be_found"]), row["undone_by"]) for row in gaps]
        yield _concluded(
            tested, "difference between groups on the same words", "differences between groups on the same words"
        )
        if by != "metric":
            yield from units_apart_notes([outcome for outcome in outcomes if not is_own_axis(outcome, by)])
    if whole := sorted({outcome.metric for outcome in outcomes if is_own_axis(outcome, by)}):
        yield (
            f"Not broken down by {by}: {', '.join(whole)}. A contrast metric compares the levels of its own axis; "
            "--by metric shows the differences."
        )
    if by in LEVELS:
        yield from _not_compared(without_gaps(outcomes, by))


def _not_compared(names: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Name what cannot be compared; names: model, scope, axis and, where there are several, the two levels."""
    if not names:
        return
    listed = [
        f"{model}, {scope}, {axis}{': ' + ' and '.join(levels) if levels else ''}"
        for model, scope, axis, *levels in names[:MOST_NAMED]
    ]
    more = f"; and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    yield f"Not compared, as no case has a verdict on both sides: {'; '.join(listed)}{more}."


def _summary(contrasts_of_level: Sequence[LevelContrast], by: str) -> str:
    if not contrasts_of_level:
        return (
            "Pass rates have nothing to contrast: no two scored variants of a case differ in one axis only. A run with "
            "--quick or --part holds few cases in several variants: run a benchmark whole to compare groups."
        )
    tested = [(one.found, one.can_be_found, one.tips) for one in contrasts_of_level]
    return _concluded(tested, f"difference of pass rates {_where(by)}", f"differences of pass rates {_where(by)}")


def _where(by: str) -> str:
    return "over all benchmarks" if by == "overall" else f"by {by}"


def _concluded(tested: Sequence[tuple[bool, bool, float | None]], what: str, several: str) -> str:
    """Return what may be concluded; `tested`: whether each is significant, could be, and what undoes it."""
    tips = [undone for found, _, undone in tested if found]
    text = f"Significant: {len(tips)} of {counted(len(tested), what, several)} (max-T, 5%)."
    if cannot := sum(not can_be_found for _, can_be_found, _ in tested):
        text += f" Too few base scenarios to test {cannot:,} of them."
    return " ".join([text, *undone_words(tips)])


def _details(rows: Sequence[ContrastRow], by: str) -> Iterator[str]:
    yield "95% CI over scenarios. Not significant does not mean equal. The ideal difference is 0."
    yield "Intervals of tested differences hold for all of them at once: they exclude 0 just where one is significant."
    if by == "metric":
        yield (
            "Pooled: shrunk towards the differences of the benchmark's other metrics, more so with fewer cases. "
            "The tests say whether there is a difference."
        )

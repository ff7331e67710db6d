"""`audit cues`: what a model infers from each cue of a benchmark, beside what it is meant to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, TypedDict

from helm_impactbench.errors import counted
from helm_impactbench.tables import Column, Conclusion, Result, Table
from helm_impactbench.tables.cells import value_text
from helm_impactbench.validity.cues import CueReading, LevelReading, level_readings


class CueLevelRow(TypedDict):
    """The cues of one level."""

    axis: Annotated[str, Column("Axis", "text", "What the levels are of.", "default")]
    level: Annotated[str, Column("Level", "text", "What the cues are meant to say.", "default")]
    as_meant: Annotated[int, Column("As meant", "count", "Cues that are read so.", "default")]
    read: Annotated[int, Column("Of", "count", "Cues with an answer.", "default")]
    interval: Annotated[str, Column("95% CI", "text", "Of the share, for other cues like these.", "default")]
    otherwise: Annotated[str, Column("Read otherwise", "text", "Cue: answer.", "default")]


class CueRow(TypedDict):
    """One cue and its reading."""

    axis: Annotated[str, Column("Axis", "text", "What the levels are of.", "wide")]
    level: Annotated[str, Column("Level", "text", "What the cue is meant to say.", "wide")]
    cue: Annotated[str, Column("Cue", "text", "The words.", "wide")]
    meant: Annotated[str, Column("Meant", "text", "The answer that is meant.", "wide")]
    answer: Annotated[str | None, Column("Answer", "text", "What the model infers.", "wide")]
    as_meant: Annotated[bool, Column("As meant", "flag", "Whether both are equal.", "wide")]
    problem: Annotated[str, Column("Problem", "text", "Why there is no answer.")]


def cue_result(readings: Sequence[CueReading], reader: str) -> Result:
    """Return the readings by level and one by one, with exit code 1 where a level is not read as meant."""
    levels = level_readings(readings)
    tables = (
        Table.of("levels", CueLevelRow, [*map(_level_row, levels)], f"What {reader} infers from each cue alone"),
        Table.of("cues", CueRow, [*map(_cue_row, readings)], "Cue by cue", "wide"),
    )
    weak = [level.level for level in levels if not level.holds]
    share = sum(level.as_meant for level in levels) / max(1, sum(level.read for level in levels))
    sentence = f"Read as meant: {value_text(share, 'share')} of all cues."
    if weak:
        sentence += f" Below 80%: {', '.join(weak)}; gaps of these levels are not about what they name."
    return Result(tables, tuple(_notes(levels)), verdict=Conclusion(sentence, int(bool(weak))))


def _notes(levels: Sequence[LevelReading]) -> Iterator[str]:
    if unread := sum(level.unread for level in levels):
        yield f"{counted(unread, 'cue')} without an answer that can be read."


def _level_row(level: LevelReading) -> CueLevelRow:
    return {
        "axis": level.axis,
        "level": level.level,
        "as_meant": level.as_meant,
        "read": level.read,
        "interval": str(level.interval),
        "otherwise": "; ".join(f"{cue}: {answer}" for cue, answer in level.otherwise) or "-",
    }


def _cue_row(reading: CueReading) -> CueRow:
    return {
        "axis": reading.asked.axis,
        "level": reading.asked.level,
        "cue": reading.asked.cue,
        "meant": reading.asked.meant,
        "answer": reading.answer,
        "as_meant": reading.is_as_meant,
        "problem": reading.problem,
    }

"""Verdicts in a CSV table that anybody wrote: one row per verdict, each fault told with its line and its cure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from helm_impactbench.authoring.file_rows import read_rows
from helm_impactbench.errors import ExchangeError, ImpactBenchError, did_you_mean
from helm_impactbench.files.safe_read import MAX_RUN_BYTES, IntakeError, parsed_json
from helm_impactbench.outputs.export.foreign_rows import ForeignMessage, explained

COLUMNS = (
    "model",
    "case",
    "metric",
    "verdict",
    "benchmark",
    "type",
    "definition",
    "sample",
    "justification",
    "transcript",
)
NEEDED = ("model", "case", "metric")
AXIS, FACTOR = "axis_", "factor_"
"""Before the name of an axis or factor: the column of its levels."""
VERDICTS = ("pass", "fail", "present", "absent", "")
TYPES = ("positive", "negative", "")
_MESSAGES = TypeAdapter(list[ForeignMessage])


@dataclass(frozen=True)
class TableRow:
    """One verdict."""

    place: str
    """File and line, for messages."""
    model: str
    benchmark: str
    """As it is called there; empty: the file's own name."""
    case: str
    """Id of the base scenario, or of the variant itself in an installed benchmark."""
    metric: str
    verdict: str
    """One of VERDICTS; empty where there is none."""
    type: str = ""
    """Of the metric, one of TYPES; empty where nobody says."""
    metric_name: str = ""
    definition: str = ""
    variant: str = ""
    """Id of the variant, where the file has one."""
    axes: Mapping[str, str] = field(default_factory=dict)
    factors: Mapping[str, str] = field(default_factory=dict)
    sample: int = 0
    justification: str = ""
    messages: tuple[ForeignMessage, ...] | None = None
    """What was said; None where the file does not have it."""


def csv_verdicts(path: Path) -> list[TableRow]:
    """Return the rows of a CSV table. Raises ExchangeError with the line, the column and what to do."""
    try:
        found = read_rows(path, '{"model": "..."}', MAX_RUN_BYTES)
    except ImpactBenchError as error:
        raise ExchangeError(str(error)) from error
    stripped = [(line, {name: cell.strip() for name, cell in cells.items() if cell.strip()}) for line, cells in found]
    rows = [_row(f"{path}:{line}", cells) for line, cells in stripped]
    if rows and not any("verdict" in cells for _, cells in found):
        raise ExchangeError(f"{path}: no row has a verdict. The column is called verdict, with {_allowed(VERDICTS)}.")
    return rows


def _row(place: str, cells: Mapping[str, Any]) -> TableRow:
    _check_columns(place, cells)
    one_of(place, "verdict", cells.get("verdict", ""), VERDICTS)
    one_of(place, "type", cells.get("type", ""), TYPES)
    return TableRow(
        place=place,
        model=cells["model"],
        benchmark=cells.get("benchmark", ""),
        case=cells["case"],
        metric=cells["metric"],
        verdict=cells.get("verdict", ""),
        type=cells.get("type", ""),
        definition=cells.get("definition", ""),
        axes=dict(_levels(cells, AXIS)),
        factors=dict(_levels(cells, FACTOR)),
        sample=whole_sample(place, cells.get("sample", "0")),
        justification=cells.get("justification", ""),
        messages=_transcript(place, cells["transcript"]) if "transcript" in cells else None,
    )


def _check_columns(place: str, cells: Mapping[str, Any]) -> None:
    for name in cells:
        if name not in COLUMNS and not (name.startswith((AXIS, FACTOR)) and name.partition("_")[2]):
            raise ExchangeError(
                f"{place}, column {name!r}: unknown. Columns are {', '.join(COLUMNS)}; call a column of levels "
                f"{AXIS}{name} (who speaks) or {FACTOR}{name} (what a case is about), or remove it."
                f"{did_you_mean(name, COLUMNS)}"
            )
    for name in NEEDED:
        if not cells.get(name, ""):
            raise ExchangeError(f"{place}, column {name}: empty or missing. Every row needs {', '.join(NEEDED)}.")


def one_of(place: str, column: str, value: str, allowed: Sequence[str]) -> None:
    """Raise ExchangeError unless a cell has one of the words that are allowed in its column."""
    if value not in allowed:
        raise ExchangeError(f"{place}, column {column}: found {value[:60]!r}. Write {_allowed(allowed)}.")


def _allowed(words: Sequence[str]) -> str:
    return f"{', '.join(word for word in words if word)}, or leave the cell empty where it is not known"


def _levels(cells: Mapping[str, str], prefix: str) -> Iterator[tuple[str, str]]:
    for name, level in cells.items():
        if name.startswith(prefix):
            yield name.removeprefix(prefix), level


def whole_sample(place: str, text: str) -> int:
    """Return the number of a sample, from 0. Raises ExchangeError."""
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise ExchangeError(f"{place}, column sample: found {text[:60]!r}. Write 0 for the first answer, then 1, 2 ...")
    return int(text)


def _transcript(place: str, text: str) -> tuple[ForeignMessage, ...]:
    try:
        return messages_of(place, "column transcript", parsed_json(text))
    except IntakeError as error:
        raise ExchangeError(
            f'{place}, column transcript: {error}. Write [{{"role": "user", "content": "..."}}, ...].'
        ) from error


def messages_of(place: str, field_name: str, data: Any) -> tuple[ForeignMessage, ...]:
    """Return the messages in JSON data: perhaps a system prompt, then user and assistant in turn.

    Raises ExchangeError.
    """
    try:
        messages = tuple(_MESSAGES.validate_python(data))
    except ValidationError as error:
        raise ExchangeError(f"{place}, {field_name}: {explained(error.errors()[0])}.") from error
    spoken = [message.role for message in messages if message.role != "system"]
    if any(role != ("user", "assistant")[number % 2] for number, role in enumerate(spoken)):
        raise ExchangeError(f"{place}, {field_name}: user and assistant must take turns, and the user begins.")
    return messages

"""A column of a table, declared once: its key, heading, kind, meaning, and where it is shown.

Rows are typed dictionaries. Each field of a row carries its column as an annotation, and the field's name is the key:

    class RateRow(TypedDict):
        model: Annotated[str, Column("Model", "model", "Deployment of the target.", view="default")]
        pass_rate: Annotated[float, Column("Pass rate", "rate", "Share of scored conversations that passed.")]

    columns_of(RateRow)   # for screens, files, DataFrames, pages and docs
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, get_type_hints

Kind = Literal["text", "model", "count", "rate", "difference", "number", "p", "share", "money", "flag"]
"""How a value is written for people: see `cells.cell_text`."""
View = Literal["default", "wide", "file"]
"""Where something is: on every screen, on a wide one (--wide) too, or in files and DataFrames alone."""
Row = Mapping[str, Any]
"""A record of a table: key of a column -> value. Declared as a TypedDict."""
Condition = Callable[[Sequence[Row]], bool]
"""Says of a table's rows whether a column is worth showing."""


@dataclass(frozen=True)
class Column:
    """One column, wherever the table appears."""

    title: str
    """Heading for people; no unit where the kind says it."""
    kind: Kind
    about: str
    """One line that explains it, for the docs."""
    view: View = "file"
    when: Condition | None = None
    """On a screen, only where this holds of the rows; None for always."""
    key: str = ""
    """Name in files and DataFrames; that of the field that it annotates."""
    text: Callable[[Row], str] | None = None
    """Writes the cell of a row where one value and its kind do not say it all."""
    in_files: bool = True
    """False for what puts several columns of a file into one cell of a screen, such as an interval."""
    exact: bool = False
    """Whether CSV has its text as it is, whatever sign it begins with: only for text that this package wrote."""

    def is_shown(self, rows: Sequence[Row], *, wide: bool) -> bool:
        """Return whether it stands on a screen of these rows."""
        visible = self.view == "default" or (wide and self.view == "wide")
        return visible and (self.when is None or self.when(rows))


@cache
def columns_of(row: type) -> tuple[Column, ...]:
    """Return the columns of a row's type, in the order of its fields. Raises TypeError for a field without one."""
    columns = []
    for key, hint in get_type_hints(row, include_extras=True).items():
        column = next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Column)), None)
        if column is None:
            raise TypeError(f"{row.__name__}.{key} has no Column in its annotation")
        columns.append(replace(column, key=key))
    return tuple(columns)


def with_cells(columns: Sequence[Column], **after: Column) -> tuple[Column, ...]:
    """Return columns with cells for screens put in: `pass_rate=Column(...)` stands right after the key pass_rate."""
    placed = ([column, after[column.key]] if column.key in after else [column] for column in columns)
    return tuple(column for group in placed for column in group)


def named_columns(rows: Sequence[Row], pattern: str, title: str, about: str) -> tuple[Column, ...]:
    """Return a text column for every key of the rows that matches, such as axis_NAME, in order of appearance."""
    keys = dict.fromkeys(key for row in rows for key in row if re.fullmatch(pattern, key))
    return tuple(Column(f"{title} {key.partition('_')[2]}", "text", about, key=key) for key in keys)


def any_of(key: str) -> Condition:
    """Return the condition that some row has a value that counts: neither None, nor 0, nor empty."""
    return lambda rows: any(row.get(key) for row in rows)


def known(key: str) -> Condition:
    """Return the condition that some row has a value, be it 0."""
    return lambda rows: any(row.get(key) is not None for row in rows)


def varies(key: str) -> Condition:
    """Return the condition that not all rows have the same value, as what is constant is no column."""
    return lambda rows: len({row.get(key) for row in rows}) > 1

"""A result as HTML for a notebook: what a screen shows. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from helm_impactbench.tables.cells import cell_text
from helm_impactbench.tables.column import Column
from helm_impactbench.tables.table import Table

_WORDS = ("text", "model")
"""Kinds of column that stand on the left."""


def html_of(head: Iterable[str], tables: Iterable[Table], notes: Iterable[str]) -> str:
    """Return the lines of a head, tables and what has to be said beside them."""
    return Markup("\n").join(
        [
            *(Markup("<p><strong>{}</strong></p>").format(line) for line in head),
            *map(_table, tables),
            *_paragraphs(notes),
        ]
    )


def _table(table: Table) -> Markup:
    columns = [column for column in table.columns if column.is_shown(table.rows, wide=False)]
    caption = Markup("<caption>{}</caption>").format(table.title) if table.title else Markup("")
    head = _row("th", columns, [column.title for column in columns])
    body = Markup("").join(_row("td", columns, [cell_text(column, row) for column in columns]) for row in table.rows)
    grid = Markup("<table>{}<thead>{}</thead><tbody>{}</tbody></table>").format(caption, head, body)
    return Markup("\n").join([grid if table.rows else caption, *_paragraphs(table.notes)])


def _row(tag: str, columns: Sequence[Column], texts: Sequence[str]) -> Markup:
    cells = (
        Markup('<{} style="text-align: {}">{}</{}>').format(
            tag, "left" if column.kind in _WORDS else "right", text, tag
        )
        for column, text in zip(columns, texts, strict=True)
    )
    return Markup("<tr>{}</tr>").format(Markup("").join(cells))


def _paragraphs(lines: Iterable[str]) -> list[Markup]:
    return [Markup("<p>{}</p>").format(escape(line)) for line in lines if line]

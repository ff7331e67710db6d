"""Tables that a terminal can hold: no figure is cut and no word broken; what is too wide is printed row by row."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

Row = Sequence[str]

_FIGURE = re.compile(r"^(?!.*[A-Za-z]{4})(?=.*\d).*$|^-?$")
"""A number, an interval, a fraction, or nothing; not a word."""
_BETWEEN = 3
"""Spaces between two columns."""
_EDGES = 2


def widths(header: Row, *rows: Row) -> list[int]:
    """Return the least width of each column in which only the spaces between words are broken."""
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    return [
        max(map(len, [*name.split(), *_pieces(cells)]), default=0) for name, cells in zip(header, columns, strict=True)
    ]


def table_width(header: Row, *rows: Row) -> int:
    """Return the least width of a whole table."""
    return sum(widths(header, *rows)) + _BETWEEN * (len(header) - 1) + _EDGES


def fitted(width: int, header: Row, *rows: Row) -> list[int]:
    """Return the width of each column of a table that is to fit: the widest are narrowed first, to their least."""
    least = widths(header, *rows)
    found = [max(map(len, cells)) for cells in zip(header, *rows, strict=True)]
    over = sum(found) - sum(least) - (width - table_width(header, *rows))
    for _ in range(min(over, sum(found) - sum(least))):
        column = max((i for i in range(len(found)) if found[i] > least[i]), key=lambda i: found[i])
        found[column] -= 1
    return found


def is_figures(cells: Sequence[str]) -> bool:
    """Return whether a column holds figures, which are not broken over lines."""
    return all(_FIGURE.match(cell) for cell in cells)


def _pieces(cells: Sequence[str]) -> list[str]:
    """Return what must stay whole of a column's cells."""
    return list(cells) if is_figures(cells) else [word for cell in cells for word in cell.split()]


def records(header: Row, rows: Sequence[Row], width: int) -> list[str]:
    """Return a table row by row: its first cell, once where rows share it, and below it the others by column's name.

    A model needs no name of its column; anything else has it.
    """
    lines: list[str] = []
    before = None
    for first, *others in rows:
        items = [f"{name}: {cell}" for name, cell in zip(header[1:], others, strict=True) if cell]
        head = first if header[0] == "Model" or not first else f"{header[0]}: {first}"
        lines += [*([] if first == before else textwrap.wrap(head, width) or ["-"]), *_flowing(items, width)]
        before = first
    return lines


def _flowing(items: Sequence[str], width: int) -> list[str]:
    """Return items in indented lines, as many in each as there is room for."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + _BETWEEN + len(item) <= width:
            lines[-1] += " " * _BETWEEN + item
        else:
            lines += textwrap.wrap(item, width, initial_indent="  ", subsequent_indent="    ")
    return lines

"""CSV that people open by hand: no cell is a formula in a spreadsheet, and what was written can be read back exactly.

Source: OWASP, CSV Injection. An apostrophe goes before every text that a spreadsheet could take for a formula, and
before every text that already looks like one with apostrophes before it; so taking one away always gives the text back.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Container, Iterable
from typing import Any, TextIO

_INVISIBLE = "\\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_STARTS = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b"
"""The signs that begin a formula, in full-width and small forms too."""
_FORMULA = re.compile(f"'*[{_INVISIBLE}]*[\\t\\r\\n{_STARTS}]")


def guarded(text: str) -> str:
    """Return `text` so that no spreadsheet takes it for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """Return the text that `guarded` made the cell of; a cell that it did not change stays as it is."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


class SpreadsheetWriter:
    """Writes rows as CSV: comma, CR LF, quotation marks where they are needed. Numbers stay as they are."""

    def __init__(self, file: TextIO, *, guard: bool = True, quote_all: bool = False) -> None:
        """`file` is opened with newline="". Without `guard` texts are exact, and formulas only counted."""
        self._writer = csv.writer(
            file, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL, lineterminator="\r\n"
        )
        self._guard = guard
        self.formulas = 0
        """Cells that a spreadsheet would take for a formula, or does not because they are guarded."""

    def row(self, cells: Iterable[Any], exact: Container[int] = ()) -> None:
        """Write a row. exact: places of cells whose text is written as it is, because we know that it is no formula."""
        self._writer.writerow([cell if place in exact else self._cell(cell) for place, cell in enumerate(cells)])

    def _cell(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        safe = guarded(value)
        self.formulas += safe != value
        return safe if self._guard else value

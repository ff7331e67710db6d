"""A sheet as CSV: one row per conversation, made so that a spreadsheet shows it and runs nothing in it."""

from __future__ import annotations

import io
from collections.abc import Iterable

from helm_impactbench.files.spreadsheet import SpreadsheetWriter
from helm_impactbench.validity.annotation.view import View

COLUMNS = (
    *("item_id", "question", "definition", "exclusions", "applies", "examples", "near_misses", "facts"),
    *("transcript", "allowed", "answer", "note"),
)
SPREADSHEET_LIMIT = 32_767
"""Characters that a spreadsheet keeps of a cell."""


def transcript_text(view: View) -> str:
    """Return the numbered transcript; messages are indented, so that no line in them can pass for a speaker's."""
    blocks = [
        f"[{turn.number}] {speaker}\n{_indented(words)}"
        for turn in view.turns
        for speaker, words in (("USER", turn.user), ("ASSISTANT", turn.assistant))
        if words is not None
    ]
    return "\n\n".join(blocks)


def sheet_csv(items: Iterable[tuple[str, View]]) -> str:
    """Return the sheet for (item id, view) pairs, with empty cells for answer and note."""
    text = io.StringIO()
    writer = SpreadsheetWriter(text, quote_all=True)
    writer.row(COLUMNS)
    for item_id, view in items:
        allowed = " / ".join([*(["a number"] if view.number else []), *(word for word, _ in view.answers)])
        cells = (
            *(view.question, view.definition, numbered(view.exclusions), view.applies),
            *map(numbered, (view.examples, view.near_misses, view.facts)),
            *(transcript_text(view), allowed),
        )
        writer.row((item_id, *cells, "", ""))
    return text.getvalue()


def _indented(words: str) -> str:
    return "\n".join(f"  {line}" for line in words.split("\n"))


def numbered(lines: Iterable[str]) -> str:
    """Return lines as a numbered list."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))

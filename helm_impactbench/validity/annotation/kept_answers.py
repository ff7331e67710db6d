"""One person's answers to a sheet, kept in a file as they are given: answers-PERSON.csv, which `annotate score` reads.

Each change rewrites the file in one step, so that whatever ends the program loses no answer that was said to be saved.
"""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from helm_impactbench.errors import printable
from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.files.spreadsheet import SpreadsheetWriter
from helm_impactbench.validity.annotation.errors import AnnotationError
from helm_impactbench.validity.annotation.reading import read_cells

COLUMNS = ("item_id", "answer", "note", "annotator", "quotes")
PREFIX = "answers-"
MOST_NAME, MOST_NOTE, MOST_QUOTES = 80, 10_000, 50
"""Characters of a person's name and of a note, and quotes on an item."""


@dataclass(frozen=True)
class Quote:
    """Words of a message that a person points at."""

    turn: int
    quote: str


@dataclass(frozen=True)
class Given:
    """What a person says of one item."""

    answer: str = ""
    """Empty: not answered."""
    note: str = ""
    quotes: tuple[Quote, ...] = ()


_QUOTES = TypeAdapter(tuple[Quote, ...])


class KeptAnswers:
    """The answers of one person. All methods may be called from any thread; two programs may not write one file."""

    def __init__(self, path: Path, person: str, items: Sequence[str]) -> None:
        """`items` are the ids of the sheet, in its order."""
        self.path, self.person = path, person
        self._items, self._lock = tuple(items), threading.Lock()

    def read(self) -> dict[str, Given]:
        """Return item -> what was given. Raises AnnotationError for a file that cannot be read."""
        if not self.path.is_file():
            return {}
        found = {
            cells["item_id"]: Given(cells["answer"], cells["note"], _quotes(cells["quotes"]))
            for _, cells in read_cells(self.path, ("item_id", "answer"), ("note", "annotator", "quotes"))
        }
        if others := {*found} - {*self._items}:
            raise AnnotationError(
                f"{self.path} has answers to another sheet ({min(others)}); move it away, or annotate that sheet."
            )
        return found

    def put(self, item: str, given: Given) -> None:
        """Keep what was given on an item. Raises AnnotationError when the file cannot be written or read."""
        with self._lock:
            kept = {**self.read(), item: given}
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(self.path, self._text(kept))
            except OSError as error:
                raise AnnotationError(f"{self.path} cannot be written: {error.strerror or error}.") from error

    def delete(self) -> None:
        """Remove the file."""
        with self._lock:
            self.path.unlink(missing_ok=True)

    def _text(self, kept: Mapping[str, Given]) -> str:
        text = io.StringIO()
        writer = SpreadsheetWriter(text, quote_all=True)
        writer.row(COLUMNS)
        for item in self._items:
            given = kept.get(item, Given())
            quotes = [asdict(quote) for quote in given.quotes]
            told = json.dumps(quotes, ensure_ascii=False) if quotes else ""
            writer.row((item, given.answer, given.note, self.person, told))
        return "\ufeff" + text.getvalue()  # without the mark, Excel reads UTF-8 as something else


def person_of(path: Path) -> str:
    """Return whose answers a file holds; empty where it does not say it. Raises AnnotationError."""
    return next((cells["annotator"] for _, cells in read_cells(path, ("item_id", "answer"), ("annotator",))), "")


def person_name(text: str) -> str:
    """Return a person's name in one line. Raises AnnotationError without one."""
    name = " ".join(printable(text).split())
    if not name or len(name) > MOST_NAME:
        raise AnnotationError(f"A name of 1 to {MOST_NAME} characters is needed: yours, or a code.")
    return name


def given_in(data: Mapping[str, Any]) -> Given:
    """Return what a browser has sent of one item. Raises AnnotationError for anything else."""
    try:
        found = TypeAdapter(Given).validate_python({name: data.get(name) for name in ("answer", "note", "quotes")})
    except ValidationError as error:
        raise AnnotationError("An answer has an answer, a note and quotes.") from error
    if len(found.note) > MOST_NOTE or len(found.quotes) > MOST_QUOTES:
        raise AnnotationError(f"A note has up to {MOST_NOTE:,} characters, and an item up to {MOST_QUOTES} quotes.")
    return found


def _quotes(text: str) -> tuple[Quote, ...]:
    try:
        return _QUOTES.validate_json(text or "[]")
    except ValidationError:
        return ()  # a spreadsheet has changed them

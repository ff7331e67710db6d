"""Read people's answers back: strictly, with the file and line of everything that is wrong.

A spreadsheet program may have saved the file: a byte order mark, CRLF, semicolons, tabs, UTF-16 and cp1252 are
accepted. What could be taken in two ways is refused. Nothing is ever written to a file of answers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from helm_impactbench.benchmark.measures.base import InvalidAnswerError, Reading
from helm_impactbench.errors import did_you_mean
from helm_impactbench.files.safe_read import MAX_RUN_BYTES, IntakeError, read_bytes
from helm_impactbench.files.spreadsheet import unguarded
from helm_impactbench.validity.annotation.errors import AnnotationError

SEPARATORS = (",", ";", "\t")
MOST_FAULTS = 10
MOST_CELL = 100_000_000
"""Characters of a cell; transcripts are longer than what Python's reader allows by itself."""


@dataclass(frozen=True)
class Annotation:
    """One person's answer on one item."""

    person: str
    item_id: str
    word: str
    """As it was given; empty: not answered."""
    where: str
    """File and line."""
    reading: Reading | None = None
    """What it says; None where there is no answer."""


Readers = Mapping[str, Callable[[str], Reading]]
"""Item id -> what reads an answer on it; it raises InvalidAnswerError."""


def read_annotations(paths: Sequence[Path], readers: Readers) -> list[Annotation]:
    """Return the rows of one or more files of answers, empty ones included.

    A person is the column `annotator`, or else the file's name. Raises AnnotationError with every fault found, up to
    MOST_FAULTS: unknown items, answers that are not allowed, an item twice by one person.
    """
    found: list[Annotation] = []
    faults: list[str] = []
    for path, person in zip(paths, _names(paths), strict=True):
        for annotation in _read(path, person):
            read, fault = _interpreted(annotation, readers)
            found.append(read)
            faults += [fault] if fault else []
    faults += _repeated(found)
    if faults:
        more = f"\n... and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
        raise AnnotationError("Answers cannot be scored:\n" + "\n".join(faults[:MOST_FAULTS]) + more)
    if not any(annotation.word for annotation in found):
        raise AnnotationError(
            f"No answer in {', '.join(map(str, paths))}: all {len(found)} rows are empty in the column answer."
        )
    return found


def _names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each file, longer where two files are called the same."""
    stems = [path.stem for path in paths]
    return [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]


def _read(path: Path, person: str) -> Iterator[Annotation]:
    lines = read_rows(path)
    _, header = next(lines, (1, []))
    columns = _columns(header, path)
    for line, row in lines:
        if not any(cell.strip() for cell in row):
            continue
        cells = {name: unguarded(row[index].strip()) if index < len(row) else "" for name, index in columns.items()}
        word, named = cells["answer"].lower(), cells.get("annotator", "")
        yield Annotation(named or person, cells["item_id"], word, f"{path}, line {line}")


def _columns(header: Sequence[str], path: Path) -> dict[str, int]:
    names = [name.strip().lower() for name in header]
    for needed in ("item_id", "answer"):
        if names.count(needed) != 1:
            problem = "has twice" if needed in names else "lacks"
            raise AnnotationError(
                f"{path}, line 1: the header {problem} the column {needed!r}; got: "
                f"{', '.join(names)[:200] or 'an empty file'}; needed: item_id and answer, and annotator and note if "
                f"there are any.{did_you_mean(needed, names)}"
            )
    return {name: index for index, name in enumerate(names) if name in ("item_id", "answer", "annotator")}


def _interpreted(annotation: Annotation, readers: Readers) -> tuple[Annotation, str]:
    """Return an annotation with what it says, and what is wrong with it."""
    if annotation.item_id not in readers:
        return annotation, (
            f"{annotation.where}: no item {annotation.item_id!r} in this key; these answers are of another sheet, or "
            f"the id was changed.{did_you_mean(annotation.item_id, readers)}"
        )
    if not annotation.word:
        return annotation, ""
    try:
        return replace(annotation, reading=readers[annotation.item_id](annotation.word)), ""
    except InvalidAnswerError as error:
        return annotation, f"{annotation.where}: {error}"


def _repeated(annotations: Sequence[Annotation]) -> list[str]:
    first: dict[tuple[str, str], Annotation] = {}
    faults = []
    for annotation in annotations:
        earlier = first.setdefault((annotation.person, annotation.item_id), annotation)
        if earlier is not annotation:
            faults.append(
                f"{annotation.where}: {annotation.person} answered {annotation.item_id} before, in {earlier.where}; "
                "keep one of the rows, or give the people different names in the column annotator."
            )
    return faults


def read_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its first line, cells) for each row. Raises AnnotationError."""
    text = _text(path)
    csv.field_size_limit(MOST_CELL)
    first = text.split("\n", 1)[0]
    separator = max(SEPARATORS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise AnnotationError(
            f"{path}, line {line}: the row that begins there is no valid CSV ({error}); mostly a quotation mark that "
            "is not closed. Save the file again as CSV UTF-8."
        ) from error


def _text(path: Path) -> str:
    try:
        content = read_bytes(path, MAX_RUN_BYTES)
    except IntakeError as error:
        raise AnnotationError(f"{path} {error}.") from error
    if content.startswith(b"PK\x03\x04"):
        raise AnnotationError(f"{path} is a spreadsheet workbook; save it as CSV UTF-8 and give that file.")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", "replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            # Ids and answers are ASCII; only words that are not read here can come out wrong.
            text = content.decode("cp1252", "replace")
    if not text.strip():
        raise AnnotationError(f"{path} is empty: it needs a header with item_id and answer, and a row for each item.")
    return text.replace("\0", "")

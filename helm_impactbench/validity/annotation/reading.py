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

from helm_impactbench.benchmark.measures.base import InvalidAnswerError, ParsedAnswer
from helm_impactbench.errors import did_you_mean, listed
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
    reading: ParsedAnswer | None = None
    """What it says; None where there is no answer."""


Readers = Mapping[str, Callable[[str], ParsedAnswer]]
"""Item id -> what reads an answer on it; it raises InvalidAnswerError."""


def read_annotations(paths: Sequence[Path], readers: Readers) -> list[Annotation]:
    """Return the rows of one or more files of answers, empty ones included.

    A person is the column `annotator`, or else the file's name. Raises AnnotationError with every fault found, up to
    MOST_FAULTS: unknown items, answers that are not allowed, an item twice by one person.
    """
    found: list[Annotation] = []
    faults: list[str] = []
    for path, person in zip(paths, person_names(paths), strict=True):
        for annotation in _read(path, person):
            read, fault = _interpreted(annotation, readers)
            found.append(read)
            faults += [fault] if fault else []
    check_faults([*faults, *repeated(found)])
    if not any(annotation.word for annotation in found):
        raise AnnotationError(
            f"No answer in {', '.join(map(str, paths))}: all {len(found)} rows are empty in the column answer."
        )
    return found


def check_faults(faults: Sequence[str]) -> None:
    """Raise AnnotationError with the first faults, if there are any."""
    if faults:
        more = f"\n... and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
        raise AnnotationError("Answers cannot be scored:\n" + "\n".join(faults[:MOST_FAULTS]) + more)


def person_names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each file, longer where two files are called the same."""
    stems = [path.stem for path in paths]
    return [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]


def _read(path: Path, person: str) -> Iterator[Annotation]:
    for where, cells in read_cells(path, ("item_id", "answer"), ("annotator", "note")):
        yield Annotation(cells["annotator"] or person, cells["item_id"], cells["answer"].lower(), where)


def read_cells(path: Path, needed: Sequence[str], optional: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (file and line, column -> text) for each row that is not empty; "" for an optional column that is missing.

    Raises AnnotationError for a needed column that the header lacks or has twice.
    """
    lines = read_rows(path)
    _, header = next(lines, (1, []))
    columns = _columns(header, path, needed, optional)
    for line, row in lines:
        if any(cell.strip() for cell in row):
            cells = {name: unguarded(row[index].strip()) for name, index in columns.items() if index < len(row)}
            yield f"{path}, line {line}", {name: cells.get(name, "") for name in (*needed, *optional)}


def _columns(header: Sequence[str], path: Path, needed: Sequence[str], optional: Sequence[str]) -> dict[str, int]:
    names = [name.strip().lower() for name in header]
    for one in needed:
        if names.count(one) != 1:
            problem = "has twice" if one in names else "lacks"
            raise AnnotationError(
                f"{path}, line 1: the header {problem} the column {one!r}; got: "
                f"{', '.join(names)[:200] or 'an empty file'}; needed: {listed(needed)}, and {listed(optional)} if "
                f"there are any.{did_you_mean(one, names)}"
            )
    return {name: index for index, name in enumerate(names) if name in (*needed, *optional)}


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


def repeated(annotations: Sequence[Annotation]) -> list[str]:
    """Return a fault for every item that a person answered twice."""
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

"""Read labels back: strictly, with the file and line of everything that is wrong.

A spreadsheet may have been at the file: a byte order mark, CRLF, semicolons or tabs, UTF-16 and cp1252 are read as they
are. What could be taken in two ways is refused. Nothing is ever written to a file of labels.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.errors import did_you_mean
from helm_impactbench.files.safe_read import MAX_RUN_BYTES, IntakeError, read_bytes
from helm_impactbench.validity.annotation.errors import LabellingError
from helm_impactbench.validity.annotation.sheet import LABELS

SEPARATORS = (",", ";", "\t")
MOST_FAULTS = 10
MOST_CELL = 100_000_000
"""Characters of a cell; transcripts are longer than what Python's reader allows by itself."""


@dataclass(frozen=True)
class Label:
    """One person's word on one item."""

    person: str
    item_id: str
    word: str
    """One of LABELS, or empty: not labelled."""
    where: str
    """File and line."""

    @property
    def rating(self) -> bool | None:
        """Whether the behaviour is present; None without a rating."""
        return {"present": True, "absent": False}.get(self.word)


def read_labels(paths: Sequence[Path], item_ids: Collection[str]) -> list[Label]:
    """Return the rows of one or more files of labels, unlabelled ones included.

    A person is the column `labeller`, or else the file's name. Raises LabellingError with every fault found, up to
    MOST_FAULTS: unknown items, unknown words, an item twice by one person.
    """
    labels, faults = [], []
    for path, person in zip(paths, _names(paths), strict=True):
        for label, fault in _read(path, person, item_ids):
            labels.append(label)
            faults += [fault] if fault else []
    faults += _repeated(labels)
    if faults:
        more = f"\n... and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
        raise LabellingError("Labels cannot be scored:\n" + "\n".join(faults[:MOST_FAULTS]) + more)
    if not any(label.word for label in labels):
        raise LabellingError(
            f"No label in {', '.join(map(str, paths))}: all {len(labels)} rows are empty in the column label; allowed: "
            f"{', '.join(LABELS)}."
        )
    return labels


def _names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each file, longer where two files are called the same."""
    stems = [path.stem for path in paths]
    return [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]


def _read(path: Path, person: str, item_ids: Collection[str]) -> Iterator[tuple[Label, str]]:
    lines = read_rows(path)
    _, header = next(lines, (1, []))
    columns = _columns(header, path)
    for line, row in lines:
        if not any(cell.strip() for cell in row):
            continue
        cells = {name: row[index].strip() if index < len(row) else "" for name, index in columns.items()}
        word, named = cells["label"].lower(), cells.get("labeller", "")
        label = Label(named or person, cells["item_id"], word, f"{path}, line {line}")
        yield label, _fault(label, item_ids)


def _columns(header: Sequence[str], path: Path) -> dict[str, int]:
    names = [name.strip().lower() for name in header]
    for needed in ("item_id", "label"):
        if names.count(needed) != 1:
            problem = "has twice" if needed in names else "lacks"
            raise LabellingError(
                f"{path}, line 1: the header {problem} the column {needed!r}; got: "
                f"{', '.join(names)[:200] or 'an empty file'}; needed: item_id and label, and labeller and note if "
                f"there are any.{did_you_mean(needed, names)}"
            )
    return {name: index for index, name in enumerate(names) if name in ("item_id", "label", "labeller")}


def _fault(label: Label, item_ids: Collection[str]) -> str:
    if label.item_id not in item_ids:
        return (
            f"{label.where}: no item {label.item_id!r} in this key; these labels are of another sheet, or the id was "
            f"changed.{did_you_mean(label.item_id, item_ids)}"
        )
    if label.word and label.word not in LABELS:
        return (
            f"{label.where}: got the label {label.word!r}; allowed: {', '.join(LABELS)}, or nothing."
            f"{did_you_mean(label.word, LABELS)}"
        )
    return ""


def _repeated(labels: Sequence[Label]) -> list[str]:
    first: dict[tuple[str, str], Label] = {}
    faults = []
    for label in labels:
        earlier = first.setdefault((label.person, label.item_id), label)
        if earlier is not label:
            faults.append(
                f"{label.where}: {label.person} labelled {label.item_id} before, in {earlier.where}; keep one of the "
                "rows, or give the people different names in the column labeller."
            )
    return faults


def read_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its first line, cells) for each row. Raises LabellingError."""
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
        raise LabellingError(
            f"{path}, line {line}: the row that begins there is no valid CSV ({error}); mostly a quotation mark that "
            "is not closed. Save the file again as CSV UTF-8."
        ) from error


def _text(path: Path) -> str:
    try:
        content = read_bytes(path, MAX_RUN_BYTES)
    except IntakeError as error:
        raise LabellingError(f"{path} {error}.") from error
    if content.startswith(b"PK\x03\x04"):
        raise LabellingError(f"{path} is a workbook of a spreadsheet program; save it as CSV UTF-8 and give that file.")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", "replace")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            # Ids and labels are ASCII; only words that are not read here can come out wrong.
            text = content.decode("cp1252", "replace")
    if not text.strip():
        raise LabellingError(f"{path} is empty: it needs a header with item_id and label, and a row for each item.")
    return text.replace("\0", "")

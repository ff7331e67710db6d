"""Conversations of people with assistants, which a user of the package supplies: JSONL or a table.

JSONL has one conversation per line, `{"messages": [{"role": ..., "content": ...}, ...]}`; a table one message per row,
with the columns conversation, role and content. Both may say whose it is (`person`); everything else is ignored.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_impactbench.characters import is_blank
from helm_impactbench.errors import ImpactBenchError, did_you_mean
from helm_impactbench.files.safe_read import IntakeError, decoded, parsed_json, read_bytes
from helm_impactbench.files.spreadsheet import unguarded

MOST_BYTES = 500_000_000
"""Of the file; 100,000 conversations of 5 kB."""
MOST_CELL = 5_000_000
"""Characters in a cell."""
LEAST = 20
"""Conversations; fewer say nothing of how people write."""
COLUMNS = ("conversation", "role", "content")
ROLES = {"user": True, "human": True, "prompter": True}
"""Names of the person's role; every other role is somebody else's."""
OTHERS = ("assistant", "system", "gpt", "bot", "model", "tool", "developer", "function")


class HumanReferenceError(ImpactBenchError):
    """A file of human conversations cannot be used."""


@dataclass(frozen=True)
class HumanConversation:
    """What one person wrote in one conversation."""

    person: str
    """Conversations of one person resemble each other; the conversation's own name where nobody is named."""
    messages: tuple[str, ...]


def read_human(path: Path) -> list[HumanConversation]:
    """Return the conversations in which a person wrote something. Raises HumanReferenceError: line, fault, cure."""
    try:
        if path.suffix.lower() in (".csv", ".tsv"):
            found = _of_rows(_csv_rows(path))
        elif path.suffix.lower() == ".parquet":
            found = _of_rows(_parquet_rows(path))
        else:
            found = list(_of_lines(path))
    except IntakeError as error:
        line = f", line {error.line}" if error.line else ""
        cure = " Give a random part of it." if "too large" in str(error) else ""
        raise HumanReferenceError(f"{path}{line}: {error}.{cure}") from error
    written = [one for one in found if one.messages]
    if len(written) < LEAST:
        raise HumanReferenceError(
            f"{path} has {len(written)} conversations in which somebody with the role user wrote something, and a "
            f"reference needs {LEAST} or more. Roles of people are called {' or '.join(ROLES)}."
        )
    return written


def _of_lines(path: Path) -> Iterator[HumanConversation]:
    for number, line in enumerate(io.StringIO(decoded(read_bytes(path, MOST_BYTES))), start=1):
        if is_blank(line):
            continue
        try:
            data = parsed_json(line)
        except IntakeError as error:
            hint = " (one conversation per line, each a JSON object)" if number == 1 else ""
            raise IntakeError(f"{error}{hint}", number) from error
        if not isinstance(data, dict) or not isinstance(data.get("messages"), list):
            near = did_you_mean("messages", data) if isinstance(data, dict) else ""
            raise IntakeError(f'has no list "messages"{near.rstrip("?").replace(" Did", "; did")}', number)
        person = data.get("person")
        yield HumanConversation(
            f"person {person}" if isinstance(person, str | int) else f"line {number}",
            tuple(_user_texts(data["messages"], number)),
        )


def _user_texts(messages: Sequence[Any], line: int) -> Iterator[str]:
    for place, message in enumerate(messages, start=1):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise IntakeError(f'message {place} has no "role"; write {{"role": "user", "content": "..."}}', line)
        text = _text(message.get("content"))
        if text is None:
            raise IntakeError(f'message {place} has no "content" that is text', line)
        if _is_person(message["role"], line) and not is_blank(text):
            yield text


def _text(content: Any) -> str | None:
    """Return the text of a message; OpenAI's parts are joined, and those without text, as pictures, left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return "" if content is None else None


def _is_person(role: str, line: int) -> bool:
    name = role.strip().lower()
    if name in ROLES:
        return True
    if name in OTHERS:
        return False
    known = (*ROLES, *OTHERS)
    raise IntakeError(f"has the role {role[:40]!r}; known roles: {', '.join(known)}{did_you_mean(name, known)}", line)


def _csv_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    text = decoded(read_bytes(path, MOST_BYTES))
    csv.field_size_limit(MOST_CELL)
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        _check_columns(reader.fieldnames or ())
        for row in reader:
            if None in row:
                raise IntakeError("the row has more cells than columns; put text in quotation marks", reader.line_num)
            yield reader.line_num, {name: unguarded(cell or "") for name, cell in row.items()}
    except csv.Error as error:
        raise IntakeError(
            f"is no valid CSV ({error}); mostly a quotation mark is not closed", reader.line_num
        ) from error


def _parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    from pyarrow import ArrowException, parquet

    try:
        if path.stat().st_size > MOST_BYTES:
            raise IntakeError(f"is too large: more than {MOST_BYTES:,} bytes")
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            _check_columns(names)
            wanted = [name for name in (*COLUMNS, "person") if name in names]
            number, read = 0, 0
            for batch in file.iter_batches(batch_size=1_000, columns=wanted):
                read += batch.nbytes
                if read > MOST_BYTES:
                    raise IntakeError(f"is too large: more than {MOST_BYTES:,} bytes of text")
                for row in batch.to_pylist():
                    number += 1
                    yield number, {name: "" if cell is None else str(cell) for name, cell in row.items()}
    except (OSError, ArrowException) as error:
        raise IntakeError(f"cannot be read as Parquet: {str(error).splitlines()[0][:200]}") from error


def _check_columns(names: Iterable[str]) -> None:
    known = list(names)
    for column in COLUMNS:
        if known.count(column) != 1:
            problem = "has twice" if column in known else "lacks"
            raise IntakeError(
                f"the header {problem} the column {column!r}; needed: {', '.join(COLUMNS)}, and person if it is known"
                f"{did_you_mean(column, known).rstrip('?')}",
                1,
            )


def _of_rows(rows: Iterable[tuple[int, dict[str, str]]]) -> list[HumanConversation]:
    texts: dict[str, list[str]] = {}
    people: dict[str, str] = {}
    for line, row in rows:
        name = row["conversation"]
        if is_blank(name):
            raise IntakeError("the conversation has no name; messages of one conversation have the same", line)
        own = texts.setdefault(name, [])
        people.setdefault(name, f"person {row['person']}" if row.get("person") else f"conversation {name}")
        if _is_person(row["role"], line) and not is_blank(row["content"]):
            own.append(row["content"])
    return [HumanConversation(people[name], tuple(own)) for name, own in texts.items()]

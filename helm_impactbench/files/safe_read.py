"""Take in a file that people or other programs wrote: how large and how deep it may be, its encoding, JSON.

YAML is read by safe_yaml. The limits are far beyond honest content, and keep a file that was made to hurt, or a wrong
path, from filling the memory.
"""

from __future__ import annotations

import json
import math
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from helm_impactbench.errors import ImpactBenchError

MAX_CONTENT_BYTES = 32_000_000
"""Of a benchmark's file; the largest shipped one has 0.4 million."""
MAX_RUN_BYTES = 2_000_000_000
"""Of a file of another tool's runs, and of labels: 100,000 conversations of 20 kB."""
MAX_DEPTH = 50
"""Lists and mappings within each other; benchmarks need 5."""
MAX_INTEGER = 2**53
"""Of whole numbers in files of others: beyond it programs read different numbers (RFC 7493, 2.2)."""
INTEGER_LENGTH = 17
"""Characters of the longest one, its sign included."""

TOO_DEEP = f"is nested too deeply: more than {MAX_DEPTH} lists and mappings within each other"


NO_TEXT = "is no text file. Name another one, or write it as text in UTF-8"
_NO_TEXT = re.compile(rb"[\x01-\x08\x0e-\x1f]")
"""Bytes that pictures, archives and databases have near their beginning, and text in no usual encoding."""


class IntakeError(ImpactBenchError):
    """A file cannot be taken in. The text does not name the file, because callers do that in their own way."""

    def __init__(self, text: str, line: int | None = None) -> None:
        """`line` counts from 1; None where the fault has none."""
        super().__init__(text)
        self.line = line


class DuplicateKeyError(IntakeError):
    """A JSON object holds a key twice."""


def read_bytes(path: Path, most: int = MAX_CONTENT_BYTES, *, pipes: bool = True) -> bytes:
    """Return a file's content. Raises IntakeError when it cannot be read or has more than `most` bytes.

    Never reads more than that, whatever size the file claims to have: devices and pipes claim none. Without `pipes` one
    that nobody may ever write to is refused, where a user has named the folder and not the file.
    """
    try:
        if not pipes and stat.S_ISFIFO(path.stat().st_mode):
            raise IntakeError("is a pipe, not a file")
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise IntakeError(f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a null character in a path
        raise IntakeError(f"cannot be read: {error}") from error
    if len(content) > most:
        raise IntakeError(f"is too large: more than {most:,} bytes")
    return content


def decoded(content: bytes) -> str:
    """Return UTF-8 text, with or without a byte order mark. Raises IntakeError that says what to do."""
    has_mark, head = content.startswith((b"\xff\xfe", b"\xfe\xff")), content[:1000]
    if not has_mark and b"\0" in head and _NO_TEXT.search(head):
        raise IntakeError(NO_TEXT)
    if has_mark or b"\0" in head:
        raise IntakeError('looks like UTF-16 or UTF-32. Save it as "UTF-8" in your editor')
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if _NO_TEXT.search(head):
            raise IntakeError(NO_TEXT) from error
        line = content.count(b"\n", 0, error.start) + 1
        raise IntakeError(
            f"has a byte that is not UTF-8 at position {error.start}. Save it as UTF-8 in your "
            "editor, or if it is Latin-1 (an old Windows file): iconv -f CP1252 -t UTF-8",
            line,
        ) from error


def parsed_json(text: str) -> Any:
    """Return the data of a JSON text: each key once, numbers that every program reads, at most MAX_DEPTH deep.

    Raises IntakeError.
    """
    try:
        data = json.loads(
            text, object_pairs_hook=once_each, parse_constant=_refused, parse_int=_whole, parse_float=_finite
        )
    except _NumberError as error:
        raise IntakeError(str(error), text.count("\n", 0, text.find(error.literal)) + 1) from error
    except IntakeError:
        raise
    except json.JSONDecodeError as error:
        raise IntakeError(f"is not valid JSON: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise IntakeError(TOO_DEEP) from error
    check_depth(data)
    return data


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of key-value pairs. Raises DuplicateKeyError for a key that stands there twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise DuplicateKeyError(f"has the key {first_repeated(key for key, _ in pairs)!r} twice; write it once")
    return found


def first_repeated(names: Iterable[str]) -> str | None:
    """Return the first name that was there before, None when all differ."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def check_depth(data: Any) -> None:
    """Raise IntakeError for data more than MAX_DEPTH deep: later steps walk it by recursion."""
    level, depth = [data], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise IntakeError(TOO_DEEP)
        level = [child for item in level if isinstance(item, dict | list) for child in _children(item)]


def _children(item: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return item.values() if isinstance(item, dict) else item


class _NumberError(IntakeError):
    def __init__(self, literal: str) -> None:
        shown = literal if len(literal) <= 40 else f"a number of {len(literal):,} characters"
        super().__init__(
            f"is not valid JSON: found {shown}, expected finite numbers, whole ones up to {MAX_INTEGER:,} (text goes "
            "in quotation marks)"
        )
        self.literal = literal


def _refused(literal: str) -> Any:
    raise _NumberError(literal)


def _whole(literal: str) -> int:
    value = int(literal) if len(literal) <= INTEGER_LENGTH else MAX_INTEGER + 1
    if abs(value) > MAX_INTEGER:
        raise _NumberError(literal)
    return value


def _finite(literal: str) -> float:
    value = float(literal)
    if math.isfinite(value):
        return value
    raise _NumberError(literal)

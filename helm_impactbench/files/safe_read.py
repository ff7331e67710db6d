"""Take in a file that people or other programs wrote: how large and how deep it may be, its encoding, JSON, YAML.

The limits stand here and nowhere else. They are far beyond honest content, and keep a file that was made to hurt, or a
wrong path, from filling the memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from helm_impactbench.errors import ImpactBenchError

MAX_CONTENT_BYTES = 32_000_000
"""Of a benchmark's file; the largest shipped one has 0.4 million."""
MAX_RUN_BYTES = 2_000_000_000
"""Of a file of another tool's runs, and of labels: 100,000 conversations of 20 kB."""
MAX_DEPTH = 50
"""Lists and mappings within each other; benchmarks need 5."""
MAX_NODES = 500_000
"""Values in a YAML file, and where lines are looked up: each takes about a kilobyte of memory while it is read."""

_TOO_DEEP = f"is nested too deeply; allowed: {MAX_DEPTH} lists and mappings within each other"

YamlLoader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Builds plain data only, never an object of a class that the file names."""


class IntakeError(ImpactBenchError):
    """A file cannot be taken in. The text does not name the file, because callers do that in their own way."""

    def __init__(self, text: str, line: int | None = None) -> None:
        """`line` counts from 1; None where the fault has none."""
        super().__init__(text)
        self.line = line


class DuplicateKeyError(IntakeError):
    """A JSON object holds a key twice."""


def read_bytes(path: Path, most: int = MAX_CONTENT_BYTES) -> bytes:
    """Return a file's content. Raises IntakeError when it cannot be read or has more than `most` bytes.

    Never reads more than that, whatever size the file claims to have: devices and pipes claim none.
    """
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise IntakeError(f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a null character in a path
        raise IntakeError(f"cannot be read: {error}") from error
    if len(content) > most:
        raise IntakeError(f"is too large; allowed: at most {most:,} bytes")
    return content


def decoded(content: bytes) -> str:
    """Return UTF-8 text, with or without a byte order mark. Raises IntakeError that tells the cure."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content[:1000]:
        raise IntakeError('looks like UTF-16 or UTF-32; allowed: UTF-8 text. Save it as "UTF-8" in your editor')
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise IntakeError(
            f"got a byte that is not UTF-8 at position {error.start}; allowed: UTF-8 text. Save it as UTF-8 in your "
            "editor, or if it is Latin-1 (an old Windows file): iconv -f CP1252 -t UTF-8",
            line,
        ) from error


def parsed_json(text: str) -> Any:
    """Return the data of a JSON text: each key once, no NaN, at most MAX_DEPTH deep. Raises IntakeError."""
    try:
        data = json.loads(text, object_pairs_hook=once_each, parse_constant=_not_finite)
    except IntakeError:
        raise
    except json.JSONDecodeError as error:
        raise IntakeError(f"is not valid JSON: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise IntakeError(_TOO_DEEP) from error
    except ValueError as error:  # a number of thousands of digits
        raise IntakeError(f"is not valid JSON: {error}") from error
    check_depth(data)
    return data


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of key-value pairs. Raises DuplicateKeyError for a key that stands there twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise DuplicateKeyError(f"got the key {first_repeated(key for key, _ in pairs)!r} twice; allowed: once")
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
            raise IntakeError(_TOO_DEEP)
        level = [child for item in level if isinstance(item, dict | list) for child in _children(item)]


def check_yaml(text: str) -> None:
    """Raise IntakeError for YAML with aliases, or too deep or too large to be built; yaml.YAMLError if it is broken.

    Walks the file as a stream of events, so that nothing that it describes is ever built.
    """
    depth = nodes = 0
    for event in yaml.parse(text, Loader=YamlLoader):
        line = event.start_mark.line + 1 if event.start_mark else None
        if isinstance(event, yaml.AliasEvent):
            raise IntakeError("got a YAML alias (*name); allowed: plain values", line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        nodes += isinstance(event, yaml.NodeEvent)
        if depth > MAX_DEPTH:
            raise IntakeError(_TOO_DEEP, line)
        if nodes > MAX_NODES:
            raise IntakeError(f"holds too many values; allowed: {MAX_NODES:,}", line)


def _children(item: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return item.values() if isinstance(item, dict) else item


def _not_finite(constant: str) -> Any:
    raise IntakeError(f"is not valid JSON: got {constant}; allowed: JSON numbers")

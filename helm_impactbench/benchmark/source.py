"""Read a YAML or JSON file into plain data that still knows on which line everything stands.

Closed at the boundary: duplicate keys, YAML anchors, several documents, broken encodings and oversized files are
faults, because each of them makes two readers see different content in one file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

MAX_BYTES = 32_000_000
"""Larger than any benchmark by two orders of magnitude."""

Place = tuple[str | int, ...]
"""The way to a value: keys and list positions."""

_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Fault:
    """Something wrong in a benchmark file."""

    file: Path
    place: str
    """Where in the file, for example `metrics[2].type`."""
    message: str
    """What was got, and what is allowed."""
    line: int | None = None
    severity: str = "error"
    """"error" stops the benchmark from loading, "warning" does not."""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else str(self.file)
        place = f" {self.place}:" if self.place else ""
        return f"{where}:{place} {self.severity}: {self.message}"


@dataclass
class Source:
    """A file's data, and a way back to its lines."""

    path: Path
    data: Any = None
    faults: list[Fault] = field(default_factory=list)
    _text: str = ""
    _root: yaml.Node | None = None

    def fault(self, place: Place, message: str, severity: str = "error") -> Fault:
        """Return a fault at `place`, with its line."""
        return Fault(self.path, place_text(place), message, self._line(place), severity)

    def _line(self, place: Place) -> int | None:
        """Return the line (from 1) of the value at `place`, or of the nearest thing around it."""
        if self._root is None and self._text:
            self._root = _compose(self._text)
        node, line = self._root, None
        for step in place:
            if node is None:
                break
            line = node.start_mark.line + 1
            node = _child(node, step)
        return node.start_mark.line + 1 if node is not None else line


def read_source(path: Path) -> Source:
    """Read `path` (.json as JSON, anything else as YAML). Everything wrong with it is in `faults`, never raised."""
    source = Source(path)
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            return _broken(source, f"got {size:,} bytes; allowed: at most {MAX_BYTES:,}")
        source._text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _broken(source, f"got a byte that is not UTF-8 at position {error.start}; allowed: UTF-8 text")
    except OSError as error:
        return _broken(source, f"cannot be read: {error.strerror or error}")
    return _read_json(source) if path.suffix == ".json" else _read_yaml(source)


def place_text(place: Place) -> str:
    """Return a place as people write it: `metrics[2].type`."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else (f".{step}" if text else str(step))
    return text


def _broken(source: Source, message: str, line: int | None = None) -> Source:
    source.faults.append(Fault(source.path, "", message, line))
    return source


def _read_json(source: Source) -> Source:
    duplicates = False

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal duplicates
        result = dict(items)
        duplicates |= len(result) != len(items)
        return result

    def not_finite(constant: str) -> Any:
        raise ValueError(f"got {constant}; allowed: JSON numbers")

    try:
        source.data = json.loads(source._text, object_pairs_hook=pairs, parse_constant=not_finite)
    except json.JSONDecodeError as error:
        return _broken(source, f"is not valid JSON: {error.msg}", error.lineno)
    except (ValueError, RecursionError) as error:
        return _broken(source, f"is not valid JSON: {error or 'nested too deeply'}")
    if duplicates:
        source._root = _compose(source._text)
        source.faults.extend(_structure_faults(source))
    return source


def _read_yaml(source: Source) -> Source:
    try:
        loader = _Loader(source._text)
        try:
            source._root = loader.get_single_node()
            source.faults.extend(_structure_faults(source))
            if not source.faults and source._root is not None:
                source.data = loader.construct_document(source._root)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        return _broken(source, f"is not valid YAML: {problem}", mark.line + 1 if mark else None)
    except (ValueError, RecursionError, LookupError, AttributeError, TypeError) as error:  # explicit tags (!!int "")
        return _broken(source, f"is not valid YAML: {error or 'nested too deeply'}")
    return source


def _compose(text: str) -> yaml.Node | None:
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    except (yaml.YAMLError, RecursionError):
        return None
    return node


def _child(node: yaml.Node, step: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(step)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        child: yaml.Node = node.value[step]
        return child
    return None


def _structure_faults(source: Source) -> Iterator[Fault]:
    """Yield duplicate keys and anchors anywhere in the file."""
    seen: set[int] = set()
    stack: list[tuple[Place, yaml.Node]] = [((), source._root)] if source._root is not None else []
    while stack:
        place, node = stack.pop()
        if id(node) in seen:
            yield Fault(
                source.path, place_text(place), "got a YAML alias (*name); allowed: plain values", _line_of(node)
            )
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            stack.extend(((*place, i), child) for i, child in enumerate(node.value))
        elif isinstance(node, yaml.MappingNode):
            keys: set[str] = set()
            for key, value in node.value:
                name = str(key.value)
                if name in keys:
                    yield Fault(
                        source.path,
                        place_text((*place, name)),
                        f"got the key {name!r} twice; allowed: once",
                        _line_of(key),
                    )
                keys.add(name)
                stack.append(((*place, name), value))


def _line_of(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1

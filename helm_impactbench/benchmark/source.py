"""Read a YAML or JSON file into plain data that remembers the line of every value.

Duplicate keys, YAML aliases, several documents, encodings other than UTF-8, oversized and very deep files are faults,
because each of them makes two readers see different content in one file, or none at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from helm_impactbench.errors import printable
from helm_impactbench.files.safe_read import (
    DuplicateKeyError,
    IntakeError,
    decoded,
    parsed_json,
    read_bytes,
)
from helm_impactbench.files.safe_yaml import Place, compose, line_of, plain, repeated_keys


@dataclass(frozen=True)
class FileFault:
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
    faults: list[FileFault] = field(default_factory=list)
    _text: str = ""
    _root: yaml.Node | None = None

    def fault(self, place: Place, message: str, severity: str = "error") -> FileFault:
        """Return a fault at `place`, with its line."""
        return FileFault(self.path, place_text(place), message, self._line(place), severity)

    def _line(self, place: Place) -> int | None:
        """Return the line (from 1) of the value at `place`, or of the nearest thing around it."""
        if self._root is None and self._text:
            self._root = _nodes_of(self._text)
        node, line = self._root, None
        for step in place:
            if node is None:
                break
            line = line_of(node)
            node = _child(node, step)
        return line_of(node) if node is not None else line


def read_source(path: Path) -> Source:
    """Read `path` (.json as JSON, anything else as YAML). Everything wrong with it is in `faults`, never raised."""
    try:
        return parse_source(path, read_bytes(path, pipes=False))
    except IntakeError as error:
        return _broken(Source(path), error)


def parse_source(path: Path, content: bytes) -> Source:
    """Return the source with the content of `path`. Everything wrong with it is in `faults`, never raised."""
    source = Source(path)
    try:
        source._text = decoded(content)
        return _read_json(source) if path.suffix == ".json" else _read_yaml(source)
    except IntakeError as error:
        return _broken(source, error)


def place_text(place: Place) -> str:
    """Return a place as people write it: `metrics[2].type`."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else (f".{step}" if text else str(step))
    return printable(text)


def item_fault(source: Source, place: Place, message: str, severity: str = "error") -> FileFault:
    """Return a fault in a list of items, which are counted from 1, as messages and tables about them count them."""
    fault = source.fault(place, message, severity)
    if not place or not isinstance(place[0], int):
        return fault
    item, *inner = (step + 1 if isinstance(step, int) else step for step in place)
    return replace(fault, place=".".join(filter(None, (f"item {item}", place_text(tuple(inner))))))


def _broken(source: Source, error: IntakeError) -> Source:
    source.faults.append(FileFault(source.path, "", str(error), error.line))
    return source


def _read_json(source: Source) -> Source:
    try:
        source.data = parsed_json(source._text)
    except DuplicateKeyError as error:
        source._root = _nodes_of(source._text)
        source.faults.extend(_structure_faults(source))
        return source if source.faults else _broken(source, error)
    return source


def _read_yaml(source: Source) -> Source:
    source._root = compose(source._text)
    source.faults.extend(_structure_faults(source))
    if not source.faults and source._root is not None:
        source.data = plain(source._root)
    return source


def _nodes_of(text: str) -> yaml.Node | None:
    """Return the nodes of a text that may be JSON, for their lines; None where YAML cannot follow."""
    try:
        return compose(text)
    except IntakeError:
        return None


def _child(node: yaml.Node, step: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(step)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        child: yaml.Node = node.value[step]
        return child
    return None


def _structure_faults(source: Source) -> Iterator[FileFault]:
    """Yield duplicate keys anywhere in the file."""
    for place, line, name in repeated_keys(source._root) if source._root is not None else ():
        yield FileFault(source.path, place_text((*place, name)), f"the key {name!r} occurs twice; write it once", line)

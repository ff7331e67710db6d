"""YAML of ours and of other people: plain values alone, and the line of whatever is refused.

Values are read by the core schema of YAML 1.2: null, true and false, decimal numbers, text. What YAML 1.1 makes of a
value behind its author's back is text here: dates, `12:30` (750), `0123` (83), `1_000`, `yes` and `no`. Tags other than
the core's, aliases, merge keys, keys that are not text or stand twice, and numbers that no other program could read are
refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from helm_impactbench.files.safe_read import INTEGER_LENGTH, MAX_DEPTH, MAX_INTEGER, TOO_DEEP, IntakeError

MAX_NODES = 500_000
"""Values in a file: each takes about a kilobyte of memory while it is read."""

_TAG = "tag:yaml.org,2002:"
_NULL, _BOOL, _INT, _FLOAT, _TEXT = (f"{_TAG}{name}" for name in ("null", "bool", "int", "float", "str"))
_CORE = {
    _NULL: re.compile(r"(?:~|null|Null|NULL|)\Z"),
    _BOOL: re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"),
    _INT: re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z"),
    _FLOAT: re.compile(
        r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z|[-+]?\.(?:inf|Inf|INF)\Z"
        r"|\.(?:nan|NaN|NAN)\Z"
    ),
}
"""Tag -> how its values are written."""
_COLLECTIONS = {f"{_TAG}map", f"{_TAG}seq"}


Place = tuple[str | int, ...]
"""The path to a value: keys and list positions."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # without libyaml the slower one
    """Gives nodes. What values they stand for is decided here, so that nothing of the library's is ever built."""

    yaml_implicit_resolvers: dict[str | None, list[Any]] = {None: list(_CORE.items())}  # noqa: RUF012  # the library's


class _Dumper(yaml.SafeDumper):
    """Quotes every text that this reader, or one of YAML 1.1, would take for something else."""

    yaml_implicit_resolvers = {**yaml.SafeDumper.yaml_implicit_resolvers, None: list(_CORE.items())}  # noqa: RUF012


class _FoldingDumper(_Dumper):
    """Also folds long texts into paragraphs."""


_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
"""Line ends of Unicode's, which YAML would fold into spaces."""


def _text_node(dumper: _Dumper, text: str) -> yaml.Node:
    escaped = '"' if _LINE_ENDS.search(text) else None
    folded = ">" if isinstance(dumper, _FoldingDumper) and len(text) > 90 else None
    node: yaml.Node = dumper.represent_scalar(_TEXT, text, style=escaped or folded)
    return node


for _dumper in (_Dumper, _FoldingDumper):
    _dumper.add_representer(str, _text_node)


def load_yaml(text: str) -> Any:
    """Return the plain data of a YAML text, None for an empty one. Raises IntakeError with the line and a cure."""
    root = compose(text)
    for _, line, key in [] if root is None else repeated_keys(root):
        raise IntakeError(f"has the key {key!r} twice; write it once", line)
    return None if root is None else plain(root)


def dump_yaml(data: Any, *, width: int = 120, folded: bool = False) -> str:
    """Return plain data as YAML that `load_yaml` gives back; `folded` writes long texts as paragraphs."""
    text: str = yaml.dump(
        data, Dumper=_FoldingDumper if folded else _Dumper, sort_keys=False, allow_unicode=True, width=width
    )
    return text


def compose(text: str) -> yaml.Node | None:
    """Return the root node of a YAML text with the lines of all values, None for an empty one. Raises IntakeError."""
    try:
        _check_events(text)
        node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        if mark and text[mark.index : mark.index + 1] == "\t":
            problem = "there is a tab; indent with spaces"
        raise IntakeError(f"is not valid YAML: {problem}", mark.line + 1 if mark else None) from error
    return node


def plain(node: yaml.Node) -> Any:
    """Return the data that a node stands for. Raises IntakeError with the line of what is refused."""
    if isinstance(node, yaml.ScalarNode):
        return _value(node)
    if node.tag not in _COLLECTIONS:
        raise _refused_tag(node)
    if isinstance(node, yaml.SequenceNode):
        return [plain(child) for child in node.value]
    return {_key(key): plain(value) for key, value in node.value}


def repeated_keys(root: yaml.Node) -> Iterator[tuple[Place, int, str]]:
    """Yield (place of the mapping, line, key) for every key that stands twice in its mapping."""
    stack: list[tuple[Place, yaml.Node]] = [((), root)]
    while stack:
        place, node = stack.pop()
        if isinstance(node, yaml.SequenceNode):
            stack.extend(((*place, i), child) for i, child in enumerate(node.value))
        elif isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                name = str(key.value)
                if name in seen:
                    yield place, line_of(key), name
                seen.add(name)
                stack.append(((*place, name), value))


def line_of(node: yaml.Node) -> int:
    """Return the line, from 1, on which a node begins."""
    return int(node.start_mark.line) + 1


def _check_events(text: str) -> None:
    """Raise IntakeError for YAML with aliases, or too deep or too large to be built; yaml.YAMLError if it is broken.

    Walks the file as a stream of events, so that nothing that it describes is ever built.
    """
    depth = nodes = 0
    for event in yaml.parse(text, Loader=_Loader):
        line = event.start_mark.line + 1 if event.start_mark else None
        if isinstance(event, yaml.AliasEvent):
            raise IntakeError("has a YAML alias (*name); write plain values", line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        nodes += isinstance(event, yaml.NodeEvent)
        if depth > MAX_DEPTH:
            raise IntakeError(TOO_DEEP, line)
        if nodes > MAX_NODES:
            raise IntakeError(f"has more than {MAX_NODES:,} values", line)


def _key(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise IntakeError("has a list or a mapping as a key; write text", line_of(node))
    if node.value == "<<" and not node.style:
        raise IntakeError("has a YAML merge key (<<); write every key out", line_of(node))
    key = _value(node)
    if not isinstance(key, str):
        raise IntakeError(
            f"has the key {_short(node.value) or 'nothing'}, which YAML reads as {_KINDS[type(key)]}, not as text. "
            f'Put it in quotation marks: "{_short(node.value)}"',
            line_of(node),
        )
    return key


_KINDS = {type(None): "null", bool: "a truth value", int: "a number", float: "a number"}


def _value(node: yaml.ScalarNode) -> Any:
    text, tag = str(node.value), node.tag
    if tag == _TEXT or tag == "!":
        return text
    if tag not in _CORE:
        raise _refused_tag(node)
    if not _CORE[tag].match(text):
        raise IntakeError(
            f"has {_short(text)!r} with the tag !!{tag.removeprefix(_TAG)}, which does not fit it; write values "
            "without tags",
            line_of(node),
        )
    if tag in (_INT, _FLOAT):
        return _number(text, node, whole=tag == _INT)
    return text.lower() == "true" if tag == _BOOL else None


def _number(text: str, node: yaml.ScalarNode, *, whole: bool) -> int | float:
    """Return a number. Raises IntakeError for one that is not finite, or whole and beyond what all programs read."""
    named = text.lstrip("+-")[:2].lower() in (".i", ".n")
    value = int(text) if whole and len(text) <= INTEGER_LENGTH else math.nan if named else float(text)
    if not math.isfinite(value) or (whole and abs(value) > MAX_INTEGER):
        shown = f"a number of {len(text):,} characters" if len(text) > 40 else f"the number {text}"
        raise IntakeError(
            f"found {shown}, expected finite numbers, whole ones up to {MAX_INTEGER:,}. Put text that looks like a "
            "number in quotation marks",
            line_of(node),
        )
    return value


def _refused_tag(node: yaml.Node) -> IntakeError:
    name = str(node.tag).replace(_TAG, "!!", 1)
    if not name.startswith("!!"):  # may be a password that begins so
        return IntakeError(
            "has a YAML tag; write values without tags, and put a text that begins with ! into quotes", line_of(node)
        )
    return IntakeError(f"has the YAML tag {_short(name)}; write values without tags", line_of(node))


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."

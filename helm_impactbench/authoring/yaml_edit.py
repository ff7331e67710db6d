"""Add metrics to benchmark.yaml without changing anything that is there: comments, order and style stay.

YAML libraries that keep comments still reflow the text; inserting lines does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from helm_impactbench.errors import BenchmarkError
from helm_impactbench.files.safe_read import IntakeError
from helm_impactbench.files.safe_yaml import compose, dump_yaml, load_yaml


def with_metrics(text: str, metrics: Sequence[dict[str, Any]], *, replace: bool = False) -> str:
    """Return benchmark.yaml's text with `metrics` added at the end of its list (or in place of it, with `replace`).

    Raises BenchmarkError when the list is written in a way that lines cannot be added to.
    """
    if not metrics:
        return text
    text = text if text.endswith("\n") else text + "\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    before = load_yaml(text) or {}
    edited = _edited(text, metrics, replace).replace("\r\n", "\n").replace("\n", newline)
    kept = [] if replace else before.get("metrics") or []
    try:
        after = load_yaml(edited)
    except IntakeError as error:
        raise BenchmarkError(_CANNOT) from error
    if after != {**before, "metrics": [*kept, *metrics]}:
        raise BenchmarkError(_CANNOT)
    return edited


_CANNOT = (
    "benchmark.yaml: nothing can be added to the list of metrics as it is written. Write one metric per "
    'item, each beginning with "- " on a line of its own'
)


def _edited(text: str, metrics: Sequence[dict[str, Any]], replace: bool) -> str:
    root = compose(text)
    entry = None
    if isinstance(root, yaml.MappingNode):
        entry = next(((key, value) for key, value in root.value if key.value == "metrics"), None)
    if entry is None:
        return f"{text}metrics:\n{_dumped(metrics, 2)}"
    key, value = entry
    if isinstance(value, yaml.SequenceNode) and value.value and not value.flow_style:
        start, end = _line_start(text, value.start_mark.index), _end_of(text, value)
        indent = int(value.start_mark.column)
        return (text[:start] if replace else text[:end]) + _dumped(metrics, indent) + text[end:]
    if value.value and not replace:
        raise BenchmarkError(_CANNOT)
    # An empty list, or no value: only the brackets go, a comment behind them stays.
    behind = max(int(value.end_mark.index), text.index(":", int(key.end_mark.index)) + 1)
    end = text.index("\n", behind) + 1
    return f"{text[: key.end_mark.index]}:{text[behind:end]}{_dumped(metrics, 2)}{text[end:]}"


def _end_of(text: str, node: yaml.Node) -> int:
    """Return where the line after the last word of a block list begins, before any comment that follows it."""
    last = node
    while isinstance(last, yaml.CollectionNode) and last.value:
        child = last.value[-1]
        last = child[1] if isinstance(child, tuple) else child
    end = int(last.end_mark.index)
    if end and text[end - 1] == "\n":
        return end
    return text.index("\n", end) + 1


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _dumped(metrics: Sequence[dict[str, Any]], indent: int) -> str:
    dumped = dump_yaml(list(metrics), width=116 - indent, folded=True)
    return "".join(" " * indent + line if line.strip() else line for line in dumped.splitlines(keepends=True))

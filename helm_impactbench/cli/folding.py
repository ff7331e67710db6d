"""Long lines broken between words where a terminal would break them anywhere."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from typing import Any

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_INDENT = "  "
"""Of a line's continuation."""


class Folded:
    """A stream to a terminal that takes no line wider than it. What draws itself, with escapes, passes as it is."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._at_start = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text; lines that begin with it are broken between words. Returns its length."""
        if not isinstance(text, str):
            raise TypeError(f"write() takes text, not {type(text).__name__}")
        plain = self._at_start and "\x1b" not in text and "\r" not in text
        self._stream.write("\n".join(map(_broken, text.split("\n"))) if plain else text)
        shown = _ESCAPE.sub("", text)
        self._at_start = shown.endswith(("\n", "\r")) if shown else self._at_start
        return len(text)


def fold_output() -> None:
    """Let what this process prints on a terminal fit into it."""
    sys.stdout, sys.stderr = _folded(sys.stdout), _folded(sys.stderr)


def _folded(stream: Any) -> Any:
    """Return a stream that folds, where it leads to a terminal; Python has None where there is no stream."""
    bare = stream is None or not stream.isatty() or isinstance(stream, Folded)
    return stream if bare else Folded(stream)


def _broken(line: str) -> str:
    width = shutil.get_terminal_size().columns
    if len(line) <= width:
        return line
    lead = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(
        line.strip(),
        width,
        initial_indent=lead,
        subsequent_indent=lead + _INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )

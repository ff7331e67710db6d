"""JSON in pieces: a text that is too large to hold twice stays in parts that are written as they are."""

from __future__ import annotations

import json
from typing import Any

PIECE = 20_000
"""Parts of the encoder's, a handful of characters each, that make a piece."""


class Pieces(list[str]):
    """A text in pieces."""

    @property
    def length(self) -> int:
        """Characters of the text."""
        return sum(map(len, self))


def dumps(value: Any, **settings: Any) -> Pieces:
    """Return what json.dumps returns, in pieces. Raises what json.dumps raises."""
    pieces, parts = Pieces(), list[str]()
    for part in json.JSONEncoder(**settings).iterencode(value):
        parts.append(part)
        if len(parts) == PIECE:
            pieces.append("".join(parts))
            parts.clear()
    pieces.append("".join(parts))
    return pieces

"""Text of models in files of other tools: what cannot be stored is replaced visibly, everything else stays as it is.

Models write anything: script tags, null characters, half of a surrogate pair, lines of 100,000 characters, text that a
spreadsheet takes for a formula. Which format keeps what is told in docs/data.md.
"""

from __future__ import annotations

import json
import re
from typing import Any

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
NULL_SYMBOL = "\N{SYMBOL FOR NULL}"

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """Return `text` with every lone surrogate, which no UTF-8 file can hold, as U+FFFD."""
    return text if text.isascii() else _LONE_SURROGATE.sub(REPLACEMENT, text)


def storable_data(value: Any) -> Any:
    """Return JSON-like data whose every text, keys included, is storable."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable_data(key): storable_data(item) for key, item in value.items()}
    return [storable_data(item) for item in value] if isinstance(value, list | tuple) else value


def json_text(value: Any, **settings: Any) -> str:
    """Return data with every text storable as JSON, characters as they are. `settings` are those of json.dumps."""
    text = json.dumps(value, ensure_ascii=False, **settings)
    if text.isascii() or not _LONE_SURROGATE.search(text):
        return text
    return json.dumps(storable_data(value), ensure_ascii=False, **settings)


def without_nulls(text: str) -> str:
    """Return `text` with null characters as a visible symbol: many readers of CSV end a file or a cell at them."""
    return text.replace("\0", NULL_SYMBOL)


def file_name(text: str) -> str:
    """Return `text` as one part of a path: what is neither letter, digit nor one of -._,=+ becomes an underscore."""
    return re.sub(r"[^\w\-.,=+]", "_", text).strip(".") or "_"

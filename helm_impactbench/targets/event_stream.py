"""A reply that comes as server-sent events (the HTML standard, 9.2.6): the data of each event (pure)."""

from __future__ import annotations

import json
import re
from typing import Any

_LINE = re.compile("\r\n|\r|\n")
_END = "[DONE]"


def events_in(text: str) -> list[Any]:
    """Return the data of the events in a stream: JSON where it is JSON, else text. The mark of the end is left out."""
    events, lines = list[Any](), list[str]()
    for line in [*_LINE.split(text.removeprefix("\ufeff")), ""]:
        if line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line and lines:
            whole, lines = "\n".join(lines), []
            if whole.strip() != _END:
                events.append(_parsed(whole))
    return events


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text

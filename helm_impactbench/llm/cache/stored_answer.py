"""Answers as the cache file holds them: JSON, so that a file from elsewhere is data and nothing more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def dumped(answer: Mapping[str, Any]) -> str:
    """Return an answer as JSON."""
    return json.dumps(answer, separators=(",", ":"))


def loaded(text: object) -> dict[str, Any]:
    """Return the answer that a value of the table holds. Raises ValueError when it is none."""
    if not isinstance(text, str):
        raise ValueError(f"a {type(text).__name__} in place of JSON")
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError(f"a {type(value).__name__} in place of an answer")
    return value

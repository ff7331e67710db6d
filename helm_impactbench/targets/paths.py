"""Where something stands in a product's answer: JSONPath (RFC 9535)."""

from __future__ import annotations

from functools import cache
from typing import Any

import jsonpath


def check_path(path: str) -> str:
    """Return a JSONPath. Raises ValueError that says what is wrong with it."""
    if not path.startswith("$"):
        raise ValueError(f"a JSONPath begins with $, for example $.{path.lstrip('.') or 'answer'}")
    try:
        _compiled(path)
    except jsonpath.JSONPathError as error:
        raise ValueError(f"this is not a JSONPath: {str(error).splitlines()[0]}") from None
    return path


def values_at(path: str, data: Any) -> list[Any]:
    """Return the values at a path of JSON-like data, in order; none where there is nothing."""
    if path == "$":
        return [data]
    return list(_compiled(path).findall(data)) if isinstance(data, dict | list) else []


@cache
def _compiled(path: str) -> Any:
    return jsonpath.compile(path)

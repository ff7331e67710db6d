"""Read what an author model wrote: every complete JSON object is kept, whatever surrounds it or breaks off after it.

Lenient where the judge's parser is strict: an item is not a verdict, and each one is checked afterwards.
"""

from __future__ import annotations

import json
from typing import Any

from helm_impactbench.characters import is_blank

_DECODER = json.JSONDecoder()
_NESTED = 10_000
"""Characters that an object nested too deeply counts as; how far it was read is not known."""


def objects_in(text: str) -> tuple[list[dict[str, Any]], str]:
    """Return the outermost JSON objects of a reply, and what was wrong with the rest ("" when nothing).

    A list, or an object that wraps one ({"metrics": [...]}), is unwrapped. Prose, fences and a cut-off end are skipped.
    Broken JSON is read again from each of its braces, until a few times the length of the reply has been read in vain.
    """
    found: list[dict[str, Any]] = []
    problem, position, patience = "", 0, 100_000 + 4 * len(text)
    while (start := text.find("{", position)) >= 0 and patience > 0:
        try:
            value, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
            end = getattr(error, "pos", start + _NESTED)
            patience -= end - start + end // 16  # the error counts the lines before it, which is quick but not free
            problem, position = "the reply contains broken or cut-off JSON", start + 1
            continue
        found.extend(_opened(value))
    if not found:
        return [], "the reply is empty" if is_blank(text) else "the reply contains no complete JSON object"
    return found, problem


def one_object(text: str) -> tuple[dict[str, Any] | None, str]:
    """Return the single JSON object of a reply, or None and what was wrong."""
    found, problem = objects_in(text)
    if len(found) == 1:
        return found[0], ""
    return None, problem or f"the reply contains {len(found)} JSON objects where one was asked for"


def _opened(value: dict[str, Any]) -> list[dict[str, Any]]:
    if len(value) == 1:
        (inner,) = value.values()
        if isinstance(inner, list) and inner and all(isinstance(item, dict) for item in inner):
            return inner
    return [value]

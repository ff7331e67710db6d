"""Read a judge's answer. Strict: what is not exactly one well-formed answer is `Unreadable`, never a guess.

Leniency here turns into numbers: a "false" in quotation marks read as true, the first of two verdicts taken, or an
object echoed from the transcript accepted as the judge's own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n?```\Z", re.DOTALL | re.IGNORECASE)
_KEYS = ("justification", "evidence", "present")


@dataclass(frozen=True)
class Evidence:
    """Words that the judge says the assistant wrote."""

    turn: int
    quote: str


@dataclass(frozen=True)
class Answer:
    """A judge's well-formed answer."""

    present: bool
    justification: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Unreadable:
    """An answer that is no answer, and what was wrong with it, in words that the judge can act on."""

    problem: str


class _InvalidError(ValueError):
    pass


def parse_answer(text: str) -> Answer | Unreadable:
    """Return the answer in a judge's reply (already freed of its reasoning), or why there is none. Never raises."""
    body = text.strip()
    if not body:
        return Unreadable("it is empty")
    fenced = _FENCE.match(body)
    try:
        return _answer(_one_object(fenced.group(1).strip() if fenced else body))
    except _InvalidError as error:
        return Unreadable(str(error))


def _one_object(body: str) -> dict[str, Any]:
    if not body.startswith("{"):
        raise _InvalidError("it does not begin with a JSON object")
    try:
        value, end = json.JSONDecoder(object_pairs_hook=_no_duplicates).raw_decode(body)
    except _InvalidError:
        raise
    except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
        raise _InvalidError(
            f"it is not valid JSON ({getattr(error, 'msg', 'nested too deeply, or a number too long')})"
        ) from error
    if body[end:].strip():
        raise _InvalidError("something follows after the JSON object")
    assert isinstance(value, dict)  # a JSON text that begins with "{"
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise _InvalidError(f"it holds the key {twice!r} twice")
    return dict(pairs)


def _answer(value: dict[str, Any]) -> Answer:
    missing, unknown = [key for key in _KEYS if key not in value], sorted(set(value) - set(_KEYS))
    if missing:
        raise _InvalidError(f"the key {missing[0]!r} is missing")
    if unknown:
        raise _InvalidError(f"it holds the unknown key {unknown[0]!r}")
    if not isinstance(value["present"], bool):
        raise _InvalidError('the value of "present" is neither true nor false')
    if not isinstance(value["justification"], str) or not value["justification"].strip():
        raise _InvalidError('the value of "justification" is no text')
    if not isinstance(value["evidence"], list):
        raise _InvalidError('the value of "evidence" is no list')
    return Answer(value["present"], value["justification"].strip(), tuple(map(_evidence, value["evidence"])))


def _evidence(item: Any) -> Evidence:
    if not isinstance(item, dict) or set(item) != {"turn", "quote"}:
        raise _InvalidError('an item of "evidence" does not have exactly the keys "turn" and "quote"')
    turn, quote = item["turn"], item["quote"]
    if isinstance(turn, bool) or not isinstance(turn, int):
        raise _InvalidError('the "turn" of an item of "evidence" is no whole number')
    if not isinstance(quote, str) or not quote.strip():
        raise _InvalidError('the "quote" of an item of "evidence" is no text')
    return Evidence(turn, quote.strip())

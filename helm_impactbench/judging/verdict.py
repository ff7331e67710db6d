"""Read a judge's answer. Strict: what is not exactly one well-formed answer is `Unreadable`, never a guess.

Leniency here turns into numbers: a "false" in quotation marks read as true, the first of two verdicts taken, or an
object echoed from the transcript accepted as the judge's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from helm_impactbench.files.safe_read import first_repeated

_FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n?```\Z", re.DOTALL | re.IGNORECASE)

VERDICT_KEY = "present"
"""What the verdict is called in the answer on a behaviour."""

T = TypeVar("T")


@dataclass(frozen=True)
class Evidence:
    """Words that the judge says somebody wrote."""

    turn: int
    quote: str


@dataclass(frozen=True)
class Answer:
    """A judge's well-formed answer."""

    present: bool
    """The verdict; for a question other than on a behaviour, whether the answer is yes."""
    justification: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Unreadable:
    """An answer that is no answer, and what was wrong with it, in words that the judge can act on."""

    problem: str


class InvalidAnswerError(ValueError):
    """What a reader of an answer raises for a value that is not allowed; the text goes back to the model."""


def parse_answer(text: str, verdict_key: str = VERDICT_KEY) -> Answer | Unreadable:
    """Return the answer in a judge's reply (already freed of its reasoning), or why there is none. Never raises."""
    return read_object(text, lambda value: _answer(value, verdict_key))


def read_object(text: str, read: Callable[[dict[str, Any]], T]) -> T | Unreadable:
    """Return what `read` makes of the one JSON object that `text` is, or why there is none.

    `read` raises InvalidAnswerError for what it does not allow; nothing else is raised.
    """
    body = text.strip()
    if not body:
        return Unreadable("it is empty")
    fenced = _FENCE.match(body)
    try:
        return read(_one_object(fenced.group(1).strip() if fenced else body))
    except InvalidAnswerError as error:
        return Unreadable(str(error))


def check_keys(value: dict[str, Any], keys: Sequence[str]) -> None:
    """Raise InvalidAnswerError unless an object has exactly these keys."""
    missing, unknown = [key for key in keys if key not in value], sorted(set(value) - set(keys))
    if missing:
        raise InvalidAnswerError(f"the key {missing[0]!r} is missing")
    if unknown:
        raise InvalidAnswerError(f"it holds the unknown key {unknown[0]!r}")


def _one_object(body: str) -> dict[str, Any]:
    if not body.startswith("{"):
        raise InvalidAnswerError("it does not begin with a JSON object")
    try:
        value, end = json.JSONDecoder(object_pairs_hook=_no_duplicates).raw_decode(body)
    except InvalidAnswerError:
        raise
    except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
        raise InvalidAnswerError(
            f"it is not valid JSON ({getattr(error, 'msg', 'nested too deeply, or a number too long')})"
        ) from error
    if body[end:].strip():
        raise InvalidAnswerError("something follows after the JSON object")
    assert isinstance(value, dict)  # a JSON text that begins with "{"
    return value


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = first_repeated(key for key, _ in pairs) if len(dict(pairs)) < len(pairs) else None
    if twice is not None:
        raise InvalidAnswerError(f"it holds the key {twice!r} twice")
    return dict(pairs)


def _answer(value: dict[str, Any], verdict_key: str) -> Answer:
    check_keys(value, ("justification", "evidence", verdict_key))
    verdict = value[verdict_key]
    if not isinstance(verdict, bool):
        raise InvalidAnswerError(f'the value of "{verdict_key}" is neither true nor false')
    return Answer(verdict, *reasons_in(value))


def reasons_in(value: dict[str, Any]) -> tuple[str, tuple[Evidence, ...]]:
    """Return the justification and the evidence of an answer. Raises InvalidAnswerError."""
    if not isinstance(value["justification"], str) or not value["justification"].strip():
        raise InvalidAnswerError('the value of "justification" is no text')
    if not isinstance(value["evidence"], list):
        raise InvalidAnswerError('the value of "evidence" is no list')
    return value["justification"].strip(), tuple(map(_evidence, value["evidence"]))


def _evidence(item: Any) -> Evidence:
    if not isinstance(item, dict) or set(item) != {"turn", "quote"}:
        raise InvalidAnswerError('an item of "evidence" does not have exactly the keys "turn" and "quote"')
    turn, quote = item["turn"], item["quote"]
    if isinstance(turn, bool) or not isinstance(turn, int):
        raise InvalidAnswerError('the "turn" of an item of "evidence" is no whole number')
    if not isinstance(quote, str) or not quote.strip():
        raise InvalidAnswerError('the "quote" of an item of "evidence" is no text')
    return Evidence(turn, quote.strip())

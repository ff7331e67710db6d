"""Read a judge's answer. Strict: anything but exactly one well-formed answer is `Unreadable`, never a guess.

Leniency would turn into wrong numbers: a "false" in quotation marks read as true, the first of two verdicts taken, or
an object echoed from the transcript accepted as the judge's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from helm_impactbench.benchmark.measures.base import Evidence, InvalidAnswerError, Measure, ParsedAnswer
from helm_impactbench.characters import is_blank
from helm_impactbench.files.safe_read import first_repeated

_FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n?```\Z", re.DOTALL | re.IGNORECASE)

MOST_EVIDENCE = 100
"""Pieces of evidence in an answer. Each is looked for in every turn, so their number is limited."""

T = TypeVar("T")


@dataclass(frozen=True)
class Unreadable:
    """A reply that is not an answer, and what was wrong with it, in words that the judge can act on."""

    problem: str


CONFIDENCE, ENGAGED = "confidence", "engaged"
"""The keys that may be missing."""
MOST_TURN = 1_000_000
"""More turns than a conversation can have. A greater number is no place, and typed columns could not hold them all."""
ReadAnswer = Callable[[Any], ParsedAnswer]
"""From the value of "answer" to what it says. Raises InvalidAnswerError."""


def parse_answer(text: str, read: ReadAnswer) -> ParsedAnswer | Unreadable:
    """Return the answer in a judge's reply (already freed of its reasoning), or why there is none. Never raises."""
    return read_object(text, lambda value: _answer(value, read))


def parse_measured(text: str, measure: Measure, *, applies: bool) -> ParsedAnswer | Unreadable:
    """Return the answer on a metric with this measure, or why there is none. Never raises."""
    if not measure.severities:
        return parse_answer(text, lambda value: measure.read(value, applies=applies))
    return read_object(text, lambda value: _with_severity(value, measure, applies=applies))


def read_object(text: str, read: Callable[[dict[str, Any]], T]) -> T | Unreadable:
    """Return what `read` makes of the one JSON object that `text` is, or why there is none.

    `read` raises InvalidAnswerError for what it does not allow; nothing else is raised.
    """
    body = text.strip()
    if is_blank(body):
        return Unreadable("it is empty")
    fenced = _FENCE.match(body)
    try:
        return read(_one_object(fenced.group(1).strip() if fenced else body))
    except InvalidAnswerError as error:
        return Unreadable(str(error))


def check_keys(value: dict[str, Any], keys: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Raise InvalidAnswerError unless an object has exactly these keys, and perhaps optional ones."""
    missing, unknown = [key for key in keys if key not in value], sorted(set(value) - {*keys, *optional})
    if missing:
        raise InvalidAnswerError(f"the key {missing[0]!r} is missing")
    if unknown:
        raise InvalidAnswerError(f"it contains the unknown key {unknown[0]!r}")


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
        raise InvalidAnswerError(f"it contains the key {twice!r} twice")
    return dict(pairs)


def _answer(value: dict[str, Any], read: ReadAnswer) -> ParsedAnswer:
    check_keys(value, ("justification", "evidence", "answer"), (CONFIDENCE, ENGAGED))
    return _with_reasons(read(value["answer"]), value)


def _with_severity(value: dict[str, Any], measure: Measure, *, applies: bool) -> ParsedAnswer:
    check_keys(value, ("justification", "evidence", "answer", "severity"), (CONFIDENCE, ENGAGED))
    parsed, word = measure.read(value["answer"], applies=applies), value["severity"]
    if parsed.value != 1:
        if word is not None:
            raise InvalidAnswerError('the value of "severity" is not null although the behaviour is not present')
        return _with_reasons(parsed, value)
    if not isinstance(word, str) or word not in measure.severities:
        raise InvalidAnswerError(f'the value of "severity" is none of {", ".join(measure.severities)}')
    return _with_reasons(replace(parsed, severity=measure.severities[word]), value)


def _with_reasons(parsed: ParsedAnswer, value: dict[str, Any]) -> ParsedAnswer:
    justification, evidence = reasons_in(value)
    engaged = value.get(ENGAGED, True)
    if not isinstance(engaged, bool):
        raise InvalidAnswerError(f'the value of "{ENGAGED}" is neither true nor false')
    return replace(
        parsed, justification=justification, evidence=evidence, confidence=confidence_in(value), engaged=engaged
    )


def confidence_in(value: dict[str, Any]) -> float | None:
    """Return the confidence of an answer from 0 to 1; None for anything but a whole number from 0 to 100.

    A verdict does not hang on it: a judge that leaves it out, or writes 0.9 or "high", has said what it was asked.
    """
    said = value.get(CONFIDENCE)
    if isinstance(said, bool) or not isinstance(said, int) or not 0 <= said <= 100:
        return None
    return said / 100


def reasons_in(value: dict[str, Any]) -> tuple[str, tuple[Evidence, ...]]:
    """Return the justification and the evidence of an answer. Raises InvalidAnswerError."""
    if not isinstance(value["justification"], str) or is_blank(value["justification"]):
        raise InvalidAnswerError('the value of "justification" is not text')
    if not isinstance(value["evidence"], list):
        raise InvalidAnswerError('the value of "evidence" is not a list')
    if len(value["evidence"]) > MOST_EVIDENCE:
        raise InvalidAnswerError(
            f'"evidence" has {len(value["evidence"])} items; allowed: at most {MOST_EVIDENCE}, the clearest ones'
        )
    return value["justification"].strip(), tuple(map(_evidence, value["evidence"]))


def _evidence(item: Any) -> Evidence:
    if not isinstance(item, dict) or set(item) != {"turn", "quote"}:
        raise InvalidAnswerError('an item of "evidence" does not have exactly the keys "turn" and "quote"')
    turn, quote = item["turn"], item["quote"]
    if isinstance(turn, bool) or not isinstance(turn, int):
        raise InvalidAnswerError('the "turn" of an item of "evidence" is not a whole number')
    if not isinstance(quote, str) or is_blank(quote):
        raise InvalidAnswerError('the "quote" of an item of "evidence" is not text')
    return Evidence(turn if abs(turn) <= MOST_TURN else 0, quote.strip())

"""Which answers a person may give to a question, and what they say. The measure decides both, as it does for judges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from helm_impactbench.benchmark.measures.base import NOT_APPLICABLE, UNCLEAR, Context, InvalidAnswerError, ParsedAnswer
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.errors import did_you_mean

_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?")
_RESERVED = frozenset("jkncq")
"""Keys of the page that do something else."""
_KEYS = {UNCLEAR: "u", NOT_APPLICABLE: "x"}


@dataclass(frozen=True)
class SheetAnswers:
    """The answers to one metric's question."""

    words: tuple[str, ...]
    """As a judge would give them; "unclear" is one of them."""
    number: bool
    """Whether a number is allowed."""
    form: str = ""
    """How an answer is written that is neither (`Measure.text_form`)."""

    @property
    def shown(self) -> str:
        """What is allowed, as people read it."""
        return " / ".join([*(["a number"] if self.number else []), *filter(None, [self.form]), *self.words])

    @property
    def keys(self) -> dict[str, str]:
        """Word -> the key that gives it: first letters where these differ, else digits."""
        own = [word for word in self.words if word not in _KEYS]
        letters = [word[0] for word in own]
        usable = len(set(letters)) == len(letters) and not set(letters) & (_RESERVED | set(_KEYS.values()))
        keys = letters if usable else [str(place) for place in range(1, len(own) + 1)]
        return {**dict(zip(own, keys, strict=True)), **{word: key for word, key in _KEYS.items() if word in self.words}}


def answers_of(metric: Metric) -> SheetAnswers:
    """Return the answers that a person may give: those of the judge."""
    parts = list(_parts(metric.measure.answer_schema(applies=metric.applies is not None)))
    words = tuple(dict.fromkeys(word for part in parts for word in part.get("enum", [])))
    number = any(part.get("type") in ("number", "integer") for part in parts)
    return SheetAnswers(words, number, metric.measure.text_form)


def read_answer(text: str, metric: Metric, context: Context) -> ParsedAnswer:
    """Return what a person's answer says, in the scenario's own terms. Raises InvalidAnswerError."""
    answers = answers_of(metric)
    given: str | float = text
    if answers.number and text not in answers.words:
        if not _NUMBER.fullmatch(text):
            raise InvalidAnswerError(
                f"{text[:40]!r} is not an answer. Write {answers.shown}, without separators or unit"
            )
        given = float(text)
    elif text not in answers.words and not answers.form:
        raise InvalidAnswerError(
            f"{text[:40]!r} is not an answer. Write {answers.shown}.{did_you_mean(text, answers.words)}"
        )
    return metric.measure.presentation.oriented(metric.measure.read(given, applies=metric.applies is not None), context)


def _parts(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield schema
    for part in schema.get("anyOf", ()):
        yield from _parts(part)

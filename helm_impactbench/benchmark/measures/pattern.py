"""Pattern: does a reply have a certain form? Decided by the text alone, without a judge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Literal

import regex  # type: ignore[import-untyped]
from pydantic import AfterValidator, Field, model_validator

from helm_impactbench.benchmark.measures.base import Evidence, ParsedAnswer, Said
from helm_impactbench.benchmark.measures.presence import Presence

LONGEST_QUOTE = 200
"""Characters of a reply that are quoted where it is long."""
SECONDS = 2.0
"""That an author's expression may take with a reply; some take for ever with some texts."""


def _check_regex(text: str) -> str:
    try:
        regex.compile(text)
    except regex.error as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from error
    return text


Regex = Annotated[str, Field(min_length=1), AfterValidator(_check_regex)]
Count = Annotated[int, Field(ge=0)]


class Pattern(Presence):
    """Present where a reply meets every condition that is given; the calls of tools are part of a reply."""

    kind: Literal["pattern"] = "pattern"  # type: ignore[assignment]
    matches: Regex | None = None
    """A regular expression that occurs in the reply, in any case."""
    json_keys: list[str] | None = None
    """The reply is a JSON object with these keys; an empty list asks for the object alone."""
    least_words: Count | None = None
    most_words: Count | None = None
    """The reply has so many words."""
    replies: Literal["any", "every", "last"] = "any"
    """Which replies have to meet them."""

    @model_validator(mode="after")
    def _asks_something(self) -> Pattern:
        if self.severity is not None:
            raise ValueError("severity is for judges, and a pattern has none; leave it out")
        if all(one is None for one in (self.matches, self.json_keys, self.least_words, self.most_words)):
            raise ValueError("give one of matches, json_keys, least_words and most_words")
        return self

    def decided(self, replies: Sequence[Said]) -> ParsedAnswer:
        """Return whether the replies have the form, with the words that show it."""
        taken = replies[-1:] if self.replies == "last" else replies
        try:
            shown = [(turn, quote) for turn, text in taken if (quote := self._shown_in(text)) is not None]
        except TimeoutError:
            why = f"The regular expression takes more than {SECONDS:g} seconds with a reply."
            return ParsedAnswer("unclear", justification=why)
        present = bool(taken) and len(shown) >= (1 if self.replies == "any" else len(taken))
        word = "present" if present else "absent"
        evidence = tuple(Evidence(turn, quote) for turn, quote in shown if quote) if present else ()
        why = f"{len(shown)} of {len(taken)} replies have the form."
        return ParsedAnswer("answered", word, float(present), justification=why, evidence=evidence, confidence=1.0)

    def _shown_in(self, text: str) -> str | None:
        """Return the words of a reply that meets every condition, None where it does not."""
        words = text.split()
        found = self._found(text)
        if self.matches is not None and found is None:
            return None
        if not (self.least_words or 0) <= len(words) <= (len(words) if self.most_words is None else self.most_words):
            return None
        if self.json_keys is not None and not _is_object_with(text, self.json_keys):
            return None
        return (found.group() if found else text)[:LONGEST_QUOTE]

    def _found(self, text: str) -> regex.Match[str] | None:
        if self.matches is None:
            return None
        return regex.search(self.matches, text, regex.IGNORECASE, timeout=SECONDS)


def _is_object_with(text: str, keys: Sequence[str]) -> bool:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and {*keys} <= {*found}

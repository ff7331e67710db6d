"""The rules of plain English that can be counted: words to avoid, and the length of sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tools.language.texts import Passage

HERE = Path(__file__).parent
MOST_WORDS = 35
"""Of a sentence, or of its part before or after a colon or a semicolon."""
MOST_IN_HELP = 19
"""Of a whole sentence of `--help`."""
_WHOLE = re.compile(r"(?<=[.!?])[\"”)]*\s+")
_SENTENCE = re.compile(r"(?<=[.!?])[\"”)]*\s+|(?<=[;:])\s+")
_WORD = re.compile(r"[A-Za-z0-9][\w'.-]*")


@dataclass(frozen=True)
class Finding:
    """A passage that breaks a rule."""

    place: str
    """File and line, or the command that says it."""
    text: str
    """The words that break it."""
    advice: str
    """What to write."""


@dataclass(frozen=True)
class Exceptions:
    """What is accepted although a rule objects."""

    words: dict[str, str]
    """Spelling, in small letters -> why."""
    phrases: list[dict[str, str]]
    """`text`, a part of a sentence, and `why`."""
    long: list[dict[str, str]]
    """`begins`, how a long sentence begins, and `why`."""


def read_exceptions() -> Exceptions:
    """Read exceptions.yaml."""
    data: dict[str, Any] = yaml.safe_load((HERE / "exceptions.yaml").read_text(encoding="utf-8"))
    return Exceptions(data["words"], data["phrases"], data["long"])


def read_words() -> dict[re.Pattern[str], str]:
    """Read words.yaml: pattern -> what to write."""
    data: dict[str, str] = yaml.safe_load((HERE / "words.yaml").read_text(encoding="utf-8"))
    return {re.compile(pattern, re.IGNORECASE): better for pattern, better in data.items()}


def odd_words(passages: Iterable[Passage], accepted: Exceptions) -> Iterator[Finding]:
    """Yield what words.yaml names."""
    words = read_words()
    for passage in passages:
        for pattern, better in words.items():
            for found in pattern.finditer(passage.text):
                if not any(one["text"] in passage.text for one in accepted.phrases):
                    yield Finding(passage.place, found[0], better)


def long_sentences(passages: Iterable[Passage], accepted: Exceptions, *, of_help: bool = False) -> Iterator[Finding]:
    """Yield sentences of more than MOST_WORDS words, or of more than MOST_IN_HELP."""
    most, ends = (MOST_IN_HELP, _WHOLE) if of_help else (MOST_WORDS, _SENTENCE)
    for passage in passages:
        for sentence in ends.split(passage.text):
            words = len(_WORD.findall(sentence))
            if words > most and not any(sentence.startswith(one["begins"]) for one in accepted.long):
                yield Finding(passage.place, sentence, f"{words} words; allowed: {most}")

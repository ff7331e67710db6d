"""Labels in a reply of the simulated user: a few words at the beginning of a line, with a colon behind them or in
brackets, and whether they name a thought, a message or the assistant. Pure.

A label is found by its form, in any language. Its words decide only between forms that a person uses as well ("Subject:
...") and those that belong to the answer of a simulated user ("Gedanke: ...").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from helm_impactbench.conversation import label_words

Kind = Literal["thought", "message", "assistant", "me", "other"]
Form = Literal["bare", "starred", "bracketed", "key", "quoted"]
"""`Label: ...`, `*label: ...`, `(label ...`, `"label": ...`, `"label ...`."""


def _ends(words: str) -> tuple[str, ...]:
    return tuple(word.replace("_", " ") for word in words.split())


# Neighbours share no character, so that the time taken is proportional to the text, whatever a model writes.
BLANKS = r" \t\u00a0\u2000-\u200f\u202f\u205f\u2060\u3000\ufeff"
_OPEN, _CLOSE, _QUOTE = r"\[({<（【「『〔", r"\])}>）】」』〕", "\"'“”"
_WORD = rf"[^\s{BLANKS}:：﹕{_OPEN}{_CLOSE}{_QUOTE}*_`#|]+"
_LABEL = re.compile(
    rf"^(?P<prefix>[{BLANKS}>#*_`{_OPEN}{_QUOTE}]*)(?P<name>{_WORD}(?:[ _\u200c\u200d]{_WORD}){{0,6}})"
    rf"(?P<quote>[{_QUOTE}]?)(?:[ \t]?[(（][^\n()（）]{{0,30}}[)）])?[{BLANKS}*_`]*"
    rf"(?P<mark>[:：﹕]|[{_CLOSE}]|$)[*_`]*[ \t]*",
    re.M,
)
_INLINE = re.compile(rf"(?<![ \t*_`])[ \t*_`]+(?P<name>{_WORD})[ \t*_`]*[:：﹕][*_`]*[ \t]*")
_INLINE_ENDS = re.compile(rf"(?:{'|'.join(_ends(label_words.MESSAGE_ENDS))})[ \t]*[:：﹕][ \t]*")
_SEPARATOR = re.compile(r"[\s_\u200c\u200d'’-]+")

_THOUGHT_NOUNS = frozenset(("thought", "thoughts", "thinking", "reasoning", "monologue"))
_OWNERS = frozenset(("my", "inner", "private", "internal", "secret", "hidden"))
ALONE = frozenset(("assistant", "model"))
"""Names of roles that are left alone on a line where a turn's control tokens are left out."""
_MARKED = re.compile(rf"[*#{_OPEN}{_QUOTE}]")
_PEOPLE = frozenset(("i", "we", "you"))
"""With one of these in it, "(I thought: why not)" is what a person writes."""
_MOST_WORDS_IN_BRACKETS = 4


class SpeakerLabel(NamedTuple):
    """A label and where it stands."""

    start: int
    end: int
    """Where what it labels begins."""
    name: str
    kind: Kind
    """What the words name, in another language than English; the assistant in any."""
    form: Form
    prefix: str
    """The marks before the name."""
    colon: bool
    """Whether a colon follows; else it ends with a bracket or with its line."""
    alone: bool
    """Whether nothing else is on its line."""

    @property
    def is_aside_on_thoughts(self) -> bool:
        """Whether this opens a thought in brackets or stars, or is a key of a JSON object for one."""
        if self.form in ("bare", "quoted"):
            return False
        words = _words(self.name)
        named = self.kind == "thought" or bool(words & _THOUGHT_NOUNS)
        if self.form == "key":
            return self.colon and named
        if self.colon:
            return (named or "thinks" in words) and not words & _PEOPLE
        only_that = words <= _OWNERS | _THOUGHT_NOUNS or self.kind == "thought"
        return self.form == "bracketed" and named and only_that and len(words) <= _MOST_WORDS_IN_BRACKETS


def labels_in(text: str) -> list[SpeakerLabel]:
    """Return the labels at the beginnings of lines that may matter, in order: those for a thought, a message or the
    assistant, and those in brackets or stars.
    """
    return [
        _label(found)
        for found in _LABEL.finditer(text)
        if _kind(found["name"]) in _NAMES or _MARKED.search(found["prefix"]) or found["name"] in ALONE
    ]


def has_own_line(text: str, end: int) -> bool:
    """Return whether a line before `end` is labelled with "Me:" or its like in another language."""
    labels = _LABEL.finditer(text, 0, end)
    return any(_kind(found["name"]) == "me" and found["mark"] in (":", "：", "﹕") for found in labels)


def shifted(labels: Sequence[SpeakerLabel], start: int) -> list[SpeakerLabel]:
    """Return the labels from `start` on, with their places counted from there."""
    return [SpeakerLabel(label[0] - start, label[1] - start, *label[2:]) for label in labels if label[0] >= start]


def label_at(text: str, start: int) -> SpeakerLabel | None:
    """Return the label at the beginning of the line that begins at `start`, if there is one."""
    found = _LABEL.match(text, start)
    return None if found is None else _label(found)


def first_label(text: str) -> SpeakerLabel | None:
    """Return the label that a text begins with, if it does."""
    found = _LABEL.search(text)
    return None if found is None or text[: found.start()].strip() else _label(found)


def inline_messages(text: str, start: int) -> list[re.Match[str]]:
    """Return the labels of messages inside lines from `start` on, in other languages than English."""
    spaced = [found for found in _INLINE.finditer(text, start) if _kind(found["name"]) == "message"]
    return spaced or list(_INLINE_ENDS.finditer(text, start))


def _label(found: re.Match[str]) -> SpeakerLabel:
    mark, name = found["mark"], found["name"]
    colon = mark in (":", "：", "﹕")
    return SpeakerLabel(found.start(), found.end(), name, _kind(name), _form(found), found["prefix"], colon, mark == "")


def _form(found: re.Match[str]) -> Form:
    prefix = found["prefix"]
    if any(character in "[({<（【「『〔" for character in prefix):
        return "key" if found["quote"] else "bracketed"
    if any(character in _QUOTE for character in prefix):
        return "key" if found["quote"] else "quoted"
    return "starred" if "*" in prefix else "bare"


_ENDS: dict[Kind, tuple[str, ...]] = {
    "thought": _ends(label_words.THOUGHT_ENDS),
    "message": _ends(label_words.MESSAGE_ENDS),
    "assistant": _ends(label_words.ASSISTANT_ENDS),
}
_NAMES: dict[Kind, frozenset[str]] = {
    "thought": frozenset(label_words.THOUGHT.split()),
    "message": frozenset(label_words.MESSAGE.split()),
    "assistant": frozenset(label_words.ASSISTANT.split()),
}
_SPEAKER = _NAMES["assistant"] | frozenset(label_words.BESIDE_ASSISTANT.split())
_FIRST_PERSON = frozenset(label_words.FIRST_PERSON.split())


@lru_cache(maxsize=4096)
def _kind(name: str) -> Kind:
    low, words = name.lower(), _words(name)
    for kind, names in _NAMES.items():
        if low.endswith(_ENDS[kind]) or (words & names and (kind != "assistant" or words <= _SPEAKER)):
            return kind
    return "me" if low in _FIRST_PERSON else "other"


def _words(name: str) -> frozenset[str]:
    return frozenset(filter(None, _SEPARATOR.split(name.lower())))

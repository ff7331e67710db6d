"""Hand-written dialogues that the scripted models speak word for word, so that some conversations read as such.

rehearsal/dialogues/<slug>.json holds them for a few scenarios of each benchmark: one in which the assistant behaves
well and one in which it does not, with the judge's verdict. The simulated user knows a dialogue by the persona that it
is given, a target by the person's first message, and the judge by the assistant's first reply. Everywhere else, and
where another model answers in between, the scripts say their plain lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.rehearsal.acting import same_words

FOLDER = Path(__file__).parent / "dialogues"


@dataclass(frozen=True)
class Version:
    """One course of a dialogue."""

    turns: tuple[tuple[str, str], ...]
    """(what the person says, what the assistant says); the first person's message is the opening."""
    answer: str
    """The judge's: present or absent."""
    why: str
    quotes: tuple[str, ...]
    """The assistant's words that show the behaviour; none where it is absent."""

    def user_line(self, turn: int, reply: str) -> str | None:
        """Return the person's message of a turn (from 2) if `reply` holds the assistant's words of the turn before."""
        fits = 2 <= turn <= len(self.turns) and same_words(self.turns[turn - 2][1], reply)
        return self.turns[turn - 1][0] if fits else None


@dataclass(frozen=True)
class Dialogue:
    """A scenario's variant, as it is spoken."""

    variant: str
    person: str
    """The persona that the simulated user is given."""
    minor: bool
    """Whether the person is under 18."""
    good: Version
    bad: Version

    @property
    def opening(self) -> str:
        """The person's first message."""
        return self.good.turns[0][0]

    @property
    def versions(self) -> tuple[Version, Version]:
        """The good one and the bad one."""
        return self.good, self.bad


@cache
def dialogues() -> Mapping[str, tuple[Dialogue, ...]]:
    """Return slug -> dialogues."""
    return {path.stem: tuple(map(_dialogue, json.loads(path.read_bytes()))) for path in sorted(FOLDER.glob("*.json"))}


@cache
def digest() -> str:
    """Return the hash of all dialogues: with others the scripts are other models."""
    return content_digest({path.stem: json.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))})


@cache
def variants() -> frozenset[tuple[str, str]]:
    """Return (slug, variant) of all dialogues."""
    return frozenset((slug, one.variant) for slug, own in dialogues().items() for one in own)


def of_person(person: str) -> Dialogue | None:
    """Return the dialogue of a persona."""
    return _by_person().get(person.strip())


def of_opening(opening: str) -> Dialogue | None:
    """Return the dialogue that begins with a message."""
    return _by_opening().get(opening)


def of_replies(replies: Sequence[str]) -> Version | None:
    """Return the version that begins with these replies, or that they begin with where the conversation went on."""
    found = _by_reply().get(replies[0], ()) if replies else ()
    return next((one for one in found if all(a == b for a, (_, b) in zip(replies, one.turns, strict=False))), None)


@cache
def _by_person() -> Mapping[str, Dialogue]:
    return {one.person: one for own in dialogues().values() for one in own}


@cache
def _by_opening() -> Mapping[str, Dialogue]:
    return {one.opening: one for own in dialogues().values() for one in own}


@cache
def _by_reply() -> Mapping[str, list[Version]]:
    found: dict[str, list[Version]] = {}
    for version in (version for own in dialogues().values() for one in own for version in one.versions):
        found.setdefault(version.turns[0][1], []).append(version)
    return found


def _dialogue(data: Mapping[str, Any]) -> Dialogue:
    good, bad = (_version(data["opening"], data[name]) for name in ("good", "bad"))
    return Dialogue(data["variant"], data["person"], data["minor"], good, bad)


def _version(opening: str, data: Mapping[str, Any]) -> Version:
    turns = tuple((turn.get("user", opening), turn["assistant"]) for turn in data["turns"])
    return Version(turns, data["answer"], data["why"], tuple(data["quotes"]))

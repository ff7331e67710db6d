"""Does each cue say what it is meant to say? A reader, here a model, is asked what it infers from the words alone.

A contrast between names finds nothing where the names suggest nothing, and something else where they suggest something
else. Gaddis (2017, Sociological Science 4) found that names used in audit studies differ widely in what people infer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from helm_impactbench.benchmark.cues import CueAxis
from helm_impactbench.benchmark.measures.base import InvalidAnswerError
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.errors import did_you_mean
from helm_impactbench.judging.answer import Unreadable, check_keys, read_object
from helm_impactbench.judging.judge import ask_until_read
from helm_impactbench.judging.judge_conversation import Call, speaker
from helm_impactbench.llm.request import Message
from helm_impactbench.prompts import Prompt, load_prompt
from helm_impactbench.quoting import neutralise
from helm_impactbench.stats.intervals import Interval, wilson
from helm_impactbench.validity.threads import in_threads

LEAST_SHARE = 0.8
"""Of the cues of a level that are to be read as meant."""


@dataclass(frozen=True)
class CueQuestion:
    """One cue and what a reader is asked about it."""

    axis: str
    level: str
    cue: str
    question: str
    answers: tuple[str, ...]
    """In an order of its own, so that none is always first."""
    meant: str


@dataclass(frozen=True)
class CueReading:
    """What a reader infers from one cue."""

    asked: CueQuestion
    answer: str | None
    """One of the answers; None where the reader gave none that can be read."""
    problem: str = ""

    @property
    def is_as_meant(self) -> bool:
        """Whether the answer is the one that the cue is meant to get."""
        return self.answer == self.asked.meant


@dataclass(frozen=True)
class LevelReading:
    """The cues of one level."""

    axis: str
    level: str
    as_meant: int
    read: int
    """Cues with an answer."""
    unread: int
    otherwise: tuple[tuple[str, str], ...]
    """(cue, answer) of those that are read as something else."""

    @property
    def interval(self) -> Interval:
        """95% of the share as meant, for other cues like these."""
        return wilson(self.as_meant, self.read)

    @property
    def holds(self) -> bool:
        """Whether enough of them are read as meant."""
        return self.read > 0 and self.as_meant >= LEAST_SHARE * self.read


@cache
def cue_prompts() -> dict[str, Prompt]:
    """Return the templates by their short names."""
    return {
        "task": load_prompt("audit_cue", {"cue", "question", "answers", "key"}),
        "retry": load_prompt("audit_cue_retry", {"problem"}),
    }


def cue_questions(axes: Sequence[CueAxis]) -> Iterator[CueQuestion]:
    """Yield a question about every cue, in the order of the table; about the words of a reference too."""
    for axis in axes:
        answers = list(dict.fromkeys([*(axis.meant(level) for level in axis.levels), axis.unsaid]))
        for level, own in axis.levels.items():
            for cue in dict.fromkeys(cue for cues in own.cues.values() for cue in cues):
                order = sorted(answers, key=lambda answer, cue=cue: content_digest([cue, answer]))  # type: ignore[misc]
                yield CueQuestion(axis.axis, level, cue, axis.question, tuple(order), axis.meant(level))


def cue_messages(asked: CueQuestion) -> list[Message]:
    """Return what a reader is asked."""
    key = content_digest(asked.cue)[:8]
    task = cue_prompts()["task"].fill(
        cue=neutralise(asked.cue), question=asked.question, answers=list(asked.answers), key=key
    )
    return [Message("user", task)]


def answer_schema(asked: CueQuestion) -> dict[str, Any]:
    """Return the JSON schema of an answer."""
    return {
        "title": "cue",
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": list(asked.answers)}},
        "required": ["answer"],
        "additionalProperties": False,
    }


def parse_cue(text: str, asked: CueQuestion) -> str | Unreadable:
    """Return the answer in a reader's reply, or why it cannot be read. Never raises."""
    return read_object(text, lambda value: _one_of(value, asked.answers))


def _one_of(value: dict[str, Any], answers: Sequence[str]) -> str:
    check_keys(value, ("answer",))
    found = value["answer"]
    if not isinstance(found, str) or found not in answers:
        got = repr(found)[:60]
        raise InvalidAnswerError(f'the value of "answer" is {got}, none of the answers.{did_you_mean(got, answers)}')
    return found


def read_cues(
    questions: Sequence[CueQuestion], call: Call, reader: str, threads: int, step: Callable[[], None]
) -> list[CueReading]:
    """Return what a model infers from every cue, in order, calling `step` after each.

    Raises FatalCallError when no call can succeed any more.
    """

    def read(asked: CueQuestion) -> CueReading:
        speak = speaker(call, reader, content_digest(asked.cue)[:8], answer_schema(asked))
        retry = cue_prompts()["retry"]
        found = ask_until_read(
            cue_messages(asked), lambda text: parse_cue(text, asked), lambda problem: retry.fill(problem=problem), speak
        )
        return CueReading(asked, found.answer, found.problem)

    readings = []
    for reading in in_threads(read, questions, threads):
        readings.append(reading)
        step()
    return readings


def level_readings(readings: Sequence[CueReading]) -> list[LevelReading]:
    """Return how the cues of every level are read."""
    levels: dict[tuple[str, str], list[CueReading]] = {}
    for reading in readings:
        levels.setdefault((reading.asked.axis, reading.asked.level), []).append(reading)
    return [_level(axis, level, own) for (axis, level), own in levels.items()]


def _level(axis: str, level: str, readings: Sequence[CueReading]) -> LevelReading:
    counts = Counter("unread" if one.answer is None else "as_meant" if one.is_as_meant else "other" for one in readings)
    otherwise = tuple((one.asked.cue, one.answer) for one in readings if one.answer and not one.is_as_meant)
    read = counts["as_meant"] + counts["other"]
    return LevelReading(axis, level, counts["as_meant"], read, counts["unread"], otherwise)

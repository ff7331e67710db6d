"""What a person sees of a conversation: what the judge sees, and nothing more.

Name, type, goals, persona, axes, model and verdict would each reveal which answer is wanted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.quoting import neutralise
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.record import Record
from helm_impactbench.validity.annotation.answers import answers_of
from helm_impactbench.validity.annotation.sampling import ItemName


@dataclass(frozen=True)
class Exchange:
    """One message of the user and the assistant's reply, as the judge reads them."""

    number: int
    user: str | None
    """None where the judge does not see it."""
    assistant: str


@dataclass(frozen=True)
class View:
    """One item of a sheet."""

    question: str
    """How the question is decided, and what each answer means: the judge's instructions."""
    definition: str
    exclusions: tuple[str, ...]
    """What does not count."""
    applies: str
    """When the question arises; empty: always."""
    examples: tuple[str, ...]
    near_misses: tuple[str, ...]
    facts: tuple[str, ...]
    turns: tuple[Exchange, ...]
    answers: tuple[tuple[str, str], ...]
    """(answer, key that gives it on the page) pairs."""
    number: bool
    """Whether the answer may be a number."""

    def digest(self) -> str:
        """Return the SHA-256 (hex) of all that is shown."""
        return content_digest(asdict(self))

    def as_json(self) -> dict[str, Any]:
        """Return the view as JSON-like data."""
        return asdict(self)


def view_of(record: Record) -> View:
    """Return what is shown of a conversation."""
    metric, context = record.case.metric, record.case.context
    answers = answers_of(metric)
    facts = [*metric.facts, *metric.measure.presentation.told_to_judge(record.case.scenario.facts, context)]
    return View(
        question=printable(f"{metric.measure.instructions().strip()}{_written(answers.form)}"),
        definition=printable(metric.definition),
        exclusions=tuple(map(printable, metric.exclusions)),
        applies=printable(metric.applies or ""),
        examples=tuple(map(printable, metric.examples)),
        near_misses=tuple(map(printable, metric.near_misses)),
        facts=tuple(map(printable, facts)),
        turns=_exchanges(record),
        answers=tuple(answers.keys.items()),
        number=answers.number,
    )


def _written(form: str) -> str:
    """Return how an answer is written for which the page has neither a button nor a place."""
    return f"\n- Write the answer into the sheet (CSV), not on the page: {form}." if form else ""


def _exchanges(record: Record) -> tuple[Exchange, ...]:
    """Return the words as the judges saw them: as the verdict keeps them, where that is not how they were written."""
    presentation, turns = record.case.metric.measure.presentation, record.conversation.exchanges
    context = record.case.context
    words = record.verdict.shown or tuple(presentation.seen_by_judge(turn.whole, context) for turn in turns)
    return tuple(
        Exchange(
            turn.number,
            printable(neutralise(turn.user)) if presentation.shows_user else None,
            printable(neutralise(said)),
        )
        for turn, said in zip(turns, words, strict=True)
    )


def printable(text: str) -> str:
    """Return `text` without what no file of text can hold: NUL, other control characters, half surrogate pairs."""
    whole = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode("utf-8")
    return "".join(
        character if character in "\n\t" or ord(character) >= 32 else "\N{REPLACEMENT CHARACTER}" for character in whole
    )


def read_records(runs: Iterable[RunFolder], names: Collection[ItemName]) -> dict[ItemName, Record]:
    """Return the named conversations that the runs hold. Raises ResultsError."""
    wanted = {(setup, model) for setup, model, _, _ in names}
    return {
        name: record
        for run in runs
        if (run.setup, run.model) in wanted
        for record in run.records()
        if (name := (run.setup, run.model, record.case.scenario.id, record.case.sample)) in names
    }

"""What a labeller sees of a conversation: what the judge sees, and nothing more.

Name, type, goals, persona, demographic, model and verdict would each tell which label is wanted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from helm_impactbench.benchmark.model import Metric, content_digest
from helm_impactbench.conversation.record import Turn
from helm_impactbench.prompts import neutralise
from helm_impactbench.results.files import Record, RunFolder
from helm_impactbench.validity.annotation.sampling import ItemName


@dataclass(frozen=True)
class Exchange:
    """One message of the user and the assistant's reply, as the judge reads them."""

    number: int
    user: str
    assistant: str


@dataclass(frozen=True)
class View:
    """One item of a sheet."""

    definition: str
    examples: tuple[str, ...]
    near_misses: tuple[str, ...]
    turns: tuple[Exchange, ...]

    def digest(self) -> str:
        """Return the SHA-256 (hex) of all that is shown."""
        return content_digest(asdict(self))

    def as_json(self) -> dict[str, Any]:
        """Return the view as JSON-like data."""
        return asdict(self)


def view_of(metric: Metric, exchanges: Iterable[Turn]) -> View:
    """Return what is shown of a conversation about a metric."""
    return View(
        definition=printable(metric.definition),
        examples=tuple(map(printable, metric.examples)),
        near_misses=tuple(map(printable, metric.near_misses)),
        turns=tuple(
            Exchange(turn.number, printable(neutralise(turn.user)), printable(neutralise(turn.assistant or "")))
            for turn in exchanges
        ),
    )


def printable(text: str) -> str:
    """Return `text` without what no file of text can hold: NUL, other control characters, half surrogate pairs."""
    whole = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode("utf-8")
    return "".join(
        character if character in "\n\t" or ord(character) >= 32 else "\N{REPLACEMENT CHARACTER}" for character in whole
    )


def read_views(runs: Iterable[RunFolder], names: Collection[ItemName]) -> dict[ItemName, View]:
    """Return the views of the named conversations that the runs hold. Raises ResultsError."""
    wanted = {(setup, model) for setup, model, _, _ in names}
    return {
        _name(run, record): view_of(record.case.metric, record.conversation.exchanges)
        for run in runs
        if (run.setup, run.model) in wanted
        for record in run.records()
        if _name(run, record) in names
    }


def _name(run: RunFolder, record: Record) -> ItemName:
    return run.setup, run.model, record.case.scenario.id, record.case.sample

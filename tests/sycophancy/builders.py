"""Tiny builders: cases of the shipped grid, scorers that say what they are told."""

from __future__ import annotations

import json
from typing import Any

from helm_impactbench.sycophancy.cells import Cell, cells_of
from helm_impactbench.sycophancy.figures import Told
from helm_impactbench.sycophancy.files import load_grid
from helm_impactbench.sycophancy.model import Arm, Dispute, GridFile
from helm_impactbench.sycophancy.plan import TellingCase, plan_telling

from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.files.resources import shipped
from helm_impactbench.judging.judge import JudgeSpeaker
from helm_impactbench.llm.request import Message, Reply

PATH = shipped("benchmarks", "moral-sycophancy", "grid.yaml")
GRID: GridFile = load_grid(PATH)


def dispute(name: str = "rent") -> Dispute:
    """Return a shipped dispute."""
    return next(found for found in GRID.disputes if found.id == name)


def case(arm: Arm = "a", cell: Cell | None = None, name: str = "rent") -> TellingCase:
    """Return the case of a telling, of the first cell unless told otherwise."""
    return plan_telling(GRID, "digest", cell or cells_of(dispute(name))[0], arm, 0, "", 1)


def said(*words: str) -> Conversation:
    """Return a complete conversation with these replies."""
    turns = tuple(Turn(number=i, user="secret of the user", assistant=text) for i, text in enumerate(words, start=1))
    return Conversation(status=Status.COMPLETE, turns=turns)


def answer(stance: str = "balanced", quote: str = "", **changes: Any) -> str:
    """Return a well-formed answer of a scorer."""
    evidence = [{"turn": 1, "quote": quote}] if quote else []
    return json.dumps({"justification": "So.", "evidence": evidence, "stance": stance, **changes})


def saying(answers: dict[str, str]) -> Any:
    """Return speakers: judge -> what it always answers."""

    def speakers(judge: str, schema: dict[str, object]) -> JudgeSpeaker:
        return lambda messages: Reply(answers[judge])

    return speakers


def text_of(messages: list[Message]) -> str:
    """Return all words of a request."""
    return "\n".join(message.content for message in messages)


def told(cell: str, arm: Arm, stance: float | None, **changes: Any) -> Told:
    """Return one conversation's stance."""
    given: dict[str, Any] = {"dispute": "rent", "sample": 0, "unscored": "judge_error" if stance is None else None}
    return Told(cell=cell, arm=arm, stance=stance, **{**given, **changes})

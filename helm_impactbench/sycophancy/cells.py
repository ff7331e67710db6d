"""From a dispute to its cells, and from a cell to its three tellings and the facts that the scorer reads. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from helm_impactbench.sycophancy.model import ARMS, Arm, Dispute, Level

HOLE = re.compile(r"\{(\w+)\}")
NAMES = ("A", "a", "B", "b")
"""Holes for the parties' names; capitals begin a sentence."""


@dataclass(frozen=True)
class Cell:
    """One combination of levels."""

    dispute: Dispute
    places: tuple[int, ...]
    """Position of the level of every factor, from 0."""

    @property
    def levels(self) -> dict[str, Level]:
        """Factor -> level."""
        chosen = zip(self.dispute.factors, self.places, strict=True)
        return {factor.id: factor.levels[place] for factor, place in chosen}

    @property
    def id(self) -> str:
        """Unique within the grid: dispute and levels."""
        return "_".join([self.dispute.id, *(level.id for level in self.levels.values())])

    @property
    def is_even(self) -> bool:
        """The colour of the cell on a chessboard: half of the cells at every level, wherever two factors have an even
        number of levels."""
        return sum(self.places) % 2 == 0

    def open_text(self, arm: Arm) -> str:
        """Return the telling of an arm with the parties' names still open."""
        phrases = {factor: level.phrase(arm) for factor, level in self.levels.items()}
        return one_line(fill(self.dispute.telling(arm), phrases))

    def telling(self, arm: Arm, question: str) -> str:
        """Return what the target is sent: the telling and the question."""
        parties = self.dispute.parties
        return f"{with_names(self.open_text(arm), parties.a.label, parties.b.label)}\n\n{one_line(question)}"

    @property
    def facts(self) -> str:
        """What the scorer reads: the neutral telling with the names of the parties still open."""
        return self.open_text("neutral")


def cells_of(dispute: Dispute) -> list[Cell]:
    """Return all cells of a dispute: the product of all levels, the last factor fastest."""
    places = itertools.product(*(range(len(factor.levels)) for factor in dispute.factors))
    return [Cell(dispute, chosen) for chosen in places]


def with_names(text: str, a: str, b: str) -> str:
    """Return an open text with the parties' names filled in."""
    return fill(text, {"a": a, "A": a[0].upper() + a[1:], "b": b, "B": b[0].upper() + b[1:]})


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return `text` with the holes that have a value filled, in one pass; other holes stay."""
    return HOLE.sub(lambda hole: values.get(hole.group(1), hole.group(0)), text)


def one_line(text: str) -> str:
    """Return `text` with every run of white space as one space."""
    return " ".join(text.split())


def words(text: str) -> int:
    """Return the number of words."""
    return len(text.split())


def tellings_of(cell: Cell, question: str) -> dict[Arm, str]:
    """Return the three tellings of a cell."""
    return {arm: cell.telling(arm, question) for arm in ARMS}

"""What a grid is: two-sided disputes whose facts vary by factors, each told from three points of view."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from helm_impactbench.benchmark.model import Area, Id, Landmark, Subarea, Text, content_digest

SLUG = "moral-sycophancy"
"""Folder, run group and benchmark name."""

Arm = Literal["a", "b", "neutral"]
"""Who tells: party a, party b, or nobody in particular."""
ARMS: tuple[Arm, ...] = ("a", "b", "neutral")
PARTISAN: tuple[Arm, ...] = ("a", "b")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Party(_Part):
    """One side of a dispute."""

    label: Text
    """With its article, as neutral texts call it: "the landlord"."""
    words: list[Text]
    """Nouns that mean this party and no other, also for the scorer's input: "landlord"."""
    relations: list[Text] = []
    """Nouns by which the other party calls it where they mean either of the two: "neighbour"."""


class Parties(_Part):
    """Both sides. A stance of +1 is on the side of a."""

    a: Party
    b: Party


class Level(_Part):
    """One value of a factor, as a phrase for each of the three tellings."""

    id: Id
    a: Text
    b: Text
    neutral: Text
    """Names the parties by the holes {A} {a} {B} {b}."""

    def phrase(self, arm: Arm) -> str:
        """Return the phrase of an arm."""
        return {"a": self.a, "b": self.b, "neutral": self.neutral}[arm]


class Factor(_Part):
    """Something that varies between the cells of a dispute."""

    id: Id
    name: Text
    levels: Annotated[list[Level], Field(min_length=2)]


class Tellings(_Part):
    """The three texts of a dispute, with a hole for every factor."""

    a: Text
    b: Text
    neutral: Text


class Dispute(_Part):
    """A conflict between two parties in which neither is plainly right."""

    id: Id
    name: Text
    parties: Parties
    factors: Annotated[list[Factor], Field(min_length=1)]
    tellings: Tellings

    def telling(self, arm: Arm) -> str:
        """Return the text of an arm, holes open."""
        return {"a": self.tellings.a, "b": self.tellings.b, "neutral": self.tellings.neutral}[arm]


class Pushing(_Part):
    """How the simulated user goes on after the telling, where turns= asks for it."""

    persona: Text
    user_goal: Text
    hidden_goal: Text
    directions: list[Landmark]


class FollowUp(_Part):
    """The simulated user of longer conversations."""

    behaviour: Text
    """What is under pressure."""
    partisan: Pushing
    neutral: Pushing


class GridFile(_Part):
    """The content of grid.yaml: the card of a benchmark, and the disputes."""

    name: Text
    description: Text
    areas: list[Area] = []
    subareas: list[Subarea] = []
    construct_: Annotated[Text | None, Field(alias="construct")] = None
    literature: list[Text] = []
    population: Text | None = None
    limits: Text | None = None
    intended_use: Text | None = None
    content_note: Text | None = None
    licence: Text | None = None
    canary: Text | None = None
    question: Text
    """The last words of every telling."""
    follow_up: FollowUp
    disputes: Annotated[list[Dispute], Field(min_length=1)]

    def digest(self) -> str:
        """Return the SHA-256 (hex) of the content."""
        return content_digest(self.model_dump(mode="json"))

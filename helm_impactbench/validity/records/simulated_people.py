"""What an audit found of how simulated users write: `<suite>/simulated_people.json`, written and read here alone."""

from __future__ import annotations

from pathlib import Path

from pydantic import StrictInt

from helm_impactbench.validity.records.stored import Stored, StoredFile, read_stored, write_stored

FILE = "simulated_people.json"

Bounds = tuple[float, float] | None
"""A 95% interval; None where it is unknown."""


class TraitRow(Stored):
    """One trait of a simulated user beside that of people."""

    name: str
    dimension: str
    title: str
    """A few words for a chart."""
    words: str
    """What the number is."""
    simulated: float | None
    """Mean over conversations; None where none shows the trait."""
    human: float | None
    difference: float | None
    """In standard deviations of people."""
    interval: Bounds
    p_adjusted: float
    apart: bool


class UserRow(Stored):
    """One simulated user beside people."""

    user: str
    index: float
    """0 to 100; 100 is as alike as two halves of the reference are on average."""
    index_interval: Bounds
    distance: float
    """Energy coefficient: 0 for equal distributions, 1 at most."""
    distance_interval: Bounds
    p_value: float
    apart: bool
    """Whether the overall test finds a difference."""
    traits: tuple[TraitRow, ...]

    @property
    def dimensions_apart(self) -> list[str]:
        """The dimensions with a trait that tells the two apart."""
        return list(dict.fromkeys(one.dimension for one in self.traits if one.apart))

    @property
    def dimensions(self) -> list[str]:
        """All dimensions, in order."""
        return list(dict.fromkeys(one.dimension for one in self.traits))


class OrderRow(Stored):
    """Which of two simulated users writes more as people do."""

    nearer: str
    farther: str
    difference: float
    """Of their distances to people."""
    interval: Bounds


class HumanPart(Stored):
    """The comparison with a human reference."""

    file: str
    """Its name without the folder."""
    conversations: StrictInt
    people: StrictInt
    halves: Bounds
    """Index of the middle 95% of random halves of the reference."""
    users: tuple[UserRow, ...]
    """Nearest to people first."""
    order: tuple[OrderRow, ...]


class AgeMean(Stored):
    """A trait of one age group."""

    group: str
    mean: float | None
    interval: Bounds


class AgeRow(Stored):
    """A trait by the age of the persona."""

    name: str
    title: str
    words: str
    rises: bool
    """Whether it is expected to grow with age."""
    means: tuple[AgeMean, ...]
    difference: float | None
    """Oldest group less youngest, in standard deviations of the youngest."""
    interval: Bounds
    in_order: bool
    as_expected: bool | None
    """Whether oldest and youngest differ as expected; None where the interval cannot tell."""


class MannerRow(Stored):
    """One thing that personas say of writing, and how many conversations keep to it."""

    name: str
    means: str
    said: StrictInt
    """Conversations whose persona says so."""
    kept: float
    """Share of these that write so."""
    interval: Bounds
    unsaid: float | None
    """Share of the other conversations that write so all the same."""


class PersonaPart(Stored):
    """One simulated user beside its own personas."""

    user: str
    conversations: StrictInt
    base_scenarios: StrictInt
    ages: tuple[AgeRow, ...]
    manners: tuple[MannerRow, ...]


class SimulatedPeople(StoredFile):
    """What was found of a suite's simulated users."""

    WHAT = "what `impactbench audit simulator` writes"
    CURE = "Delete it and run the command again; it asks no model."

    helm_impactbench: str
    conversations: StrictInt
    """That were read."""
    eligible: StrictInt
    """That could have been."""
    runs: tuple[str, ...]
    """Names of the suite's runs then."""
    cut: StrictInt
    """Messages of each conversation that were read."""
    personas: tuple[PersonaPart, ...]
    human: HumanPart | None = None


def read_simulated_people(suite: Path) -> SimulatedPeople | None:
    """Return what was found of a suite, None where its users were never audited. Raises ResultsError."""
    return read_stored(suite / FILE, SimulatedPeople)


def write_simulated_people(suite: Path, found: SimulatedPeople) -> Path:
    """Write what was found of a suite in the place of what was there; return the file. Raises StorageError."""
    return write_stored(suite / FILE, found)

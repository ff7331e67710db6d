"""Who was tested, in the words of one audience."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from helm_impactbench.outputs.label.audiences import Audience
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.phrases import filled


@dataclass(frozen=True)
class FactItem:
    """One thing in a list."""

    text: str
    count: str = ""
    """Its conversations in brackets, or nothing."""
    slug: str | None = None
    """Of an installed benchmark, whose card can be linked."""


@dataclass(frozen=True)
class Fact:
    """A line on who was tested."""

    name: str
    items: tuple[FactItem, ...]


def shown_facts(label: Label, audience: Audience) -> list[Fact]:
    """Return the lines on who was tested."""
    return list(_facts(label, audience))


def shown_scripted(label: Label, audience: Audience) -> str | None:
    """Return the sentence on the roles that a script played; None when it played none."""
    roles = [getattr(audience.roles, role) for role in label.tested.scripted]
    if not roles:
        return None
    *first, last = roles
    return filled(audience.rehearsal_text, roles=f"{', '.join(first)} and {last}" if first else last)


def _facts(label: Label, audience: Audience) -> Iterator[Fact]:
    who, words = label.tested, audience.facts
    counted = filled(
        words.counted, conversations=f"{who.conversations:,}", scored=f"{who.scored:,}", scenarios=f"{who.scenarios:,}"
    )
    yield Fact(words.conversations, (FactItem(counted),))
    for axis, values in who.people:
        yield Fact(filled(words.people, axis=axis), tuple(FactItem(value, f" ({count:,})") for value, count in values))
    if not who.people:
        yield Fact(words.anybody, (FactItem(words.unstated),))
    installed = {fed.benchmark for fed in label.metrics}
    benchmarks = (
        FactItem(name, f" ({count:,})", slug if slug in installed else None) for slug, name, count in who.benchmarks
    )
    yield Fact(words.benchmarks, tuple(benchmarks))
    yield Fact(words.users, tuple(map(FactItem, who.users)) or (FactItem(words.unknown),))
    yield Fact(words.judges, tuple(map(FactItem, who.judges)) or (FactItem(words.unknown),))
    if label.checked:
        yield Fact(words.checked, tuple(map(FactItem, label.checked)))

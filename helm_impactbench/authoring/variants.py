"""Whether the variants of a base scenario differ in the axis alone.

Two variants are compared word by word in what a person wants and is told to do. What they have in common should be
nearly all of it: a child and an adult who ask about the same thing in the same place, with the same at stake. A lower
share means that the axis is mixed with something else, and a difference between its levels cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path

from helm_impactbench.benchmark import blocks
from helm_impactbench.benchmark.files import SCENARIOS_FILE
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.rules import Finding
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.benchmark.source import FileFault, read_source

LEAST_SHARED = 0.6
"""Share of words, in order, that two variants of a base scenario have in common at least."""
MOST_WORDS = 1_000
"""Of each text that are compared."""
_WORD = re.compile(r"[^\W_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}][^\W_]+)*")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True)
class Shared:
    """Two variants of a base scenario, and how alike they are."""

    first: Scenario
    second: Scenario
    share: float
    """Twice the words in common over all words, 0 to 1 (Ratcliff and Metzener, 1988, "Gestalt pattern matching")."""


def least_shared(variants: list[Scenario]) -> Shared | None:
    """Return the two variants with a simulated user that have the least in common; None for fewer than two."""
    told = [(one, _all_told(one)) for one in variants if one.has_simulated_user and not one.messages]
    pairs = [Shared(a, b, shared_words(one, other)) for (a, one), (b, other) in combinations(told, 2)]
    return min(pairs, key=lambda pair: pair.share, default=None)


def shared_words(one: str, other: str) -> float:
    """Return the share of words, in order and in small letters, that two texts have in common; 1 for equal texts.

    Of longer texts than any scenario has, the beginnings are compared: the time grows with the square of the length.
    """
    first, second = (_WORD.findall(text.lower())[:MOST_WORDS] for text in (one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def numbers_in(text: str) -> tuple[str, ...]:
    """Return the numbers that are written in digits, each once."""
    return tuple(sorted(set(_NUMBER.findall(text))))


def variant_faults(benchmark: Benchmark, folder: Path) -> list[FileFault]:
    """Return warnings for variants of a loaded benchmark that differ in more than their axes, with their lines."""
    source = read_source(folder / SCENARIOS_FILE)
    rows = blocks.rows(source.data)
    found = findings(dict(enumerate(benchmark.scenarios)))
    return [source.fault(rows[int(i)].place_of(tuple(step)), *said) for (i, *step), *said in found]


def findings(scenarios: Mapping[int, Scenario]) -> Iterator[Finding]:
    """Yield a warning for every base scenario whose variants differ in more than their axes can explain."""
    by_base: dict[str, dict[int, Scenario]] = {}
    for i, scenario in scenarios.items():
        if scenario.axes:
            by_base.setdefault(scenario.base_id, {})[i] = scenario
    for variants in by_base.values():
        yield from _findings(variants)


def _findings(variants: Mapping[int, Scenario]) -> Iterator[Finding]:
    found = least_shared(list(variants.values()))
    if found is None:
        return
    place = {scenario.id: i for i, scenario in variants.items()}
    if found.share < LEAST_SHARED:
        yield (
            (place[found.second.id],),
            f"shares {found.share:.0%} of its words with {found.first.id}; variants should share {LEAST_SHARED:.0%} "
            "or more, so that they differ in their axes alone",
            "warning",
        )
    first, *others = variants.values()
    for other in others:
        if _turns(other) != _turns(first):
            yield (
                (place[other.id], "landmarks"),
                f"has landmarks at turns {_turns(other)}, {first.id} at {_turns(first)}; give variants the same turns",
                "warning",
            )
        if _numbers(other) != _numbers(first):
            yield (
                (place[other.id],),
                f"names other numbers than {first.id} ({_numbers(other)} beside {_numbers(first)}); the facts of a "
                "case stay the same at every level",
                "warning",
            )


def _all_told(scenario: Scenario) -> str:
    return f"{_told(scenario)} {scenario.played_persona}"


def _told(scenario: Scenario) -> str:
    parts = [scenario.user_goal, scenario.latent_adversarial_goal, *(mark.instruction for mark in scenario.landmarks)]
    return " ".join(part for part in parts if part)


def _turns(scenario: Scenario) -> tuple[int, ...]:
    return tuple(mark.turn for mark in scenario.landmarks)


def _numbers(scenario: Scenario) -> tuple[str, ...]:
    """Return the numbers in what the person wants and does; the persona's age is not among them."""
    return numbers_in(_told(scenario))

"""Draw conversations for people to annotate: stratified by metric and by the judge's answer, balanced, seeded, mixed.

Everything random is the order of a hash over the seed and the conversation's name: the same on every machine and for
any order of the input, and a larger sheet of the same seed keeps what a smaller one holds as far as places allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.results.outcome import Outcome

T = TypeVar("T")

ItemName = tuple[str, str, str, int]
"""(setup, model, variant id, sample): one conversation of a suite."""
StratumName = tuple[str, str]
"""(metric as slug/id, the judge's answer: present, absent, low, middle, high, any, not_applicable or unclear)."""
MIDDLE = 0.33
"""How far from the middle of a measure, as a share of half its range, an answer is on a side."""
CANDIDATES = 40
"""Conversations per place that balancing chooses from."""


@dataclass(frozen=True)
class Sample:
    """The conversations that were drawn."""

    outcomes: tuple[Outcome, ...]
    """In the order of the sheet."""
    sizes: dict[StratumName, int]
    """Judged conversations of every stratum that has one."""
    drawn: dict[StratumName, int]
    """Of these, how many were drawn; 0 is possible."""

    models: tuple[str, ...]
    """Models that there were to draw from."""

    @property
    def metrics(self) -> int:
        """How many metrics there were to draw from."""
        return len({metric for metric, _ in self.sizes})

    @property
    def judged(self) -> int:
        """How many conversations there were to draw from."""
        return sum(self.sizes.values())

    @property
    def empty_strata(self) -> int:
        """How many strata have no place on the sheet."""
        return sum(not count for count in self.drawn.values())


def name_of(outcome: Outcome) -> ItemName:
    """Return the name of a conversation within its suite."""
    return outcome.setup, outcome.model, outcome.variant_id, outcome.sample


def is_judged(outcome: Outcome) -> bool:
    """Return whether judges have said something of a conversation, be it that nothing can be said."""
    return outcome.status != "unscored" and bool(outcome.votes)


def answer_of(outcome: Outcome) -> str:
    """Return what the judge said of a conversation, in one of few words."""
    if outcome.value is None:
        return outcome.status
    if outcome.is_binary:
        return "present" if outcome.value == 1 else "absent"
    return side_of(outcome, outcome.value)


def side_of(outcome: Outcome, value: float) -> str:
    """Return on which side of the middle of the outcome's measure a value is: high, middle or low; any without ends."""
    if outcome.bounds is None:
        return "any"
    low, high = outcome.bounds
    place = 2 * (value - low) / (high - low) - 1
    threshold = outcome.contrast.threshold if outcome.contrast else MIDDLE
    return "high" if place > threshold else "low" if place < -threshold else "middle"


def stratum_of(outcome: Outcome) -> StratumName:
    """Return the stratum of a judged conversation."""
    return outcome.metric, answer_of(outcome)


def strata_sizes(outcomes: Sequence[Outcome]) -> dict[StratumName, int]:
    """Return how many judged conversations each stratum has, by name."""
    return dict(sorted(Counter(stratum_of(outcome) for outcome in outcomes if is_judged(outcome)).items()))


def draw_sample(outcomes: Sequence[Outcome], places: int, seed: int) -> Sample:
    """Return a sample of `places` judged conversations, of all of them when there are no more.

    Places are shared as equally as possible among metrics, and within a metric among the judge's answers; within these,
    levels of axes, levels of factors and models occur as often as they do among all.
    """
    sizes = strata_sizes(outcomes)
    drawn = _allocation(sizes, places, seed)
    members: dict[StratumName, list[Outcome]] = {}
    for outcome in filter(is_judged, outcomes):
        members.setdefault(stratum_of(outcome), []).append(outcome)
    chosen = [outcome for stratum in drawn for outcome in _balanced(members[stratum], drawn[stratum], seed)]
    chosen.sort(key=lambda outcome: chance(seed, "order", name_of(outcome)))
    models = sorted({outcome.model for found in members.values() for outcome in found})
    return Sample(tuple(chosen), sizes, drawn, tuple(models))


def _balanced(members: Sequence[Outcome], count: int, seed: int) -> list[Outcome]:
    """Return `count` conversations, each time one whose levels are furthest behind their share; chance decides ties."""
    left = sorted(members, key=lambda outcome: chance(seed, "draw", name_of(outcome)))
    shares = Counter(level for outcome in members for level in _levels(outcome))
    seen: Counter[tuple[str, str]] = Counter()
    chosen: list[Outcome] = []
    while left and len(chosen) < count:

        def ahead(outcome: Outcome) -> float:
            """Return how far the levels of a conversation are ahead of their share already."""
            return sum(seen[level] / shares[level] for level in _levels(outcome))

        place = min(range(min(len(left), CANDIDATES * count)), key=lambda place: (round(ahead(left[place]), 9), place))
        chosen.append(left.pop(place))
        seen.update(_levels(chosen[-1]))
    return chosen


def _levels(outcome: Outcome) -> Iterator[tuple[str, str]]:
    yield "model", outcome.model
    yield from ((f"axis {axis}", level) for axis, level in outcome.axes)
    yield from ((f"factor {factor}", level) for factor, level in outcome.factors)


def _allocation(sizes: Mapping[StratumName, int], places: int, seed: int) -> dict[StratumName, int]:
    totals: dict[str, int] = {}
    for (metric, _), size in sizes.items():
        totals[metric] = totals.get(metric, 0) + size
    quotas = share_out(totals, places, lambda metric: chance(seed, "metric", metric))
    drawn: dict[StratumName, int] = {}
    for metric, quota in quotas.items():
        answers = {stratum: size for stratum, size in sizes.items() if stratum[0] == metric}
        drawn |= share_out(answers, quota, lambda stratum: chance(seed, "answer", stratum))
    return {stratum: drawn[stratum] for stratum in sizes}


def share_out(capacities: Mapping[T, int], places: int, rank: Callable[[T], str]) -> dict[T, int]:
    """Return how many places each gets: as equal as capacities allow, the odd ones to those of lowest rank."""
    given = dict.fromkeys(capacities, 0)
    while places > 0:
        open_ = [name for name, capacity in capacities.items() if given[name] < capacity]
        if not open_:
            break
        if places < len(open_):
            open_ = sorted(open_, key=rank)[:places]
        each = max(1, places // len(open_))
        for name in open_:
            more = min(each, capacities[name] - given[name])
            given[name] += more
            places -= more
    return given


def chance(seed: int, purpose: str, name: object) -> str:
    """Return a text (hex) that orders names as if by lot."""
    return content_digest([seed, purpose, name])

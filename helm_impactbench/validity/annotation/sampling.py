"""Draw conversations for people to label: stratified by metric and by the judge's answer, seeded, in a mixed order.

Everything random is the order of a hash over the seed and the conversation's name: the same on every machine and for
any order of the input, and a larger sheet of the same seed keeps what a smaller one holds as far as places allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from helm_impactbench.benchmark.model import content_digest
from helm_impactbench.results.outcome import Outcome

T = TypeVar("T")

ItemName = tuple[str, str, str, int]
"""(setup, model, variant id, sample): one conversation of a suite."""
StratumName = tuple[str, bool]
"""(metric as slug/id, whether the judge found the behaviour)."""


@dataclass(frozen=True)
class Sample:
    """The conversations that were drawn."""

    outcomes: tuple[Outcome, ...]
    """In the order of the sheet."""
    sizes: dict[StratumName, int]
    """Scored conversations of every stratum that has one."""
    drawn: dict[StratumName, int]
    """Of these, how many were drawn; 0 is possible."""

    models: tuple[str, ...]
    """Models that there were to draw from."""

    @property
    def metrics(self) -> int:
        """How many metrics there were to draw from."""
        return len({metric for metric, _ in self.sizes})

    @property
    def scored(self) -> int:
        """How many conversations there were to draw from."""
        return sum(self.sizes.values())

    @property
    def empty_strata(self) -> int:
        """How many strata have no place on the sheet."""
        return sum(not count for count in self.drawn.values())


def name_of(outcome: Outcome) -> ItemName:
    """Return the name of a conversation within its suite."""
    return outcome.setup, outcome.model, outcome.variant_id, outcome.sample


def stratum_of(outcome: Outcome) -> StratumName:
    """Return the stratum of a scored conversation."""
    return outcome.metric, bool(outcome.present)


def strata_sizes(outcomes: Sequence[Outcome]) -> dict[StratumName, int]:
    """Return how many scored conversations each stratum has, by name."""
    sizes: dict[StratumName, int] = {}
    for outcome in outcomes:
        if outcome.present is not None:
            sizes[stratum_of(outcome)] = sizes.get(stratum_of(outcome), 0) + 1
    return dict(sorted(sizes.items()))


def draw_sample(outcomes: Sequence[Outcome], places: int, seed: int) -> Sample:
    """Return a sample of `places` scored conversations, of all of them when there are no more.

    Places are shared as equally as possible among metrics, and within a metric between the judge's two answers.
    """
    sizes = strata_sizes(outcomes)
    drawn = _allocation(sizes, places, seed)
    chosen: list[Outcome] = []
    for stratum, count in drawn.items():
        members = [o for o in outcomes if o.present is not None and stratum_of(o) == stratum]
        chosen += sorted(members, key=lambda o: chance(seed, "draw", name_of(o)))[:count]
    chosen.sort(key=lambda o: chance(seed, "order", name_of(o)))
    models = sorted({outcome.model for outcome in outcomes if outcome.present is not None})
    return Sample(tuple(chosen), sizes, drawn, tuple(models))


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

"""Audit how a suite's simulated users write: choose conversations, compare, and put the findings together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench._version import __version__
from helm_impactbench.judging.judge_conversation import Call
from helm_impactbench.results.repeats import selected_runs
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.tables import Result
from helm_impactbench.validity.records.simulated_people import (
    AgeMean,
    AgeRow,
    Bounds,
    HumanPart,
    MannerRow,
    OrderRow,
    PersonaPart,
    SimulatedPeople,
    TraitRow,
    UserRow,
)
from helm_impactbench.validity.simulator.fidelity import Likeness, TraitGap, WrittenMessages, compare, cut_at, styles_of
from helm_impactbench.validity.simulator.human_reference import HumanConversation
from helm_impactbench.validity.simulator.persona_style import AgeTrait, StyledPerson, StyleReading, age_traits, manners
from helm_impactbench.validity.simulator.review_sample import Chosen, ReviewItem
from helm_impactbench.validity.simulator.user_style import TRAITS, style_of

_TRAITS = {trait.name: trait for trait in TRAITS}


@dataclass(frozen=True)
class SimulatedText:
    """What one simulated user wrote, and whom it played."""

    user: str
    """What plays the user; a hurried one writes otherwise and counts as another."""
    persona: str
    axes: tuple[tuple[str, str], ...]
    text: WrittenMessages
    """Without fixed messages."""


@dataclass(frozen=True)
class FidelityInstrument:
    """An instrument that asks no model: how simulated users write, beside their personas and beside people."""

    suite: Path
    chosen: Chosen
    human: Sequence[HumanConversation] | None = None
    reference: str = ""
    """Name of the file of `human`."""
    noun: str = "conversation"

    @property
    def items(self) -> Sequence[ReviewItem]:
        """The chosen conversations."""
        return self.chosen.items

    def ask(self, item: ReviewItem, call: Call | None = None) -> SimulatedText:
        """Return what the simulated user wrote in a conversation; no call is made."""
        plan = item.record.case.plan
        turns = item.record.conversation.turns[len(plan.messages) :]
        user = f"{plan.user}, perfunctory" if plan.perfunctory else plan.user
        text = WrittenMessages(item.outcome.cluster, tuple(turn.user for turn in turns))
        return SimulatedText(user, plan.persona, item.outcome.axes, text)

    def record(self, answers: Sequence[SimulatedText]) -> SimulatedPeople:
        """Return what was found of each simulated user."""
        by_user: dict[str, list[SimulatedText]] = {}
        for answer in answers:
            by_user.setdefault(answer.user, []).append(answer)
        cut = cut_at([answer.text for answer in answers])
        return SimulatedPeople(
            helm_impactbench=__version__,
            conversations=len(answers),
            eligible=self.chosen.eligible,
            runs=tuple(sorted(run.name for run in selected_runs(self.suite))),
            cut=cut,
            personas=tuple(_persona_part(user, by_user[user], cut) for user in sorted(by_user)),
            human=None if self.human is None else _human_part(by_user, cut, self.human, self.reference),
        )

    def figures(self, record: SimulatedPeople) -> Result:
        """Return how they write."""
        from helm_impactbench.validity.commands.simulated_people import simulated_people

        return simulated_people(record)


def _persona_part(user: str, texts: Sequence[SimulatedText], cut: int) -> PersonaPart:
    people = [StyledPerson(one.text.cluster, one.persona, one.axes, style_of(one.text.messages[:cut])) for one in texts]
    return PersonaPart(
        user=user,
        conversations=len(texts),
        base_scenarios=len({one.cluster for one in people}),
        ages=tuple(map(_age_row, age_traits(people))),
        manners=tuple(map(_manner_row, manners(people))),
    )


def _human_part(
    by_user: dict[str, list[SimulatedText]], cut: int, human: Sequence[HumanConversation], reference: str
) -> HumanPart:
    people = styles_of([WrittenMessages(one.person, one.messages) for one in human], cut)
    found = compare({user: styles_of([one.text for one in texts], cut) for user, texts in by_user.items()}, people)
    low, high = found.halves
    return HumanPart(
        file=reference,
        conversations=people.size,
        people=people.units,
        halves=_bounds(Interval(low, high)),
        users=tuple(map(_user_row, found.likenesses)),
        order=tuple(
            OrderRow(nearer=one.nearer, farther=one.farther, difference=one.difference, interval=_bounds(one.interval))
            for one in found.order
        ),
    )


def _user_row(found: Likeness) -> UserRow:
    return UserRow(
        user=found.name,
        index=found.value,
        index_interval=_bounds(found.interval),
        distance=found.gap.coefficient,
        distance_interval=_bounds(found.gap.interval),
        p_value=found.p_value,
        apart=found.told_apart,
        traits=tuple(map(_trait_row, found.traits)),
    )


def _trait_row(found: TraitGap) -> TraitRow:
    return TraitRow(
        name=found.trait.name,
        dimension=found.trait.dimension,
        title=found.trait.title,
        words=found.trait.words,
        simulated=_number(found.simulated),
        human=_number(found.human),
        difference=_number(found.difference.value),
        interval=_bounds(found.difference.interval),
        p_adjusted=found.told.adjusted,
        apart=found.told.apart,
    )


def _age_row(found: AgeTrait) -> AgeRow:
    apart = found.difference
    return AgeRow(
        name=found.trait,
        title=_TRAITS[found.trait].title,
        words=_TRAITS[found.trait].words,
        rises=found.rises,
        means=tuple(
            AgeMean(group=group, mean=_number(mean), interval=_bounds(interval))
            for group, (mean, interval) in found.means.items()
        ),
        difference=_number(apart.value) if apart else None,
        interval=_bounds(apart.interval) if apart else None,
        in_order=found.in_order,
        as_expected=found.as_expected,
    )


def _manner_row(found: StyleReading) -> MannerRow:
    return MannerRow(
        name=found.manner.name,
        means=found.manner.means,
        said=found.said.values,
        kept=found.said.mean,
        interval=_bounds(found.interval),
        unsaid=found.unsaid.mean if found.unsaid.size else None,
    )


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _bounds(interval: Interval) -> Bounds:
    return (interval.low, interval.high) if interval.is_known else None

"""Audit how a suite's simulated users write: choose conversations, compare, and put the findings together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from helm_impactbench._version import __version__
from helm_impactbench.results.files import selected_runs
from helm_impactbench.stats.intervals import Interval
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
from helm_impactbench.validity.simulator.fidelity import Likeness, TraitGap, Written, compare, cut_at, styles_of
from helm_impactbench.validity.simulator.human_reference import HumanConversation
from helm_impactbench.validity.simulator.persona_style import AgeTrait, Kept, Person, age_traits, manners
from helm_impactbench.validity.simulator.review_run import Chosen, Item
from helm_impactbench.validity.simulator.user_style import TRAITS, style_of

_TRAITS = {trait.name: trait for trait in TRAITS}


def audit_people(
    suite: Path, chosen: Chosen, human: Sequence[HumanConversation] | None = None, reference: str = ""
) -> SimulatedPeople:
    """Return how the simulated users of the chosen conversations write, beside people if a reference is given.

    `reference` is the name of its file.
    """
    by_user: dict[str, list[Item]] = {}
    for item in chosen.items:
        by_user.setdefault(user_of(item), []).append(item)
    cut = cut_at([written(item) for item in chosen.items])
    return SimulatedPeople(
        helm_impactbench=__version__,
        conversations=len(chosen.items),
        eligible=chosen.eligible,
        runs=tuple(sorted(run.name for run in selected_runs(suite))),
        cut=cut,
        personas=tuple(_persona_part(user, by_user[user], cut) for user in sorted(by_user)),
        human=_human_part(by_user, cut, human, reference) if human is not None else None,
    )


def user_of(item: Item) -> str:
    """Return what plays the user of a conversation; a hurried one writes otherwise and counts as another."""
    plan = item.record.case.plan
    return f"{plan.user}, perfunctory" if plan.perfunctory else plan.user


def written(item: Item) -> Written:
    """Return what the simulated user wrote in a conversation, without fixed messages."""
    turns = item.record.conversation.turns[len(item.record.case.plan.messages) :]
    return Written(item.outcome.cluster, tuple(turn.user for turn in turns))


def _persona_part(user: str, items: Sequence[Item], cut: int) -> PersonaPart:
    people = [
        Person(
            item.outcome.cluster,
            item.record.case.plan.persona,
            item.outcome.axes,
            style_of(written(item).messages[:cut]),
        )
        for item in items
    ]
    return PersonaPart(
        user=user,
        conversations=len(items),
        base_scenarios=len({one.cluster for one in people}),
        ages=tuple(map(_age_row, age_traits(people))),
        manners=tuple(map(_manner_row, manners(people))),
    )


def _human_part(
    by_user: dict[str, list[Item]], cut: int, human: Sequence[HumanConversation], reference: str
) -> HumanPart:
    people = styles_of([Written(one.person, one.messages) for one in human], cut)
    found = compare(
        {user: styles_of([written(item) for item in items], cut) for user, items in by_user.items()}, people
    )
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


def _manner_row(found: Kept) -> MannerRow:
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

"""`impactbench audit simulator`: how simulated users write, beside people and beside their own personas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.tables import figure, print_table, signed
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.validity.records.simulated_people import (
        AgeRow,
        Bounds,
        HumanPart,
        PersonaPart,
        SimulatedPeople,
        UserRow,
    )
    from helm_impactbench.validity.simulator.review_run import Chosen


def audit_and_print(suite: Path, chosen: Chosen, human: Path | None) -> SimulatedPeople:
    """Audit how a suite's simulated users write, print it and store it in the suite."""
    from helm_impactbench.validity.records.simulated_people import write_simulated_people
    from helm_impactbench.validity.simulator.fidelity_run import audit_people
    from helm_impactbench.validity.simulator.human_reference import read_human

    people = read_human(human) if human else None
    found = audit_people(suite, chosen, people, human.name if human else "")
    click.echo(
        f"How the simulated users of suite {suite.name} write: {found.conversations:,} of "
        f"{counted(found.eligible, 'conversation')}, the first {found.cut} messages of each."
    )
    if found.human:
        _print_human(found.human)
    for part in found.personas:
        _print_persona(part)
    if not found.human:
        click.echo("Whether people write so is not known without conversations of people: --human FILE.")
    click.echo(f"Wrote {write_simulated_people(suite, found)}", err=True)
    return found


def rows(found: SimulatedPeople) -> list[dict[str, Any]]:
    """Return a row per user and trait, for a file."""
    return [
        {"user": user.user, **trait.model_dump(mode="json", exclude={"interval"}), **_columns(trait.interval)}
        for user in (found.human.users if found.human else ())
        for trait in user.traits
    ] or [
        {"user": part.user, **row.model_dump(mode="json", exclude={"interval"}), **_columns(row.interval)}
        for part in found.personas
        for row in part.manners
    ]


def _columns(bounds: Bounds) -> dict[str, float | None]:
    return {"low": bounds[0] if bounds else None, "high": bounds[1] if bounds else None}


def _print_human(human: HumanPart) -> None:
    click.echo(
        f"Beside {counted(human.conversations, 'conversation')} of {counted(human.people, 'person', 'people')} in "
        f"{human.file}. Differences are in standard deviations of people, with 95% intervals; told apart: by a test "
        "that allows for all traits."
    )
    for user in human.users:
        click.echo(f"\n{user.user}")
        table = [
            (
                one.dimension, one.words, figure(one.simulated), figure(one.human),
                f"{signed(one.difference)}{_between(one.interval)}", "yes" if one.apart else "no",
            )
            for one in user.traits
        ]  # fmt: skip
        print_table(("dimension", "trait", "simulated", "human", "difference", "told apart"), table)
        click.echo(_index(user, human.halves))
        click.echo(_conclusion(user))
    for one in human.order:
        surely = one.interval is not None and one.interval[0] > 0
        click.echo(
            f"{one.nearer} is {one.difference:.3f} nearer to people than {one.farther}{_between(one.interval)}: "
            + ("it writes more as they do." if surely else "which of the two writes more as they do cannot be told.")
        )


def _index(user: UserRow, halves: Bounds) -> str:
    ceiling = f"; two halves of the reference: 100, mostly {halves[0]:.0f} to {halves[1]:.0f}" if halves else ""
    bounds = user.index_interval
    known = f" ({bounds[0]:.0f} to {bounds[1]:.0f})" if bounds else ""
    return (
        f"User-likeness index: {user.index:.0f}{known} of 100{ceiling}. "
        f"Distance {user.distance:.3f}{_between(user.distance_interval)}, p = {user.p_value:.3f}."
    )


def _conclusion(user: UserRow) -> str:
    apart = user.dimensions_apart
    if apart:
        return (
            f"It does not write as these people do: told apart by {', '.join(apart)} ({len(apart)} of "
            f"{len(user.dimensions)} dimensions)."
        )
    if user.apart:
        return "It does not write as these people do, although no single trait tells them apart."
    return "No difference was found; how large one may be all the same, the intervals say."


def _print_persona(part: PersonaPart) -> None:
    about = f"{counted(part.conversations, 'conversation')} of {counted(part.base_scenarios, 'base scenario')}"
    click.echo(f"\n{part.user}, beside its own personas: {about}")
    if part.ages:
        groups = [one.group for one in part.ages[0].means]
        click.echo("By age of the persona: means with 95% intervals, and whether the oldest group differs as expected")
        header = ("trait", "expected", *groups, "difference", "as expected")
        print_table(header, [_age(row) for row in part.ages])
    if part.manners:
        click.echo("What personas say of how they write, and the share of conversations that keep to it")
        table = [
            (one.name, str(one.said), f"{one.kept:.3f}{_between(one.interval)}", figure(one.unsaid), one.means)
            for one in part.manners
        ]
        print_table(("persona", "conversations", "kept", "of the others", "kept means"), table)
    if not part.ages and not part.manners:
        click.echo("No persona has an age or says how the person writes.")


def _age(row: AgeRow) -> Sequence[str]:
    verdict = {True: "yes", False: "NO", None: "cannot be told"}[row.as_expected]
    means = [f"{figure(one.mean, 2)}{_between(one.interval, 2)}" for one in row.means]
    return (
        row.words,
        "more with age" if row.rises else "less with age",
        *means,
        f"{signed(row.difference)}{_between(row.interval)}",
        verdict if row.in_order or row.as_expected is None else f"{verdict}, but not in order",
    )


def _between(bounds: Bounds, digits: int = 3) -> str:
    return f" ({bounds[0]:.{digits}f} to {bounds[1]:.{digits}f})" if bounds else ""

"""`audit simulator`: how simulated users write, beside people and beside their own personas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from helm_impactbench.errors import counted, listed
from helm_impactbench.tables import Column, Result, Row, Table
from helm_impactbench.tables.column import varies
from helm_impactbench.validity.commands.columns import figure_columns, presentable, text_columns
from helm_impactbench.validity.records.simulated_people import Bounds, HumanPart, SimulatedPeople, UserRow

USER = Column("Simulated user", "model", "Deployment; a hurried one counts as another.", "default", key="user")
USER_SEVERAL = Column(USER.title, USER.kind, USER.about, "default", varies("user"), "user")


def _truth(key: str, words: dict[bool | None, str]) -> Callable[[Row], str]:
    return lambda row: words[row[key]]


LIKENESS_COLUMNS = (
    USER,
    *figure_columns("index", "Likeness", "100 is as alike as two halves of the people are on average.", kind="count"),
    *figure_columns("distance", "Distance", "Energy coefficient: 0 for equal distributions, 1 at most."),
    Column("p", "p", "Of no difference from people.", "default", key="p_value"),
    Column("Differs by", "text", "Dimensions with a significant trait.", "default", key="dimensions_apart"),
    Column("Significant", "flag", "Whether the overall test finds a difference.", "wide", key="apart"),
)
TRAIT_COLUMNS = (
    USER_SEVERAL,
    *text_columns(
        ("dimension", "Dimension", "What the trait belongs to.", "wide"),
        ("words", "Trait", "What the number is.", "default"),
        ("name", "Name", "Of the trait.", "file"),
        ("title", "Title", "Of the trait.", "file"),
    ),
    Column("Simulated", "number", "Mean over conversations.", "default", key="simulated"),
    Column("People", "number", "Mean over conversations.", "default", key="human"),
    *figure_columns("difference", "Difference", "In standard deviations of people.", kind="difference"),
    Column("p", "p", "Corrected for all traits.", "wide", key="p_adjusted"),
    Column("Significant", "flag", "By a test that allows for all traits.", "wide", key="apart"),
)
ORDER_COLUMNS = (
    *text_columns(
        ("nearer", "Nearer to people", "Simulated user.", "default"), ("farther", "than", "Simulated user.", "default")
    ),
    *figure_columns("difference", "By", "Difference of their distances to people.", kind="number"),
    Column("Significant", "flag", "Whether the interval lies above 0.", "default", key="apart"),
)
AGE_COLUMNS = (
    USER_SEVERAL,
    *text_columns(("words", "Trait", "What the number is.", "default"), ("name", "Name", "Of the trait.", "file")),
    Column(
        "Expected",
        "text",
        "With the age of the persona.",
        "default",
        key="rises",
        text=_truth("rises", {True: "more with age", False: "less with age"}),
    ),
    Column("Means by age", "text", "By the age of the persona.", "wide", key="means"),
    *figure_columns("difference", "Oldest less youngest", "In standard deviations of the youngest.", kind="difference"),
    Column(
        "As expected",
        "text",
        "Whether oldest and youngest differ so.",
        "default",
        key="as_expected",
        text=_truth("as_expected", {True: "yes", False: "NO", None: "not significant"}),
    ),
    Column("In order", "flag", "Whether the groups between are in order.", "wide", key="in_order"),
)
MANNER_COLUMNS = (
    USER_SEVERAL,
    *text_columns(
        ("name", "Persona says", "How the person writes.", "default"),
        ("means", "Kept means", "What is counted.", "wide"),
    ),
    Column("Conversations", "count", "Whose persona says so.", "default", key="said"),
    *figure_columns("kept", "Kept", "Share of these that write so."),
    Column("Of the others", "rate", "Share of the others that write so all the same.", "default", key="unsaid"),
)


def simulated_people(found: SimulatedPeople) -> Result:
    """Return how a suite's simulated users write."""
    human = found.human
    beside = (
        f"{counted(human.conversations, 'conversation')} of {counted(human.people, 'person', 'people')}"
        if human
        else ""
    )
    traits = list(_traits(human)) if human else []
    tables = (
        Table(
            "likeness",
            LIKENESS_COLUMNS,
            [_likeness(user) for user in human.users] if human else [],
            f"Simulated users beside {beside} in {human.file if human else ''}",
        ),
        Table(
            "apart",
            TRAIT_COLUMNS,
            [row for row in traits if row["apart"]],
            "What differs significantly",
            in_files=False,
        ),
        Table("traits", TRAIT_COLUMNS, traits, "All traits", "wide"),
        Table("order", ORDER_COLUMNS, list(_order(human)) if human else [], "Which writes more as people do"),
        Table(
            "manners",
            MANNER_COLUMNS,
            list(_manners(found)),
            "What personas say of how they write, and the share of conversations that keep to it",
        ),
        Table("ages", AGE_COLUMNS, list(_ages(found)), "By the age of the persona"),
    )
    notes = (
        f"{found.conversations:,} of {counted(found.eligible, 'conversation')}, the first {found.cut} messages of each."
    )
    return Result(presentable(tables), (notes, *_conclusions(found)), tuple(_details(found)))


def _fields(key: str, value: float | None, bounds: Bounds) -> dict[str, Any]:
    low, high = bounds or (None, None)
    return {key: value, f"{key}_low": low, f"{key}_high": high}


def _likeness(user: UserRow) -> dict[str, Any]:
    return {
        "user": user.user,
        **_fields("index", user.index, user.index_interval),
        **_fields("distance", user.distance, user.distance_interval),
        "p_value": user.p_value,
        "apart": user.apart,
        "dimensions_apart": user.dimensions_apart,
    }


def _traits(human: HumanPart) -> Iterator[dict[str, Any]]:
    for user in human.users:
        for one in user.traits:
            row = one.model_dump(exclude={"difference", "interval"})
            yield {"user": user.user, **row, **_fields("difference", one.difference, one.interval)}


def _order(human: HumanPart) -> Iterator[dict[str, Any]]:
    for one in human.order:
        apart = one.interval is not None and one.interval[0] > 0
        fields = _fields("difference", one.difference, one.interval)
        yield {"nearer": one.nearer, "farther": one.farther, **fields, "apart": apart}


def _ages(found: SimulatedPeople) -> Iterator[dict[str, Any]]:
    for part in found.personas:
        for one in part.ages:
            yield {
                "user": part.user,
                "name": one.name,
                "words": one.words,
                "rises": one.rises,
                "means": {mean.group: mean.mean for mean in one.means},
                **_fields("difference", one.difference, one.interval),
                "as_expected": one.as_expected,
                "in_order": one.in_order,
            }


def _manners(found: SimulatedPeople) -> Iterator[dict[str, Any]]:
    for part in found.personas:
        for one in part.manners:
            fields = _fields("kept", one.kept, one.interval)
            yield {
                "user": part.user,
                "name": one.name,
                "means": one.means,
                "said": one.said,
                **fields,
                "unsaid": one.unsaid,
            }


def _conclusions(found: SimulatedPeople) -> Iterator[str]:
    if found.human is None:
        yield "Whether people write so is not known without conversations of people: --human FILE."
    for user in found.human.users if found.human else ():
        if apart := user.dimensions_apart:
            yield (
                f"{user.user} does not write as these people do: it differs significantly by {listed(apart)} "
                f"({len(apart)} of {len(user.dimensions)} dimensions)."
            )
        elif user.apart:
            yield f"{user.user} does not write as these people do, although no single trait differs significantly."
        else:
            yield f"No significant difference of {user.user} from people; the intervals say how large one may be."


def _details(found: SimulatedPeople) -> Iterator[str]:
    if found.human and found.human.halves:
        low, high = found.human.halves
        yield f"Two halves of the people have a likeness of 100 on average, mostly {low:.0f} to {high:.0f}."
    for part in found.personas:
        yield (
            f"{part.user}: {counted(part.conversations, 'conversation')} of "
            f"{counted(part.base_scenarios, 'base scenario')}."
        )
        if not part.ages and not part.manners:
            yield f"No persona of {part.user} has an age or says how the person writes."

"""The page on simulated people: how they write, beside people and beside their own personas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from helm_impactbench.outputs.report.plots import PlotBar, gap_plot
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.validity.records.simulated_people import SimulatedPeople, UserRow

ADDRESS = "simulated-people.html"


def people_values(found: SimulatedPeople, runs: Sequence[str]) -> dict[str, Any]:
    """Return what the page shows; runs: names of those that the report is of."""
    users = found.human.users if found.human else ()
    return {
        "found": found,
        "charts": {user.user: _chart(user, number) for number, user in enumerate(users, start=1)},
        "changed": len(set(runs) ^ set(found.runs)),
    }


def _chart(user: UserRow, number: int) -> Markup:
    bars = [
        PlotBar(
            f"{trait.title}{' *' if trait.apart else ''}",
            f"#u{number}-{trait.name}",
            trait.difference,
            Interval(*trait.interval) if trait.interval else UNKNOWN,
        )
        for trait in user.traits
        if trait.difference is not None
    ]
    return gap_plot(bars, f"{user.user} less people, in standard deviations of people") if bars else Markup("")

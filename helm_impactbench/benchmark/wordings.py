"""The axis `wording`: the same people and the same cases, with what the user writes worded in another way.

It is crossed at the moment of a run, as operators are: nothing but the wording of the user's messages differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from helm_impactbench.benchmark.scenario import Scenario

AXIS = "wording"
Wording = Literal["as written", "typos", "casual", "formal", "paraphrase"]
AS_WRITTEN: Wording = "as written"
"""The level at which messages are sent as the scenario or the simulated user has them."""
PARAPHRASE: Wording = "paraphrase"
"""The level at which a model puts the first message in other words."""
WORDINGS: tuple[Wording, ...] = get_args(Wording)
"""The levels of the axis, the default first."""


def wording_of(scenario: Scenario) -> Wording:
    """Return how the user's messages are worded in a scenario."""
    level = scenario.axes.get(AXIS)
    return next((wording for wording in WORDINGS if wording == level), AS_WRITTEN)


def without_wording(scenario_id: str) -> str:
    """Return the id of a scenario without the number of its wording."""
    return re.sub(r"_w\d+$", "", scenario_id)


def under_wordings(scenarios: Sequence[Scenario], levels: Iterable[str]) -> list[Scenario]:
    """Return every scenario once under each of `levels`, as variants of its base scenario, levels side by side."""
    numbers = {level: k for k, level in enumerate(WORDINGS) if level in set(levels)}
    return [_under(scenario, level, number) for scenario in scenarios for level, number in numbers.items()]


def _under(scenario: Scenario, level: Wording, number: int) -> Scenario:
    axes = {**scenario.axes, AXIS: level}
    return scenario.model_copy(update={"id": f"{scenario.id}_w{number}", "base": scenario.base_id, "axes": axes})

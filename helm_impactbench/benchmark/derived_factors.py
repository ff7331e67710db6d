"""Factors that follow from others by a table in benchmark.yaml, such as a relationship from what two people think."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field

from helm_impactbench.benchmark.parts import Part, Text
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.files.safe_yaml import Place

Faults = Iterator[tuple[Place, str, str]]
"""Place, message, severity."""


class DerivedFactor(Part):
    """One factor, as a table of the others' levels."""

    of: Annotated[list[Text], Field(alias="from", min_length=1)]
    """The factors that it follows from. ("from" in the file.)"""
    levels: Annotated[dict[Text, list[list[Text]]], Field(min_length=1)]
    """Level -> the combinations that have it, each with a level of every factor in `of`, in that order."""

    def level(self, factors: Mapping[str, str]) -> str | None:
        """Return the level of a scenario with these factors; None where the table does not have their levels."""
        combination = [factors.get(name) for name in self.of]
        return next((level for level, own in self.levels.items() if combination in own), None)

    def applies(self, factors: Mapping[str, str]) -> bool:
        """Return whether a scenario has any of the factors that it follows from."""
        return any(name in factors for name in self.of)


def with_derived(scenario: Scenario, derived: Mapping[str, DerivedFactor]) -> Scenario:
    """Return a scenario with the derived factors that it has."""
    found = {name: level for name, factor in derived.items() if (level := factor.level(scenario.factors)) is not None}
    return scenario.model_copy(update={"factors": {**scenario.factors, **found}}) if found else scenario


def table_faults(derived: Mapping[str, DerivedFactor]) -> Faults:
    """Yield what is wrong with the tables themselves."""
    for name, factor in derived.items():
        place: Place = ("scenario", "derived_factors", name)
        for source in factor.of:
            if source in derived:
                yield (*place, "from"), f"{source} is derived itself; name the factors that it follows from", "error"
        combinations = [(level, tuple(one)) for level, own in factor.levels.items() for one in own]
        for level, one in combinations:
            if len(one) != len(factor.of):
                wanted = ", ".join(factor.of)
                yield (*place, "levels", level), f"found {', '.join(one)}, expected a level each of {wanted}", "error"
        for (level, one), (other, same) in itertools.combinations(combinations, 2):
            if one == same:
                yield (*place, "levels", other), f"{', '.join(one)} stands under {level} too; keep one", "error"


def scenario_faults(scenarios: Mapping[int, Scenario], derived: Mapping[str, DerivedFactor]) -> Faults:
    """Yield every scenario, by its position, whose levels the tables do not have, or that contradicts them."""
    for i, scenario in scenarios.items():
        for name, factor in derived.items():
            level = factor.level(scenario.factors)
            if level is None and factor.applies(scenario.factors):
                found = ", ".join(f"{one}: {scenario.factors.get(one, 'none')}" for one in factor.of)
                yield (
                    (i, "factors"),
                    f"found {found}, for which scenario.derived_factors.{name} has no level; add these to its table",
                    "error",
                )
            elif scenario.factors.get(name, level) != level:
                yield (i, "factors", name), f"is {level} by scenario.derived_factors; leave it out here", "error"

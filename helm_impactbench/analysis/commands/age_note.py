"""Whether a target could know the age by which figures are broken down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from helm_impactbench.benchmark.age_told import LEVELS, TOLD
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import Outcome

AGE = "axis:age"


def age_note(outcomes: Sequence[Outcome], by: str) -> str:
    """Return how many conversations told the target the age, and when; empty for figures by anything else."""
    if by != AGE:
        return ""
    found = Counter(dict(one.factors).get(TOLD, "not recorded") for one in outcomes if "age" in dict(one.axes))
    told = ", ".join(f"{level} {found[level]}" for level in (*LEVELS, "not recorded") if found[level])
    return f"What the target is told of the age, in {counted(found.total(), 'conversation')}: {told}."

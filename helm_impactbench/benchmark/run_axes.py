"""The axes that a run crosses by itself, `operator` and `wording`, as against those that scenarios are written for.

What they change is no property of the person: the simulated user is told of neither, and begins the same way under all
their levels.
"""

from __future__ import annotations

from helm_impactbench.benchmark import operators, wordings
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario

RUN_AXES = (operators.AXIS, wordings.AXIS)


def told_axes(benchmark: Benchmark, scenario: Scenario) -> dict[str, str]:
    """Return the levels that the simulated user is told: nobody who chats with a product knows its system prompt."""
    crossed = (*([operators.AXIS] if benchmark.scenario.operators else []), wordings.AXIS)
    untold = {*benchmark.scenario.untold_axes, *crossed}
    return {axis: level for axis, level in scenario.axes.items() if axis not in untold}


def filed_id(scenario: Scenario) -> str:
    """Return the id of a scenario as its file has it."""
    own = operators.unnumbered(scenario.id) if operators.AXIS in scenario.axes else scenario.id
    return wordings.without_wording(own) if wordings.AXIS in scenario.axes else own

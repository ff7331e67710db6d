"""The axis `operator`: the same people and the same cases, under the system prompts of different products.

It is crossed at the moment of a run instead of being written into every scenario, because the conversation differs in
nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario

AXIS = "operator"
NONE = "none"
"""The level without a product: the target has the system prompt that the benchmark or the scenario gives it."""


def operator_levels(benchmark: Benchmark) -> list[str]:
    """Return the levels of the axis, the default first; none where the benchmark names no operators."""
    return [NONE, *benchmark.scenario.operators] if benchmark.scenario.operators else []


def unnumbered(scenario_id: str) -> str:
    """Return the id of a scenario without the number of its operator."""
    return re.sub(r"_o\d+$", "", scenario_id)


def under_operators(benchmark: Benchmark, scenarios: Sequence[Scenario], levels: Iterable[str]) -> list[Scenario]:
    """Return every scenario once under each of `levels`, as variants of its base scenario, levels side by side."""
    numbers = {level: k for k, level in enumerate(operator_levels(benchmark))}
    return [_under(benchmark, scenario, level, numbers[level]) for scenario in scenarios for level in levels]


def _under(benchmark: Benchmark, scenario: Scenario, level: str, number: int) -> Scenario:
    prompt = benchmark.scenario.operators.get(level, scenario.target_system_prompt)
    return scenario.model_copy(
        update={
            "id": f"{scenario.id}_o{number}",
            "base": scenario.base_id,
            "axes": {**scenario.axes, AXIS: level},
            "target_system_prompt": prompt,
        }
    )

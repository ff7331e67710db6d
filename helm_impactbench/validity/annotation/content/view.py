"""What an expert sees of a case: what is measured, who comes with it, and perhaps one line that an assistant might say.

Names, types, hidden goals, examples and near misses would each reveal which verdict is intended.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.validity.annotation.view import printable


@dataclass(frozen=True)
class ContentView:
    """One item of a sheet."""

    definition: str
    exclusions: tuple[str, ...]
    """What does not count."""
    applies: str
    """When the question arises; empty: always."""
    facts: tuple[str, ...]
    """True statements, as the judge is told them."""
    setting: str
    """Where and why these people talk to an assistant."""
    person: str
    """Whom the simulated user plays; empty where all messages are fixed."""
    goal: str
    """What the person openly wants."""
    course: tuple[str, ...]
    """Fixed messages word for word, then what the person does at later messages."""
    reply: str
    """A line from another conversation on the same matter; empty: the expert gives no verdict."""

    def digest(self) -> str:
        """Return the SHA-256 (hex) of all that is shown."""
        return content_digest(asdict(self))


def content_view(benchmark: Benchmark, metric: Metric, scenario: Scenario, reply: str = "") -> ContentView:
    """Return what is shown of a scenario and its metric."""
    facts = [*metric.facts, *metric.measure.presentation.told_to_judge(scenario.facts, scenario.context)]
    return ContentView(
        definition=printable(metric.definition),
        exclusions=tuple(map(printable, metric.exclusions)),
        applies=printable(metric.applies or ""),
        facts=tuple(map(printable, facts)),
        setting=printable(benchmark.scenario.user_context or ""),
        person=printable(scenario.played_persona),
        goal=printable(scenario.user_goal or ""),
        course=tuple(map(printable, _course(scenario, benchmark.turns_of(scenario)))),
        reply=printable(reply),
    )


def _course(scenario: Scenario, turns: int) -> list[str]:
    fixed = [f"Message {number}, word for word: {text}" for number, text in enumerate(scenario.messages, 1)]
    steps = [f"Message {step.turn}: {step.instruction}" for step in scenario.landmarks]
    return [*fixed, *steps, f"({turns} {'message' if turns == 1 else 'messages'} of the person in all)"]

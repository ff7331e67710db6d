"""What a benchmark is: metrics (observable behaviours) and scenarios (set-ups of conversations).

The field names are those of ImpactBench's files; additional fields are optional.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any

from pydantic import AliasChoices, Field
from typing_extensions import Self

from helm_impactbench.benchmark.areas import Area, Subarea
from helm_impactbench.benchmark.derived_factors import DerivedFactor
from helm_impactbench.benchmark.evidence import ContentEvidence, Day
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.parts import Id, Part, Text, content_digest
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.benchmark.tools import NAME, Tool, tools_of

DEFAULT_TURNS = 6


class Setting(Part):
    """The part of benchmark.yaml that holds for all its scenarios."""

    user_context: Text | None = None
    """Where and why these people talk to an assistant. Told to the simulated user, never to the target."""
    target_system_prompt: Text | None = None
    """The system prompt of the target, where a scenario has none of its own."""
    turns: Annotated[int, Field(ge=1, le=100)] = DEFAULT_TURNS
    """Messages of the user in a full conversation."""
    axes: Annotated[dict[Text, list[Text]], Field(validation_alias=AliasChoices("axes", "demographics"))] = {}
    """Axis -> levels that gen-scenarios expands over; the first level of an axis is its default."""
    default_axes: list[Text] | None = None
    """The axes that a run crosses unless it names others; unset: all."""
    default_pilot: Annotated[int, Field(ge=1)] | None = None
    """Base scenarios of each metric, balanced over their factors, that a run takes unless it says pilot= or part=;
    unset: all."""
    untold_axes: list[Text] = []
    """Axes whose level the simulated user is not told: its persona carries the cue, and a label would invite acting."""
    tools: dict[Annotated[str, Field(pattern=NAME)], Tool] = {}
    """Name -> a tool that the assistant may call in every scenario."""
    derived_factors: dict[Text, DerivedFactor] = {}
    """Factor -> the table by which it follows from others. Scenarios have it beside their own."""
    operators: dict[Text, Text] = {}
    """Level of the axis `operator` -> the system prompt of a product that this target is deployed in. A run has the
    axis if its entry names it; its first level is then "none", the benchmark as it stands."""


class ContentReading(Part):
    """What a person from outside said of the content; written down by the benchmark's authors, never inferred."""

    by: Text
    """Who read it: a name, or how the person wants to be called."""
    role: Text
    """What makes the person an expert: clinical psychologist, teacher, a member of the community concerned."""
    date: Day
    """Day on which the reading ended, as 2026-11-20."""
    items: Annotated[int, Field(ge=1)]
    """Cases that were read."""
    agreeing: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of this person's verdicts on sample replies that were the intended ones; unset without verdicts."""


class BenchmarkFile(Part):
    """The content of benchmark.yaml."""

    name: Text
    short: Annotated[Text, Field(max_length=30)] | None = None
    """What it asks of an assistant, in plain words for charts: Spots thinking traps; unset: `name`."""
    version: Annotated[int, Field(ge=1)] | None = None
    """Of the content: raised when figures of an earlier one mean something else. Part of the hash."""
    description: Text
    areas: list[Area] = []
    """Its areas on the leaderboard."""
    subareas: list[Subarea] = []
    """Parts of these areas."""
    construct_: Annotated[Text | None, Field(alias="construct")] = None
    """What is measured, and the theory behind it. ("construct" in the file.)"""
    literature: list[Text] = []
    population: Text | None = None
    limits: Text | None = None
    intended_use: Text | None = None
    content_note: Text | None = None
    """What may distress a reader, asked about before every conversation whose metric has no note of its own."""
    touches_on: Text | None = None
    """Hard subjects that come up in passing: told on the card and the benchmark's page, never asked about."""
    licence: Text | None = None
    canary: Text | None = None
    readings: list[ContentReading] = []
    """Who outside the project has read the content; empty until somebody has."""
    evidence: ContentEvidence = ContentEvidence()
    """What experts' ratings and runs of models say of its metrics; empty until somebody has done it."""
    regression: bool = False
    """Whether its cases are kept failures, which are in no rate beside other benchmarks."""
    scenario: Setting = Setting()
    metrics: list[Metric] = []


class Benchmark(BenchmarkFile):
    """A benchmark with its scenarios, as `files.load_benchmark` returns it: ids unique, references whole."""

    slug: Id
    """The name of its folder."""
    scenarios: list[Scenario] = []

    def digest(self) -> str:
        """Return the SHA-256 (hex) of what is measured, which a reading, or words for readers, leave as it is."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        measured = self.model_dump(
            mode="json",
            exclude={
                "short": True,
                "readings": True,
                "evidence": True,
                "content_note": True,
                "touches_on": True,
                "metrics": {"__all__": {"content_note", "clause"}},
            },
        )
        for part in (measured["scenario"], *measured["scenarios"]):
            if not part["tools"]:  # benchmarks without tools keep the hash that they had before there were any
                del part["tools"]
        if not measured["scenario"]["derived_factors"]:  # the same
            del measured["scenario"]["derived_factors"]
        return content_digest(measured)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy, whose digest is its own."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("_digest", None)
        return copied

    def metric(self, metric_id: str) -> Metric:
        """Return the metric of that id. Raises KeyError when there is none."""
        return {metric.id: metric for metric in self.metrics}[metric_id]

    def turns_of(self, scenario: Scenario) -> int:
        """Return how many messages the user of `scenario` writes in a full conversation."""
        return len(scenario.messages) or scenario.turns or self.scenario.turns

    def target_system_prompt(self, scenario: Scenario) -> str | None:
        """Return the system prompt that the target gets in `scenario`, None for none."""
        return scenario.target_system_prompt or self.scenario.target_system_prompt

    def tools_of(self, scenario: Scenario) -> dict[str, Tool]:
        """Return the tools that the target may call in `scenario`, with what comes back from them."""
        return tools_of(self.scenario.tools, scenario.tools)

    @property
    def axes_labels(self) -> list[str]:
        """The labels of levels that occur, in order of first occurrence."""
        return list(dict.fromkeys(s.axes_label for s in self.scenarios if s.axes_label))

"""What a benchmark is: metrics (observable behaviours) and scenarios (set-ups of conversations).

The field names are those of ImpactBench's files; additional fields are optional.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import date
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializeAsAny,
    StringConstraints,
    field_validator,
    model_validator,
)
from typing_extensions import Self

from helm_impactbench.benchmark.measures.base import Context, Measure
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.benchmark.measures.registry import built

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Text that is not blank."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
ID_HELP = (
    "1 to 64 of A-Z a-z 0-9 _ . -, beginning with a letter or digit; no dot at the end, no device of Windows (con, nul)"
)
_KEPT_BY_WINDOWS = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?|.*\.", re.IGNORECASE)
"""Device names, also with an extension (`nul.txt`), and names that end in a dot, which Windows drops."""


def is_id(text: str) -> bool:
    """Return whether `text` may be an id or a slug."""
    return _ID.fullmatch(text) is not None and _KEPT_BY_WINDOWS.fullmatch(text) is None


def _check_id(text: str) -> str:
    if not is_id(text):
        raise ValueError(f"found {text[:80]!r}, expected {ID_HELP}")
    return text


Id = Annotated[str, AfterValidator(_check_id)]
"""Plain ASCII without path separators, because ids become file names, column names and cache keys."""

Area = Literal["physical", "psychological", "societal"]
Subarea = Literal[
    "physical/health",
    "physical/livelihood",
    "psychological/attachment",
    "psychological/autonomy",
    "psychological/cognition",
    "psychological/wellbeing",
    "societal/access",
    "societal/community",
    "societal/culture",
    "societal/fairness",
    "societal/information",
]
"""Part of an area, with the area's name before it."""
LabelRow = Literal[
    "hallucination",
    "sexual_intimate",
    "sycophancy",
    "toxicity",
    "agency",
    "learning",
    "social_interaction",
    "creativity",
    "wellbeing",
]
MetricType = Literal["positive", "negative", "contrast"]
Favour = Literal["high", "low"]
Split = Literal["public", "held_out", "private"]
DEFAULT_TURNS = 6
MAX_LABEL = 120
"""Characters of the label of a variant's levels; with a benchmark's slug it has to fit into a file name."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    def digest(self) -> str:
        """Return the SHA-256 (hex) of the content; equal content gives an equal digest on every machine."""
        return content_digest(self.model_dump(mode="json"))


class Contrast(_Part):
    """Between which levels of an axis a contrast metric compares its measure."""

    axis: Text
    levels: list[Text] = []
    """The levels that are compared with each other; all levels of the axis but `reference` when empty."""
    reference: Text | None = None
    """A level to which the others are also compared, such as a neutral version of the same case."""
    favours: dict[Text, Favour] = {}
    """Level -> the end of the measure that is in this person's favour: siding with the landlord, when the landlord
    asks. It gives the figures on agreement: how often a person is told what favours them, and how often both are."""
    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.33
    """How far from the middle of the measure, as a share of half its range, an answer is on a side."""

    @model_validator(mode="after")
    def _names_levels_that_can_be_compared(self) -> Contrast:
        if self.levels and (len(set(self.levels)) < len(self.levels) or len(self.levels) < 2):
            raise ValueError(f"the levels are {', '.join(self.levels)}; a contrast needs two or more, each once")
        if self.reference in self.levels:
            raise ValueError(f"the reference {self.reference!r} is one of the levels; it must be another one")
        unknown = [level for level in self.favours if level == self.reference or level not in (self.levels or [level])]
        if unknown:
            raise ValueError(
                f"favours names {', '.join(unknown)}, which is not compared; it may name only the levels that are"
            )
        return self


class Metric(_Part):
    """One observable behaviour of an assistant."""

    id: Id
    name: Text
    """Shown to people, never to a judge: it reveals the wanted answer."""
    type: MetricType
    """Which way is good: the behaviour ("positive"), its absence ("negative"), or no difference between the levels of
    an axis ("contrast"). Authored, never inferred."""
    definition: Text
    """The behaviour itself, also for a negative metric; the judge applies this text."""
    exclusions: list[Text] = []
    """What the definition seems to cover and does not: each a short clause that the judge reads beside it."""
    measure: Annotated[SerializeAsAny[Measure], BeforeValidator(built)] = Presence()
    """What the judge is asked of a conversation, and the type of its answer."""
    applies: Text | None = None
    """The condition under which the question arises; otherwise the answer is "not applicable". Unset: always."""
    facts: list[Text] = []
    """True statements that the judge needs, such as crisis numbers or the right result of a sum."""
    contrast: Contrast | None = None
    """What a contrast metric compares; unset for other types."""
    examples: list[Text] = []
    """Things an assistant says when it shows the behaviour."""
    near_misses: list[Text] = []
    """Things an assistant says that look similar and do not count."""
    rationale: Text | None = None
    """Why it matters, in one sentence."""
    source: Text | None = None
    """Which entry of the benchmark's literature it rests on."""
    content_note: Text | None = None
    """What may distress a reader of its conversations; it takes the place of the benchmark's note."""
    labels: list[LabelRow] = []
    """The nutrition-label rows that it feeds."""
    subareas: list[Subarea] = []
    """Its own subareas, if they differ from the benchmark's."""

    def aim_digest(self) -> str:
        """Return the hash of what scenarios are made for: definition and type."""
        return content_digest([self.definition, *self.exclusions, self.type])

    @model_validator(mode="after")
    def _has_what_its_type_needs(self) -> Metric:
        if (self.type == "contrast") != (self.contrast is not None):
            raise ValueError("a metric of type contrast needs contrast: with the axis, and no other type has it")
        if self.type != "contrast" and self.measure.bounds is None:
            raise ValueError(
                f"the measure {self.measure.kind} has no bounds, which a {self.type} metric needs; use type contrast, "
                "or a measure whose least and greatest values are known"
            )
        if self.contrast is not None and self.contrast.favours and self.measure.bounds is None:
            raise ValueError(
                f"the measure {self.measure.kind} has no bounds and so no middle, which favours needs; use no "
                "favours, or a measure whose least and greatest values are known"
            )
        return self

    def score(self, value: float) -> float | None:
        """Return how good a value of the measure is, from 0 to 1; None for a contrast, where no single value is."""
        credit = None if self.type == "contrast" else self.measure.credit(value)
        return credit if credit is None or self.type == "positive" else 1 - credit


class Landmark(_Part):
    """An instruction to the simulated user for one turn."""

    turn: Annotated[int, Field(ge=1)]
    """The turn (1 = opening message) at which the user follows it."""
    instruction: Text


class Provenance(_Part):
    """How a scenario was made. Nothing in it depends on the time: the same inputs give the same file."""

    model: Text
    """Model deployment that wrote it."""
    prompt_digest: Text
    """SHA-256 of the prompt templates."""
    seed: int
    version: Text
    """Of helm_impactbench."""
    metric_digest: Text
    """`Metric.aim_digest` of the metric that it was made for; another one now means that the scenario is stale."""
    seed_author: Text | None = None
    """The author of the situation that it started from."""
    seed_situation: Text | None = None


class Scenario(_Part):
    """The set-up of one conversation; a variant when `axes` is set.

    It has a simulated user, fixed messages, or both: then the simulated user continues where the messages end.
    """

    id: Id
    metric_id: Text
    persona: Text | None = None
    """The person, demographic-neutral."""
    user_persona: Text | None = None
    """The person rewritten for `axes`; if set, this is what the simulator plays."""
    user_goal: Text | None = None
    """What the user openly wants."""
    latent_adversarial_goal: Text | None = None
    """The hidden pressure that the simulated user puts on the assistant."""
    landmarks: list[Landmark] = []
    turns: Annotated[int, Field(ge=1, le=100)] | None = None
    """Messages of the user in this scenario; the benchmark's own number when unset."""
    messages: list[Text] = []
    """What the user writes, word for word, in place of a simulated user: for cases that must read alike."""
    cues: list[Text] = []
    """The parts of `messages` that differ between the levels of the base scenario; all else has to be equal."""
    axes: Annotated[dict[Text, Text], Field(validation_alias=AliasChoices("axes", "demographic"))] = {}
    """Axis -> level, for example {"age": "adult (18+)"}. ImpactBench's own files call it "demographic"."""
    factors: dict[Text, Text] = {}
    """Factor -> level of what varies between base scenarios, such as the size of a rent increase: for breakdowns."""
    base: Id | None = None
    """The base scenario that this is a variant of, where the id does not say it."""
    facts: list[Text] = []
    """True statements about this case that the judge needs."""
    view: dict[Text, str] = {}
    """What the metric's measure, or a suite's question, has to know in order to show this case to a judge."""
    target_system_prompt: Text | None = None
    """The system prompt of the target in this scenario; the benchmark's own when unset."""
    split: Split = "public"
    canary: Text | None = None
    provenance: Provenance | None = None
    """Set for generated scenarios."""

    @model_validator(mode="after")
    def _has_a_user(self) -> Scenario:
        if self.messages and not self.has_simulated_user:
            return self
        if self.persona is None and self.user_persona is None:
            raise ValueError("needs a persona: set persona, user_persona or both; or fixed messages")
        if self.user_goal is None or self.latent_adversarial_goal is None:
            raise ValueError("needs user_goal and latent_adversarial_goal for its simulated user, or fixed messages")
        return self

    @property
    def has_simulated_user(self) -> bool:
        """Whether it describes a person whom a simulator can play."""
        return any((self.persona, self.user_persona, self.user_goal, self.latent_adversarial_goal))

    @property
    def context(self) -> Context:
        """What a measure may know of the scenario."""
        return Context(axes=self.axes, view=self.view)

    @property
    def played_persona(self) -> str:
        """The person that the simulator plays: rewritten for the variant where there is such a text."""
        return self.user_persona or self.persona or ""

    @property
    def base_id(self) -> str:
        """The id of the base scenario that this is a variant of; its own id if it is none."""
        return self.base or re.sub(r"_v\d+$", "", self.id)

    @property
    def axes_label(self) -> str | None:
        """The levels as one readable text, None without one: "adult (18+)", "age: adult (18+), gender: woman".

        HELM makes file names of it, so slashes are written as dashes and very long labels are cut.
        """
        if not self.axes:
            return None
        if len(self.axes) == 1:
            (label,) = self.axes.values()
        else:
            label = ", ".join(f"{axis}: {value}" for axis, value in self.axes.items())
        label = label.replace("/", "-")
        if len(label) > MAX_LABEL:  # labels that are cut stay distinct
            label = f"{label[: MAX_LABEL - 9]} {content_digest(self.axes)[:8]}"
        return label


class Setting(_Part):
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
    operators: dict[Text, Text] = {}
    """Level of the axis `operator` -> the system prompt of a product that this target is deployed in. A run has the
    axis if its entry names it; its first level is then "none", the benchmark as it stands."""


class ContentReading(_Part):
    """What a person from outside said of the content; written down by the benchmark's authors, never inferred."""

    by: Text
    """Who read it: a name, or how the person wants to be called."""
    role: Text
    """What makes the person an expert: clinical psychologist, teacher, a member of the community concerned."""
    date: Text
    """Day on which the reading ended, as 2026-11-20."""
    items: Annotated[int, Field(ge=1)]
    """Cases that were read."""
    agreeing: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of this person's verdicts on sample replies that were the intended ones; unset without verdicts."""

    @field_validator("date")
    @classmethod
    def _is_a_day(cls, text: str) -> str:
        try:
            is_day = date.fromisoformat(text).isoformat() == text
        except ValueError:
            is_day = False
        if not is_day:
            raise ValueError(f"found {text[:40]!r}, expected a day such as 2026-11-20")
        return text


class BenchmarkFile(_Part):
    """The content of benchmark.yaml."""

    name: Text
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
    scenario: Setting = Setting()
    metrics: list[Metric] = []


class Benchmark(BenchmarkFile):
    """A benchmark with its scenarios, as `files.load_benchmark` returns it: ids unique, references whole."""

    slug: Id
    """The name of its folder."""
    scenarios: list[Scenario] = []

    def digest(self) -> str:
        """Return the SHA-256 (hex) of what is measured, which a further reading or note for readers leaves as it is."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        measured = self.model_dump(
            mode="json",
            exclude={
                "readings": True,
                "content_note": True,
                "touches_on": True,
                "metrics": {"__all__": {"content_note"}},
            },
        )
        return content_digest(measured)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy, whose digest is its own."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("_digest", None)
        return copied

    def metric(self, metric_id: str) -> Metric:
        """Return the metric of that id. Raises KeyError when there is none."""
        return {metric.id: metric for metric in self.metrics}[metric_id]

    def subareas_of(self, metric: Metric) -> list[Subarea]:
        """Return the subareas of a metric: its own, or else the benchmark's."""
        return metric.subareas or self.subareas

    def turns_of(self, scenario: Scenario) -> int:
        """Return how many messages the user of `scenario` writes in a full conversation."""
        return len(scenario.messages) or scenario.turns or self.scenario.turns

    def target_system_prompt(self, scenario: Scenario) -> str | None:
        """Return the system prompt that the target gets in `scenario`, None for none."""
        return scenario.target_system_prompt or self.scenario.target_system_prompt

    @property
    def axes_labels(self) -> list[str]:
        """The labels of levels that occur, in order of first occurrence."""
        return list(dict.fromkeys(s.axes_label for s in self.scenarios if s.axes_label))


def content_digest(content: Any) -> str:
    """Return the SHA-256 (hex) of JSON-like `content`, independent of key order."""
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()

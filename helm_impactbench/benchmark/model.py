"""What a benchmark is: metrics (observable behaviours) and scenarios (setups of conversations).

The field names are those of ImpactBench's files; fields that ImpactBench does not know are optional.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Text that is not blank."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
ID_HELP = (
    "1 to 64 of A-Z a-z 0-9 _ . -, beginning with a letter or digit; no dot at the end, no device of Windows (con, nul)"
)
_KEPT_BY_WINDOWS = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?|.*\.", re.IGNORECASE)
"""Devices, also with an ending (`nul.txt`), and names that end in a dot, which is dropped there."""


def is_id(text: str) -> bool:
    """Return whether `text` may be an id or a slug."""
    return _ID.fullmatch(text) is not None and _KEPT_BY_WINDOWS.fullmatch(text) is None


def _check_id(text: str) -> str:
    if not is_id(text):
        raise ValueError(f"got {text[:80]!r}; allowed: {ID_HELP}")
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
MetricType = Literal["positive", "negative"]
Split = Literal["public", "held_out"]
DEFAULT_TURNS = 6
MAX_LABEL = 120
"""Characters of a demographic label; with a benchmark's slug it has to fit into a file name."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    def digest(self) -> str:
        """Return the SHA-256 (hex) of the content; equal content gives an equal digest on every machine."""
        return content_digest(self.model_dump(mode="json"))


class Metric(_Part):
    """One observable behaviour of an assistant."""

    id: Id
    name: Text
    """What is shown to people. Never to a judge: it gives the wanted answer away."""
    type: MetricType
    """Whether showing the behaviour passes ("positive") or fails ("negative"). Authored, never inferred."""
    definition: Text
    """The behaviour itself, also for a negative metric; the judge applies this text."""
    examples: list[Text] = []
    """Things an assistant says when it shows the behaviour."""
    near_misses: list[Text] = []
    """Things an assistant says that look similar and do not count."""
    rationale: Text | None = None
    """Why it matters, in one sentence."""
    source: Text | None = None
    """Which entry of the benchmark's literature it rests on."""
    labels: list[LabelRow] = []
    """The nutrition-label rows that it feeds."""
    subareas: list[Subarea] = []
    """Where it stands itself, if not where its benchmark does; may be several."""

    def aim_digest(self) -> str:
        """Return the hash of what scenarios are made for: definition and type."""
        return content_digest([self.definition, self.type])

    def passed(self, present: bool) -> bool:
        """Return the verdict that follows from the judge's answer."""
        return present if self.type == "positive" else not present


class Landmark(_Part):
    """A stage direction for the simulated user."""

    turn: Annotated[int, Field(ge=1)]
    """The turn (1 = opening message) at which the user follows it."""
    instruction: Text


class Provenance(_Part):
    """How a scenario was made. Nothing in it depends on the clock: the same inputs give the same file."""

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
    """Who gave the situation that it started from."""
    seed_situation: Text | None = None


class Scenario(_Part):
    """The setup of one conversation; a variant when `demographic` is set."""

    id: Id
    metric_id: Text
    persona: Text | None = None
    """The person, demographic-neutral."""
    user_persona: Text | None = None
    """The person rewritten for `demographic`; what the simulator plays when it is there."""
    user_goal: Text
    """What the user openly wants."""
    latent_adversarial_goal: Text
    """The hidden pressure that the simulated user puts on the assistant."""
    landmarks: list[Landmark] = []
    demographic: dict[Text, Text] = {}
    """Axis -> value, for example {"age": "adult (18+)"}."""
    target_system_prompt: Text | None = None
    """The system prompt of the target in this scenario; the benchmark's own when unset."""
    split: Split = "public"
    canary: Text | None = None
    provenance: Provenance | None = None
    """Set for generated scenarios."""

    @model_validator(mode="after")
    def _has_a_person(self) -> Scenario:
        if self.persona is None and self.user_persona is None:
            raise ValueError("needs a persona: set persona, user_persona or both")
        return self

    @property
    def played_persona(self) -> str:
        """The person that the simulator plays: rewritten for the variant where there is such a text."""
        return self.user_persona or self.persona or ""

    @property
    def base_id(self) -> str:
        """The id of the base scenario that this is a variant of; its own id if it is none."""
        return re.sub(r"_v\d+$", "", self.id)

    @property
    def demographic_label(self) -> str | None:
        """The demographic as one readable text, None without one: "adult (18+)", "age: adult (18+), gender: woman".

        HELM makes file names of it, so slashes are written as dashes and very long labels are cut.
        """
        if not self.demographic:
            return None
        if len(self.demographic) == 1:
            (label,) = self.demographic.values()
        else:
            label = ", ".join(f"{axis}: {value}" for axis, value in self.demographic.items())
        label = label.replace("/", "-")
        if len(label) > MAX_LABEL:  # cut labels stay different from each other
            label = f"{label[: MAX_LABEL - 9]} {content_digest(self.demographic)[:8]}"
        return label


class Setting(_Part):
    """The part of benchmark.yaml that holds for all its scenarios."""

    user_context: Text | None = None
    """Where and why these people talk to an assistant. Told to the simulated user, never to the target."""
    target_system_prompt: Text | None = None
    """The system prompt of the target, where a scenario has none of its own."""
    turns: Annotated[int, Field(ge=1, le=100)] = DEFAULT_TURNS
    """Messages of the user in a full conversation."""
    demographics: dict[Text, list[Text]] = {}
    """Axis -> values that gen-scenarios expands over."""
    untold_axes: list[Text] = []
    """Axes whose value the simulated user is not told: its persona carries the cue, and a label would invite acting."""


class BenchmarkFile(_Part):
    """The content of benchmark.yaml."""

    name: Text
    description: Text
    areas: list[Area] = []
    """Where it stands on the leaderboard; may be several."""
    subareas: list[Subarea] = []
    """Parts of these areas; may be several."""
    construct_: Annotated[Text | None, Field(alias="construct")] = None
    """What is measured, and the theory it stands in. ("construct" in the file.)"""
    literature: list[Text] = []
    population: Text | None = None
    limits: Text | None = None
    intended_use: Text | None = None
    content_note: Text | None = None
    licence: Text | None = None
    canary: Text | None = None
    scenario: Setting = Setting()
    metrics: list[Metric] = []


class Benchmark(BenchmarkFile):
    """A benchmark with its scenarios, as `files.load_benchmark` returns it: ids unique, references whole."""

    slug: Id
    """The name of its folder."""
    scenarios: list[Scenario] = []

    def metric(self, metric_id: str) -> Metric:
        """Return the metric of that id. Raises KeyError when there is none."""
        return {metric.id: metric for metric in self.metrics}[metric_id]

    def subareas_of(self, metric: Metric) -> list[Subarea]:
        """Return the subareas of a metric: its own, or else the benchmark's."""
        return metric.subareas or self.subareas

    def target_system_prompt(self, scenario: Scenario) -> str | None:
        """Return the system prompt that the target gets in `scenario`, None for none."""
        return scenario.target_system_prompt or self.scenario.target_system_prompt

    @property
    def demographic_labels(self) -> list[str]:
        """The demographic labels that occur, in order of first occurrence."""
        return list(dict.fromkeys(s.demographic_label for s in self.scenarios if s.demographic_label))


def content_digest(content: Any) -> str:
    """Return the SHA-256 (hex) of JSON-like `content`, independent of key order."""
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()

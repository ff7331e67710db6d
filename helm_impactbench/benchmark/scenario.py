"""The set-up of one conversation."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, model_validator

from helm_impactbench.benchmark.measures.base import Context
from helm_impactbench.benchmark.parts import Id, Part, Text, content_digest
from helm_impactbench.benchmark.tools import ToolAnswer

Split = Literal["public", "held_out", "private"]
MAX_LABEL = 120
"""Characters of the label of a variant's levels; with a benchmark's slug it has to fit into a file name."""


class Landmark(Part):
    """An instruction to the simulated user for one turn."""

    turn: Annotated[int, Field(ge=1)]
    """The turn (1 = opening message) at which the user follows it."""
    instruction: Text


class Provenance(Part):
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


class Scenario(Part):
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
    """The parts of `messages` and `app_context` that differ between the levels of the base scenario; all else has to be
    equal."""
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
    app_context: Text | None = None
    """What the app around the target adds to its system prompt: what it remembers of the user, or the open record."""
    tools: dict[Text, list[ToolAnswer]] = {}
    """Tool of the benchmark -> what comes back from it in this scenario, before its usual answers."""
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
    def is_held_out(self) -> bool:
        """Whether nothing was tuned on it: it is held out, or a user's own."""
        return self.split != "public"

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

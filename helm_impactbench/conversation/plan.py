"""A case (for the run's files and the judge) and its plan (for the two speakers)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, StrictInt

from helm_impactbench.benchmark.measures.base import Context
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.run_axes import filed_id, told_axes
from helm_impactbench.benchmark.scenario import Landmark, Scenario
from helm_impactbench.benchmark.tools import Tool
from helm_impactbench.benchmark.wordings import AS_WRITTEN, PARAPHRASE, Wording, wording_of
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.conversation.option import Effect
from helm_impactbench.conversation.persistence import persistence_of
from helm_impactbench.conversation.run_options import Pressure, RunOptions
from helm_impactbench.errors import BenchmarkError, counted

DEFAULTS = RunOptions()


class ConversationPlan(BaseModel):
    """Everything needed to hold one conversation; sent to the client as JSON.

    It has no type, name or examples of the metric, so that what the speakers say cannot depend on them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: str
    """benchmark/variant/sample, and the replicate from the second one on: the same for all targets, so that they meet
    the same opening message."""
    user: str
    """Model deployment that plays the user."""
    turns: StrictInt
    messages: tuple[str, ...] = ()
    """What the user writes first, word for word; if there are more turns, the simulated user continues."""
    persona: str = ""
    axes: dict[str, str] = {}
    """Axis -> level, as far as the simulated user is told."""
    setting: str | None = None
    user_goal: str = ""
    hidden_goal: str = ""
    definition: str = ""
    """The behaviour under pressure."""
    pressure: Pressure = "goal"
    """What the simulated user is told to press with: goals alone, or the definition of the behaviour as well."""
    persistence: str = ""
    """How long the person holds on: low, medium or high; empty where nobody is simulated."""
    landmarks: tuple[Landmark, ...] = ()
    landmarks_up_front: bool = False
    """Whether the simulator gets all landmarks at the start instead of each on its turn."""
    perfunctory: bool = False
    """Whether the user writes hurried fragments with typing noise."""
    wording: Wording = AS_WRITTEN
    """How every message of the user is worded before it is sent; a paraphrase is of the first one alone."""
    cues: tuple[str, ...] = ()
    """Of a case whose first message is paraphrased: the parts that tell it from other levels of its base scenario."""
    manner: dict[str, str | bool | int | float] = {}
    """Options of the run that change how a case is put and have no field here, as they are set."""
    tools: dict[str, Tool] = {}
    """What the target may call, with what comes back."""
    target_system_prompt: str | None = None
    release: str = ""
    """Which release of the target is asked; empty where none is named."""

    @property
    def is_simulated(self) -> bool:
        """Whether anybody plays the user beyond the fixed messages."""
        return self.turns > len(self.messages)

    @property
    def is_paraphrased(self) -> bool:
        """Whether the user's model puts the first message in other words."""
        return self.wording == PARAPHRASE


UNTOLD = {"target_system_prompt", "release", "wording", "cues"}
"""Of a plan: what the simulated user is told nothing of, so that its opening message is the same."""
_WORKED_OUT = {"user": "user", "turns": "turns", "landmarks": "landmarks_up_front", "persistence": "persistence"}
"""Option that a plan takes not as it is -> the field that follows from it."""


def _taken_as_they_are() -> list[str]:
    manner = (name for name in RunOptions.with_effect(Effect.MANNER) if name not in _WORKED_OUT)
    return [name for name in manner if name in ConversationPlan.model_fields]


MANNER = {"seed", "manner", *UNTOLD, *_WORKED_OUT.values(), *_taken_as_they_are()}
"""Of a plan: how a case is put to the model, and to which, and not what the case is: under another system prompt, a
product meets the same cases.

The seed tells replicates apart: a fresh replicate is the same case, asked again.
"""


class ConversationCase(BaseModel):
    """One sample of one variant, with everything needed to interpret its result later."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    benchmark: str
    benchmark_digest: str
    metric: Metric
    scenario: Scenario
    sample: StrictInt
    """From 0."""
    plan: ConversationPlan
    area: Literal["impact", "safety", "capability"] = "impact"
    """What the benchmark is about. Figures of different areas are never averaged."""
    swap: bool = False
    """Whether two names that only the judge sees are exchanged, where the measure has such names."""
    draw: Draw | None = None
    """How it was drawn in a run that may stop early; None in one that takes all."""
    replicate: StrictInt = 1
    """Which repetition of the whole run; each asks every model anew."""

    @property
    def id(self) -> str:
        """Unique within a run: the variant's id, and the sample's number from the second one on."""
        return self.scenario.id if self.sample == 0 else f"{self.scenario.id}_r{self.sample + 1:02d}"

    @property
    def judge_seed(self) -> str:
        """Makes independent samples independent calls to a judge. It is sent to the provider, so it names no level."""
        return _seed(self.benchmark, self.scenario.base_id, self.sample, self.replicate)

    @property
    def context(self) -> Context:
        """What the measure may know of the case."""
        return replace(self.scenario.context, swap=self.swap)


def plan_case(
    benchmark: Benchmark, digest: str, scenario: Scenario, sample: int, options: RunOptions = DEFAULTS
) -> ConversationCase:
    """Return the case for one sample of `scenario`.

    `digest` is the benchmark's, computed once per run. Of `options` count those that say how a case is put, and which
    repetition it is. Raises BenchmarkError for more turns than somebody can fill.
    """
    metric = benchmark.metric(scenario.metric_id)
    planned = options.turns or benchmark.turns_of(scenario)
    if planned > len(scenario.messages) and not scenario.has_simulated_user:
        raise BenchmarkError(
            f"Scenario {scenario.id} of {benchmark.slug} has {counted(len(scenario.messages), 'fixed message')} and "
            f"nobody to simulate, so turns={planned} is too many. Write turns= with 1 to {len(scenario.messages)}."
        )
    simulated = planned > len(scenario.messages)
    plan = ConversationPlan(
        seed=_seed(benchmark.slug, filed_id(scenario), sample, options.replicate),
        user=options.user or "",
        turns=planned,
        messages=tuple(scenario.messages[:planned]),
        persona=scenario.played_persona,
        axes=told_axes(benchmark, scenario),
        setting=benchmark.scenario.user_context,
        user_goal=scenario.user_goal or "",
        hidden_goal=scenario.latent_adversarial_goal or "",
        definition=metric.definition,
        landmarks=tuple(sorted(scenario.landmarks, key=lambda landmark: landmark.turn)),
        landmarks_up_front=not options.landmarks,
        persistence=persistence_of(options.persistence, benchmark.slug, scenario.base_id, sample) if simulated else "",
        **_as_they_are(options),
        wording=wording_of(scenario),
        cues=tuple(scenario.cues) if wording_of(scenario) == PARAPHRASE else (),
        tools=benchmark.tools_of(scenario),
        target_system_prompt=_system_prompt(benchmark, scenario, options),
        release=options.release,
    )
    return ConversationCase(
        benchmark=benchmark.slug,
        benchmark_digest=digest,
        metric=metric,
        scenario=scenario,
        sample=sample,
        plan=plan,
        swap=options.swap,
        replicate=options.replicate,
    )


def _system_prompt(benchmark: Benchmark, scenario: Scenario, options: RunOptions) -> str | None:
    """Return what the target is told first. Raises BenchmarkError for two prompts."""
    own = benchmark.target_system_prompt(scenario)
    if options.system_prompt is None:
        return _with_context(own, scenario)
    if own is not None:
        raise BenchmarkError(
            f"Scenario {scenario.id} of {benchmark.slug} gives the assistant a system prompt itself, so system_prompt= "
            "cannot give it another one. Leave out system_prompt=, or axes=operator where the benchmark's comes from "
            "there."
        )
    return _with_context(options.system_prompt.text, scenario)


def _with_context(prompt: str | None, scenario: Scenario) -> str | None:
    """Return a system prompt as the app sends it: with what it remembers or shows, at the end."""
    return "\n\n".join(part for part in (prompt, scenario.app_context) if part) or None


def _as_they_are(options: RunOptions) -> dict[str, Any]:
    """Return the fields of a plan that are set as the options are."""
    own = _taken_as_they_are()
    further = {*options.with_effect(Effect.MANNER)} - {*_WORKED_OUT, *own}
    manner = {name: value for name, value in options.changed().items() if name in further}
    return {**{name: getattr(options, name) for name in own}, "manner": manner}


def _seed(benchmark: str, scenario: str, sample: int, replicate: int) -> str:
    """Return what tells independent calls apart; the first replicate's is the one that older answers are kept under."""
    return f"{benchmark}/{scenario}/{sample}" + (f"/{replicate}" if replicate > 1 else "")


def brief(case: ConversationCase) -> str:
    """Return the case as text, shown on the leaderboard before the conversation."""
    plan, metric = case.plan, case.metric
    measured = "" if metric.measure.kind == "presence" else f", {metric.measure.kind}"
    about = (
        ("Person", plan.persona),
        *case.scenario.axes.items(),
        *case.scenario.factors.items(),
        ("Wants", plan.user_goal),
        ("Hidden pressure", plan.hidden_goal),
        ("Persistence", plan.persistence),
        *((f"Turn {landmark.turn}", landmark.instruction) for landmark in plan.landmarks),
        *((f"Message {number}", text) for number, text in enumerate(plan.messages, start=1)),
        ("System prompt of the assistant", plan.target_system_prompt),
        ("Tools of the assistant", ", ".join(plan.tools)),
    )
    lines = [
        f"Conversation {case.benchmark}/{case.id}",
        f"Metric {metric.id} ({metric.type}{measured}): {metric.name}",
        f"Behaviour: {metric.definition}",
        *(f"{what}: {text}" for what, text in about if text),
    ]
    return "\n".join(lines)

"""What is to be held and measured: a case (for the run's files and the judge), and its plan (for the two speakers)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from helm_impactbench.benchmark.model import Benchmark, Landmark, Metric, Scenario


class ConversationPlan(BaseModel):
    """All that running one conversation needs; travels to the client as JSON.

    It holds no type, name or examples of the metric: what the speakers say cannot depend on them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: str
    """benchmark/variant/sample: the same for all targets, so that they meet the same opening message."""
    user: str
    """Model deployment that plays the user."""
    turns: int
    persona: str
    demographic: dict[str, str] = {}
    setting: str | None = None
    user_goal: str
    hidden_goal: str
    definition: str
    """The behaviour that is under pressure."""
    directions: tuple[Landmark, ...] = ()
    directions_up_front: bool = False
    """Whether the simulator gets all directions at the start instead of each on its turn."""
    perfunctory: bool = False
    """Whether the user writes hurried fragments with typing noise."""
    target_system_prompt: str | None = None


class ConversationCase(BaseModel):
    """One sample of one variant, with everything that gives its result a meaning later."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    benchmark: str
    benchmark_digest: str
    metric: Metric
    scenario: Scenario
    sample: int
    """From 0."""
    plan: ConversationPlan

    @property
    def id(self) -> str:
        """Unique within a run: the variant's id, and the sample's number from the second one on."""
        return self.scenario.id if self.sample == 0 else f"{self.scenario.id}_r{self.sample + 1:02d}"


def plan_case(
    benchmark: Benchmark,
    digest: str,
    scenario: Scenario,
    sample: int,
    *,
    user: str,
    turns: int | None = None,
    landmarks: bool = True,
    perfunctory: bool = False,
) -> ConversationCase:
    """Return the case for one sample of `scenario`.

    `digest` is the benchmark's, computed once per run; `turns` is the benchmark's own number when None.
    """
    metric = benchmark.metric(scenario.metric_id)
    plan = ConversationPlan(
        seed=f"{benchmark.slug}/{scenario.id}/{sample}",
        user=user,
        turns=turns or benchmark.scenario.turns,
        persona=scenario.played_persona,
        demographic={
            axis: value for axis, value in scenario.demographic.items() if axis not in benchmark.scenario.untold_axes
        },
        setting=benchmark.scenario.user_context,
        user_goal=scenario.user_goal,
        hidden_goal=scenario.latent_adversarial_goal,
        definition=metric.definition,
        directions=tuple(sorted(scenario.landmarks, key=lambda landmark: landmark.turn)),
        directions_up_front=not landmarks,
        perfunctory=perfunctory,
        target_system_prompt=benchmark.target_system_prompt(scenario),
    )
    return ConversationCase(
        benchmark=benchmark.slug, benchmark_digest=digest, metric=metric, scenario=scenario, sample=sample, plan=plan
    )


def brief(case: ConversationCase) -> str:
    """Return the case as a reader of the leaderboard meets it, before the conversation."""
    plan = case.plan
    lines = [
        f"Conversation {case.benchmark}/{case.id}",
        f"Metric {case.metric.id} ({case.metric.type}): {case.metric.name}",
        f"Behaviour: {case.metric.definition}",
        f"Person: {plan.persona}",
        *(f"{axis}: {value}" for axis, value in case.scenario.demographic.items()),
        f"Wants: {plan.user_goal}",
        f"Hidden pressure: {plan.hidden_goal}",
        *(f"Turn {landmark.turn}: {landmark.instruction}" for landmark in plan.directions),
        *([f"System prompt of the assistant: {plan.target_system_prompt}"] if plan.target_system_prompt else []),
    ]
    return "\n".join(lines)

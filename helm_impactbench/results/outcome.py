"""What one conversation came to, in the few words that every analysis needs."""

from __future__ import annotations

from dataclasses import dataclass

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.judging.panel import Judgement


@dataclass(frozen=True)
class Vote:
    """One judge's opinion."""

    judge: str
    present: bool | None
    """None without a vote."""
    grounded: bool | None
    """Whether its quotes stand in the transcript; None where none was needed."""


@dataclass(frozen=True)
class Outcome:
    """One conversation and its verdict."""

    benchmark: str
    model: str
    """Deployment of the target."""
    setup: str
    """The run's name without its target: equal for runs that differ in nothing but the model."""
    metric_id: str
    metric_name: str
    metric_type: str
    base_id: str
    """Id of the base scenario: the cluster that its variants and samples form."""
    variant_id: str
    sample: int
    """From 0."""
    demographic: tuple[tuple[str, str], ...]
    """(axis, value) pairs."""
    demographic_label: str | None
    """The same as one text: HELM's sub-split."""
    exchanges: int
    """Turns that have both sides."""
    status: str
    """How the conversation ended."""
    present: bool | None
    passed: bool | None
    """None when unscored."""
    unscored: str | None
    """The reason; None when scored."""
    votes: tuple[Vote, ...]

    @property
    def metric(self) -> str:
        """The metric's name across benchmarks: slug/id."""
        return f"{self.benchmark}/{self.metric_id}"

    @property
    def cluster(self) -> tuple[str, str]:
        """The base scenario across benchmarks."""
        return self.benchmark, self.base_id

    @property
    def pair_key(self) -> tuple[str, str, str, int]:
        """Equal for conversations of different models on the same variant and sample with the same set-up."""
        return self.setup, self.benchmark, self.variant_id, self.sample


def outcome_of(
    case: ConversationCase, conversation: Conversation, judgement: Judgement, *, model: str, setup: str
) -> Outcome:
    """Return the outcome of a conversation of `model` in a run whose name without its model is `setup`."""
    return Outcome(
        benchmark=case.benchmark,
        model=model,
        setup=setup,
        metric_id=case.metric.id,
        metric_name=case.metric.name,
        metric_type=case.metric.type,
        base_id=case.scenario.base_id,
        variant_id=case.scenario.id,
        sample=case.sample,
        demographic=tuple(sorted(case.scenario.demographic.items())),
        demographic_label=case.scenario.demographic_label,
        exchanges=len(conversation.exchanges),
        status=conversation.status.value,
        present=judgement.present,
        passed=judgement.passed,
        unscored=judgement.unscored.value if judgement.unscored else None,
        votes=tuple(Vote(o.judge, o.present, o.grounded) for o in judgement.opinions),
    )

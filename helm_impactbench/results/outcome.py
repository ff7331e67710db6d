"""What one conversation came to, in the few words that every analysis needs."""

from __future__ import annotations

from dataclasses import dataclass

from helm_impactbench.benchmark.model import content_digest
from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.judging.panel import Judgement

Case = tuple[str, str, int, str]
"""Benchmark, variant, sample and hash of the content."""


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
    content: str
    """Hash of behaviour and scenario: a variant that was rewritten under its old id is another case."""
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
    def case(self) -> Case:
        """What was put to the model; equal for all models, judges and simulated users that met the same case."""
        return self.benchmark, self.variant_id, self.sample, self.content


_MANNER = {"user", "turns", "directions_up_front", "perfunctory"}
"""Of a plan: how a case is put to the model, which the set-up tells, and not what it is."""


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
        content=content_digest(case.plan.model_dump(mode="json", exclude=_MANNER))[:16],
        demographic=tuple(sorted(case.scenario.demographic.items())),
        demographic_label=case.scenario.demographic_label,
        exchanges=len(conversation.exchanges),
        status=conversation.status.value,
        present=judgement.present,
        passed=judgement.passed,
        unscored=judgement.unscored.value if judgement.unscored else None,
        votes=tuple(Vote(o.judge, o.present, o.grounded) for o in judgement.opinions),
    )

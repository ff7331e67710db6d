"""Ask a model whether the simulated users of a suite played the people that they were given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.errors import counted
from helm_impactbench.judging.judge_conversation import Call, speaker
from helm_impactbench.tables import Result
from helm_impactbench.validity.commands.review import review as review_result
from helm_impactbench.validity.instrument import Plan, judging_expense
from helm_impactbench.validity.simulator.audit import Reviewed
from helm_impactbench.validity.simulator.review import REVIEW_SCHEMA, Review, review, review_digest, review_messages
from helm_impactbench.validity.simulator.review_sample import Chosen, ReviewItem, Reviews


@dataclass(frozen=True)
class UserReview:
    """An instrument: a model reviews whether simulated users played the people that they were given."""

    chosen: Chosen
    reviewer: str
    """Deployment."""
    noun: str = "review"

    @property
    def items(self) -> Sequence[ReviewItem]:
        """The chosen conversations."""
        return self.chosen.items

    @property
    def plan(self) -> Plan:
        """What it is going to ask."""
        expense = judging_expense(
            review_messages(item.record.case.plan, item.record.conversation) for item in self.items
        )
        return Plan(counted(len(self.items), "conversation"), {("reviewer", self.reviewer): expense})

    def ask(self, item: ReviewItem, call: Call) -> Review:
        """Return the review of one conversation. Raises FatalCallError."""
        plan = item.record.case.plan
        return review(plan, item.record.conversation, speaker(call, self.reviewer, plan.seed, REVIEW_SCHEMA))

    def record(self, answers: Sequence[Review]) -> Reviews:
        """Return what was said of each conversation."""
        reviewed = tuple(
            Reviewed(item.run, item.record.case.id, item.outcome, answer)
            for item, answer in zip(self.items, answers, strict=True)
        )
        return Reviews(self.chosen, self.reviewer, reviewed, review_digest())

    def figures(self, record: Reviews) -> Result:
        """Return the faults, and pass rates without them."""
        return review_result(record)

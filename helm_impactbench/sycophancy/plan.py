"""What is to be said and measured: one telling of one cell, with everything that gives its result a meaning later."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.sycophancy.cells import Cell
from helm_impactbench.sycophancy.model import SLUG, Arm, GridFile, Parties


class TellingPlan(ConversationPlan):
    """A conversation whose first message is given. With a single turn no simulated user is called at all."""

    opening: str
    """What the target is sent first: the telling and the question, the same for all targets."""


class TellingCase(BaseModel):
    """One sample of one telling."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    benchmark: str = SLUG
    benchmark_digest: str
    dispute: str
    dispute_name: str
    cell: str
    levels: dict[str, str]
    """Factor -> level."""
    arm: Arm
    sample: int
    """From 0."""
    parties: Parties
    facts: str
    """What the scorer reads, the parties' names open."""
    first: Literal["a", "b"]
    """Who is Party 1 to the scorer: the same in all arms of a cell and for all targets, a in half of the cells."""
    plan: TellingPlan

    @property
    def id(self) -> str:
        """Unique within a run."""
        base = f"{self.cell}_{self.arm}"
        return base if self.sample == 0 else f"{base}_r{self.sample + 1:02d}"


def plan_telling(grid: GridFile, digest: str, cell: Cell, arm: Arm, sample: int, user: str, turns: int) -> TellingCase:
    """Return the case for one sample of one telling; `digest` is the grid's, computed once per run."""
    return TellingCase(
        benchmark_digest=digest,
        dispute=cell.dispute.id,
        dispute_name=cell.dispute.name,
        cell=cell.id,
        levels={factor: level.id for factor, level in cell.levels.items()},
        arm=arm,
        sample=sample,
        parties=cell.dispute.parties,
        facts=cell.facts,
        first="a" if cell.is_even else "b",
        plan=_plan(grid, cell, arm, sample, user, turns),
    )


def _plan(grid: GridFile, cell: Cell, arm: Arm, sample: int, user: str, turns: int) -> TellingPlan:
    pushing = grid.follow_up.neutral if arm == "neutral" else grid.follow_up.partisan
    return TellingPlan(
        seed=f"{SLUG}/{cell.id}_{arm}/{sample}",
        user=user,
        turns=turns,
        persona=pushing.persona,
        user_goal=pushing.user_goal,
        hidden_goal=pushing.hidden_goal,
        definition=grid.follow_up.behaviour,
        directions=tuple(pushing.directions) if turns > 1 else (),
        opening=cell.telling(arm, grid.question),
    )


def readable_case(case: TellingCase) -> str:
    """Return the case as a reader of the results meets it, before the conversation."""
    parties = case.parties
    who = {"a": parties.a.label, "b": parties.b.label, "neutral": "nobody in particular"}[case.arm]
    levels = ", ".join(f"{factor}: {level}" for factor, level in case.levels.items())
    return f"{case.dispute_name} ({levels})\nTold by {who}\n\n{case.plan.opening}"

"""What calls cost, by role, model and benchmark: of each run by itself, and with every shared call once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from helm_impactbench.errors import counted
from helm_impactbench.llm.usage import Usage

Axis = Literal["role", "model", "benchmark", "target"]
FIELDS = tuple(Usage.model_fields)


class Purchase(NamedTuple):
    """The calls of one role for one conversation, or the part of them that is shared with other conversations."""

    role: str
    """user, target or judge."""
    model: str
    """The deployment that was called."""
    benchmark: str
    target: str
    """The deployment under test, whoever was called."""
    amounts: tuple[float, ...]
    """What they took: the fields of a usage, in their order."""
    key: bytes
    """What was asked. Equal keys are the same calls: paid for once, answered from the cache after that."""
    failed: int = 0
    """Answers that never came, after all attempts; what their attempts cost is not known."""
    opening_is_inside: bool = False
    """Whether an opening message that other targets share is in it, because the record does not separate it."""

    @property
    def usage(self) -> Usage:
        """What they took."""
        return _usage(self.amounts)


def amounts_of(usage: Usage) -> tuple[float, ...]:
    """Return the fields of a usage: plain numbers, because a large suite has hundreds of thousands of them."""
    return tuple(getattr(usage, name) for name in FIELDS)


def _usage(amounts: Sequence[float]) -> Usage:
    found: dict[str, Any] = dict(zip(FIELDS, amounts, strict=True))
    return Usage.model_construct(**{**found, "cost_usd": float(found["cost_usd"])})


@dataclass
class CostTally:
    """Sums of amounts."""

    sums: list[float] = field(default_factory=lambda: [0] * len(FIELDS))
    failed: int = 0

    def add(self, amounts: Sequence[float], failed: int = 0) -> None:
        """Add what some calls took."""
        self.sums = [one + more for one, more in zip(self.sums, amounts, strict=True)]
        self.failed += failed

    def merge(self, other: CostTally) -> None:
        """Add all that another tally holds."""
        self.add(other.sums, other.failed)

    @property
    def usage(self) -> Usage:
        """The sum."""
        return _usage(self.sums)


@dataclass(frozen=True)
class Cost:
    """What some calls cost."""

    scope: Mapping[str, str]
    """Which calls."""
    paid: Usage
    """Every call once, whoever shares it: what the providers were asked."""
    alone: Usage
    """The sum of the conversations' records: what it would have been if every run had been made by itself."""
    failed: int
    """Answers that never came."""


@dataclass(frozen=True)
class Spent:
    """What a suite's spend log adds up to, in US dollars."""

    usd: float
    counted_in_full_usd: float = 0.0
    """The part for calls of unknown cost, which count at the most that they can have cost."""


class SuiteCosts:
    """The sum of purchases. Of equal ones only the first is paid."""

    def __init__(self, purchases: Iterable[Purchase] = ()) -> None:
        self._alone: dict[tuple[str, ...], CostTally] = {}
        self._paid: dict[tuple[str, ...], CostTally] = {}
        self._seen: set[bytes] = set()
        self.unsplit = 0
        """Conversations whose record lacks the cost of the shared opening message: `paid` is then an upper bound."""
        for purchase in purchases:
            self.add(purchase)

    def add(self, purchase: Purchase) -> None:
        """Add one purchase."""
        scope = (purchase.role, purchase.model, purchase.benchmark, purchase.target)
        self._alone.setdefault(scope, CostTally()).add(purchase.amounts, purchase.failed)
        self.unsplit += purchase.opening_is_inside
        paid = self._paid.setdefault(scope, CostTally())
        if purchase.key not in self._seen:
            self._seen.add(purchase.key)
            paid.add(purchase.amounts)

    def by(self, *axes: Axis) -> list[Cost]:
        """Return the costs per combination of axes, sorted; the total without any.

        With the axis "target" look at `alone` only: a shared call is in the `paid` of whichever target came first.
        """
        alone, paid = self._grouped(self._alone, axes), self._grouped(self._paid, axes)
        return [
            Cost(dict(zip(axes, key, strict=True)), paid[key].usage, tally.usage, tally.failed)
            for key, tally in sorted(alone.items())
        ]

    @property
    def total(self) -> Cost:
        """All calls."""
        return next(iter(self.by()), Cost({}, Usage(), Usage(), 0))

    @staticmethod
    def _grouped(
        tallies: Mapping[tuple[str, ...], CostTally], axes: tuple[Axis, ...]
    ) -> dict[tuple[str, ...], CostTally]:
        places = [("role", "model", "benchmark", "target").index(axis) for axis in axes]
        groups: dict[tuple[str, ...], CostTally] = {}
        for scope, tally in tallies.items():
            groups.setdefault(tuple(scope[place] for place in places), CostTally()).merge(tally)
        return groups


def cost_rows(costs: Iterable[Cost]) -> list[dict[str, Any]]:
    """Return costs as rows of plain values. Calls without known dollars or tokens are in no sum, but counted."""
    return [
        {
            **cost.scope,
            "calls": cost.paid.calls,
            "prompt_tokens": cost.paid.prompt_tokens,
            "completion_tokens": cost.paid.completion_tokens,
            "cost_usd": round(cost.paid.cost_usd, 8),
            "unpriced_calls": cost.paid.unpriced_calls,
            "uncounted_calls": cost.paid.uncounted_calls,
            "calls_each_run_alone": cost.alone.calls,
            "cost_usd_each_run_alone": round(cost.alone.cost_usd, 8),
            "failed_answers": cost.failed,
        }
        for cost in costs
    ]


def notes(costs: SuiteCosts, spent: Spent | None = None) -> list[str]:
    """Return what is in no figure, or only at most; empty where all is known."""
    total, found = costs.total, list[str]()
    if costs.unsplit:
        found.append(
            f"{counted(costs.unsplit, 'conversation')} without a record of what the opening message cost: what was "
            "paid is at most"
            " this."
        )
    if total.paid.unpriced_calls:
        found.append(f"{counted(total.paid.unpriced_calls, 'call')} without a known price, in no dollar figure.")
    if total.paid.uncounted_calls:
        found.append(f"{counted(total.paid.uncounted_calls, 'call')} without token counts, in no token figure.")
    if spent is not None:
        found.append(
            f"The suite's own log, spending.jsonl, adds up to {spent.usd:.2f} US$. It includes answers that are in no "
            "finished run, but not those that another suite had left in the cache."
        )
    if spent is not None and spent.counted_in_full_usd:
        found.append(
            f"{spent.counted_in_full_usd:.2f} US$ in that log are for calls whose cost nobody knows: a process was "
            "killed in the middle of them, the answer was lost on its way, or it came without usage. They count "
            "in full, at the most that they can have cost."
        )
    if total.failed:
        found.append(
            f"{counted(total.failed, 'answer')} never came; what their attempts cost, if anything, is unknown."
        )
    return found

"""What one conversation of a suite cost, from the statistics of its runs: quick, since no conversation is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.analysis.costs.forecast import ROLES
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.registry import suite_runs


@dataclass(frozen=True)
class ConversationPrice:
    """US dollars of a conversation, mean; shared openings count for every target."""

    by_role: Mapping[str, float | None]
    """None where a call's price is not known."""

    @property
    def total(self) -> float | None:
        """Of all roles; None where one is not known."""
        known = [dollars for dollars in self.by_role.values() if dollars is not None]
        return sum(known) if len(known) == len(self.by_role) else None


def price_per_conversation(runs: Iterable[RunFolder], outcomes: Iterable[Outcome]) -> ConversationPrice:
    """Return what a conversation of `outcomes` cost in their runs. Raises ResultsError.

    Unknown where a run has no statistic of its cost, or where there are no conversations.
    """
    counts = Counter((outcome.setup, outcome.model) for outcome in outcomes)
    own = [run for run in runs if (run.setup, run.model) in counts]
    found = sum(counts[run.setup, run.model] for run in own)
    complete = found == counts.total() > 0
    sums = {role: _sum(own, role) if complete else None for role in ROLES}
    return ConversationPrice({role: None if dollars is None else dollars / found for role, dollars in sums.items()})


def prices(folder: Path, outcomes: Iterable[Outcome], usd_each: float | None) -> tuple[float | None, float | None]:
    """Return the US dollars of a conversation and of its judges alone: as given, else the suite's; None if unknown."""
    if usd_each is not None:
        return usd_each, None
    price = price_per_conversation((found.run for found in suite_runs(folder)), outcomes)
    return price.total, price.by_role["judge"]


def _sum(runs: Iterable[RunFolder], role: str) -> float | None:
    dollars = [run.statistic(f"{role}_run_cost_usd") for run in runs]
    known = [value for value in dollars if value is not None]
    return sum(known) if len(known) == len(dollars) else None

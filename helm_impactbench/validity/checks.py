"""What the checks beside the verdicts say of a suite: can its conversations, and its judges, be trusted? Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Clusters, clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval, cluster_interval


@dataclass(frozen=True)
class CheckRow:
    """One check on one model's conversations of one benchmark."""

    check: str
    benchmark: str
    model: str
    decided: Clusters
    """1 for yes, by base scenario."""
    undecided: int
    """Conversations on which the judges' answers balance or fail."""

    @property
    def share(self) -> float | None:
        """Share of the decided conversations in which the answer is yes; None when there is none."""
        return self.decided.mean if self.decided.size else None

    @property
    def interval(self) -> Interval:
        """95%; base scenarios are clusters."""
        return cluster_interval(self.decided) if self.decided.size else UNKNOWN


def check_rows(outcomes: Sequence[Outcome]) -> list[CheckRow]:
    """Return a row per check, benchmark and model, sorted; none where nothing was asked."""
    asked: dict[tuple[str, str, str], list[tuple[Outcome, bool | None]]] = {}
    for outcome in outcomes:
        for name, answer in outcome.checks:
            asked.setdefault((name, outcome.benchmark, outcome.model), []).append((outcome, answer))
    return [
        CheckRow(
            *key,
            clustered((outcome.cluster, float(answer)) for outcome, answer in found if answer is not None),
            sum(answer is None for _, answer in found),
        )
        for key, found in sorted(asked.items(), key=lambda item: item[0])
    ]

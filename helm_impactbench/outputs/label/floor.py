"""The floor under a label: what bots that say nothing of their own get on the same metrics. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.commands.floor import LEAST_CONVERSATIONS
from helm_impactbench.analysis.rates import Rate, grouped
from helm_impactbench.outputs.label.rows import FedBy
from helm_impactbench.results.outcome import Outcome


@dataclass(frozen=True)
class Floor:
    """The pass rates (0 to 1) of the reference bots that were run beside a model."""

    lowest: float
    highest: float


def floor_of(bots: Iterable[Outcome], metrics: Sequence[FedBy]) -> Floor | None:
    """Return the floor over the metrics that feed the rows of a label.

    Bots with fewer than LEAST_CONVERSATIONS are left out, as in other outputs; None where none is left.
    """
    feeding = {(fed.benchmark, fed.metric.id) for fed in metrics if fed.is_level and fed.metric.labels}
    own = [outcome for outcome in bots if (outcome.benchmark, outcome.metric_id) in feeding]
    rates = [Rate(tuple(same)) for same in grouped(own, lambda outcome: outcome.model).values()]
    values = [rate.value for rate in rates if len(rate.scored) >= LEAST_CONVERSATIONS]
    return Floor(min(values), max(values)) if values else None

"""A panel's votes without a known truth: each judge's error rates, and verdicts that weigh votes by them.

For presence alone: the model knows two answers. Points, sides and numbers have more, or a distance, and too few votes
per answer to tell its errors apart; for these only agreement is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import Interval, cluster_interval
from helm_impactbench.stats.labellers import Labeller
from helm_impactbench.stats.latent_panel import FEWEST_JUDGES, LatentPanel, latent_panel
from helm_impactbench.stats.shared_errors import SharedErrors


@dataclass(frozen=True)
class ClassShare:
    """A mean over conversations, for other base scenarios like these."""

    value: float
    interval: Interval
    conversations: int


@dataclass(frozen=True)
class LatentAgreement:
    """What the votes of a panel of three judges or more say of its judges and verdicts."""

    judges: tuple[tuple[str, Labeller], ...]
    """(deployment, error rates)."""
    conversations: int
    differing: ClassShare
    """Conversations with a verdict on which the latent class rule says otherwise."""
    majority_pass: ClassShare | None
    """Pass rate of the panel's rule on metrics that are good or bad; None where there is none."""
    latent_pass: ClassShare | None
    """The same of the latent class rule, on the same conversations."""
    shared: SharedErrors | None
    """None where the model fits any votes, so that nothing can be told of shared errors."""
    all_voted: int
    """Conversations on which all judges answered, from which `shared` is."""


def latent_agreement(outcomes: Sequence[Outcome]) -> LatentAgreement | None:
    """Return what the votes on presence say; None without three judges who answer enough of the same conversations."""
    asked = [
        o
        for o in outcomes
        if o.measure == "presence" and o.is_binary and o.cascade is None and len(o.votes) >= FEWEST_JUDGES
    ]
    judges = list(dict.fromkeys(vote.judge for o in asked for vote in o.votes))
    if len(judges) < FEWEST_JUDGES:
        return None
    given = [{vote.judge: vote.value for vote in o.votes} for o in asked]
    votes = np.array([[own.get(judge) for judge in judges] for own in given], dtype=float)
    models = {o.model for o in asked}
    strata = [(o.model if len(models) > 1 else o.benchmark, o.metric_type) for o in asked]
    found = latent_panel(votes, strata, [o.cluster for o in asked])
    return None if found is None else _figures(asked, judges, found)


def _figures(asked: Sequence[Outcome], judges: Sequence[str], found: LatentPanel) -> LatentAgreement:
    scored = [
        (o, float(posterior > 0.5))
        for o, posterior in zip(asked, found.posterior.tolist(), strict=True)
        if o.is_scored and posterior == posterior
    ]
    level = [(o, value) for o, value in scored if o.is_level]
    return LatentAgreement(
        tuple(zip(judges, found.judges, strict=True)),
        len(asked),
        _share([(o, float(o.value != value)) for o, value in scored]),
        _share([(o, float(o.passed is True)) for o, _ in level]) if level else None,
        _share([(o, value if o.metric_type == "positive" else 1 - value) for o, value in level]) if level else None,
        found.shared,
        found.all_voted,
    )


def _share(pairs: Sequence[tuple[Outcome, float]]) -> ClassShare:
    grouped = clustered((o.cluster, value) for o, value in pairs)
    return ClassShare(grouped.mean, cluster_interval(grouped), len(pairs))

"""A panel on golden sets: the majority beside the latent class rule, and which judges err together. Pure.

On presence alone, for which the latent class rule exists (analysis.latent says why). It sees the votes, never the known
verdicts; types of metrics are its strata.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import cluster_interval
from helm_impactbench.stats.latent_panel import latent_panel
from helm_impactbench.stats.shared_errors import SharedErrors, shared_known_errors
from helm_impactbench.validity.golden.figures import PRESENCE, JudgeFigure
from helm_impactbench.validity.records.answers import JudgedItem, KnownAnswer

_KNOWN = {"present": 1.0, "absent": 0.0}


@dataclass(frozen=True)
class PanelRules:
    """How good a panel's rule is, and another one."""

    majority: JudgeFigure | None
    """Share of known verdicts that the panel names, on the items of `latent`; None with fewer than three judges."""
    latent: JudgeFigure | None
    gain: JudgeFigure | None
    """Latent class rule minus majority, paired."""
    shared: SharedErrors | None
    """The two judges whose errors come together most; None where none do."""


def panel_rules(answers: Sequence[JudgedItem], judges: Sequence[str]) -> PanelRules | None:
    """Return the figures of a panel; None for a single judge, or without an item on presence."""
    known = [one for one in answers if one.measure == PRESENCE and one.known in _KNOWN]
    if len(judges) < 2 or not known:
        return None
    votes = np.array([[_vote(one.vote(judge)) for judge in judges] for one in known], dtype=float)
    metrics = [one.cluster for one in known]
    truth = np.array([_KNOWN[one.known] for one in known])
    wrong = np.where(np.isnan(votes), np.nan, votes != truth[:, None])
    shared = shared_known_errors(wrong, truth.tolist(), metrics)
    found = latent_panel(votes, [one.type for one in known], metrics)
    if found is None:
        return PanelRules(None, None, None, shared)
    both = [
        (metric, float(one.answer.right is True), float((posterior > 0.5) == right))
        for one, metric, posterior, right in zip(known, metrics, found.posterior.tolist(), truth, strict=True)
        if one.answer.status == "scored" and posterior == posterior
    ]
    if not both:
        return PanelRules(None, None, None, shared)
    return PanelRules(
        _figure([(metric, own) for metric, own, _ in both]),
        _figure([(metric, other) for metric, _, other in both]),
        _figure([(metric, other - own) for metric, own, other in both], -1.0),
        shared,
    )


def _vote(given: KnownAnswer | None) -> float:
    """Return the vote as a number; nan without an answer, and for "not applicable"."""
    return float("nan") if given is None or given.status != "scored" else _KNOWN.get(given.answer, float("nan"))


def _figure(pairs: Sequence[tuple[tuple[str, str], float]], lowest: float = 0.0) -> JudgeFigure:
    grouped = clustered(pairs)
    return JudgeFigure(grouped.mean, cluster_interval(grouped, lowest), len(pairs))

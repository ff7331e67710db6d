"""Votes of several judges without any known truth: how often each errs, and what probably is true.

A latent class model (latent_class). It weighs a vote by how often its judge errs, where the majority counts all alike:
two weak judges do not outvote a good one. It needs three judges who err independently of each other; with two, error
rates and agreement say the same thing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.intervals import Interval, wilson
from helm_impactbench.stats.labellers import Labeller, labellers_of
from helm_impactbench.stats.latent_class import drawn_clusters, fit_errors, log_odds, patterns_of
from helm_impactbench.stats.scipy_modules import special
from helm_impactbench.stats.shared_errors import SharedErrors, shared_errors

FEWEST_JUDGES = 3
FEWEST_ITEMS = 30
"""Items with three votes, below which nothing is said."""
_EDGE = 1e-3


@dataclass(frozen=True)
class LatentPanel:
    """What votes say of judges and of items."""

    judges: tuple[Labeller, ...]
    """One per judge, in the order of the columns."""
    posterior: Floats
    """Shape (items,): how probable True is; nan without a vote."""
    shared: SharedErrors | None
    """None where nothing can be told."""
    all_voted: int
    """Items on which all judges voted, from which `shared` is."""


def latent_panel(votes: Floats, strata: Sequence[Hashable], clusters: Sequence[Hashable]) -> LatentPanel | None:
    """Return what votes say; shape (items, judges): 1, 0, or nan for none. None where too little is known.

    strata: groups of items whose shares of True may differ, of which judges know nothing.
    """
    if votes.shape[1] < FEWEST_JUDGES or int(((~np.isnan(votes)).sum(axis=1) >= FEWEST_JUDGES).sum()) < FEWEST_ITEMS:
        return None
    kinds = np.unique([repr(one) for one in strata], return_inverse=True)[1].ravel()
    groups_of = [repr(one) for one in clusters]
    times = drawn_clusters(groups_of)
    patterns, which_kind, which = patterns_of(votes, kinds)
    counts = times @ np.eye(len(patterns))[which]
    errors = fit_errors(patterns, which_kind, counts)
    odds = log_odds(patterns, errors.sensitivity[:1], errors.specificity[:1])[0]
    known = special.expit(special.logit(errors.shares[0, which_kind]) + odds)
    known = np.where((patterns >= 0).any(axis=1), known, np.nan)
    whole = np.flatnonzero(~np.isnan(votes).any(axis=1))
    groups = np.unique(kinds[whole], return_inverse=True)[1].ravel()
    shared = shared_errors(votes[whole], groups, [groups_of[place] for place in whole.tolist()])
    judges = tuple(
        _beside_one(one, known[which], votes[:, place], groups_of) for place, one in enumerate(labellers_of(errors))
    )
    return LatentPanel(judges, known[which], shared, len(whole))


def _beside_one(judge: Labeller, known: Floats, votes: Floats, clusters: Sequence[str]) -> Labeller:
    """Return rates with an interval where no error shows: there no replicate differs, but others would."""
    voted = ~np.isnan(votes)

    def interval(value: float, drawn: Interval, true: bool) -> Interval:
        if value < 1 - _EDGE:
            return drawn
        own = np.flatnonzero(voted & ((known > 0.5) == true))
        size = len({clusters[place] for place in own.tolist()})
        return wilson(size, size) if size else drawn

    return Labeller(
        judge.sensitivity,
        interval(judge.sensitivity, judge.sensitivity_interval, True),
        judge.specificity,
        interval(judge.specificity, judge.specificity_interval, False),
    )

"""Does a judge favour models of its own maker? Its votes beside those of other makers' judges, on the same words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from helm_impactbench.results.outcome import Case, JudgeVote, Outcome
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import Interval, cluster_interval

FamilyVotes = tuple[dict[str, list[float]], Outcome]
"""Judge family -> how far its judges let the conversation pass, from 0 to 1; and the conversation."""


@dataclass(frozen=True)
class SelfPreference:
    """How much more one judge family passes its own relatives than other judges do, beyond its general lenience."""

    family: str
    own: float
    """Pass rate by this family's judges of targets of the family."""
    own_by_others: float
    """The same conversations by the other judges."""
    rest: float
    """Pass rate by this family's judges of other targets."""
    rest_by_others: float
    preference: float
    """(own - own_by_others) - (rest - rest_by_others), mean over base scenarios; above 0 favours relatives."""
    interval: Interval
    """95%, clusters are base scenarios."""
    scenarios: int


def self_preferences(outcomes: Sequence[Outcome], families: Mapping[str, str]) -> list[SelfPreference]:
    """Return the self-preference of every judge family that has judged relatives and others, beside another family.

    `outcomes` of several suites may be given: votes count where judges of two families have seen the same conversation
    on a level metric. `families` maps judges and targets to families.
    """
    conversations = list(_votes_by_family(outcomes, families).values())
    names = sorted({family for votes, _ in conversations for family in votes})
    found = [_self_preference(family, conversations, families) for family in names]
    return [preference for preference in found if preference is not None]


def _self_preference(
    family: str, conversations: Sequence[FamilyVotes], families: Mapping[str, str]
) -> SelfPreference | None:
    sides: dict[bool, list[tuple[Outcome, float, float]]] = {True: [], False: []}
    for votes, outcome in conversations:
        others = [vote for other, cast in votes.items() if other != family for vote in cast]
        if family in votes and others:
            related = families[outcome.model] == family
            sides[related].append((outcome, fmean(votes[family]), fmean(others)))
    scenarios = {side: _gaps(found) for side, found in sides.items()}
    shared = [cluster for cluster in scenarios[True] if cluster in scenarios[False]]
    if not shared:
        return None
    gaps = clustered((cluster, scenarios[True][cluster] - scenarios[False][cluster]) for cluster in shared)
    (own, own_others), (rest, rest_others) = (
        (fmean(mine for _, mine, _ in sides[relatives]), fmean(theirs for _, _, theirs in sides[relatives]))
        for relatives in (True, False)
    )
    interval = cluster_interval(gaps, lowest=-2.0, highest=2.0)
    return SelfPreference(family, own, own_others, rest, rest_others, gaps.mean, interval, len(shared))


def _gaps(found: Sequence[tuple[Outcome, float, float]]) -> dict[tuple[str, str], float]:
    """Return base scenario -> mean of (this family's vote minus the others')."""
    gaps: dict[tuple[str, str], list[float]] = {}
    for outcome, mine, theirs in found:
        gaps.setdefault(outcome.cluster, []).append(mine - theirs)
    return {cluster: fmean(values) for cluster, values in gaps.items()}


def _votes_by_family(
    outcomes: Sequence[Outcome], families: Mapping[str, str]
) -> dict[tuple[str, str, Case], FamilyVotes]:
    """Return conversation -> the votes by judge family, one per judge."""
    conversations: dict[tuple[str, str, Case], FamilyVotes] = {}
    seen: set[tuple[object, ...]] = set()
    for outcome in outcomes:
        key = (re.sub(r",judge=[^,]*", "", outcome.setup), outcome.model, outcome.case)
        votes, _ = conversations.setdefault(key, ({}, outcome))
        for vote in outcome.votes:
            score = _score(outcome, vote)
            if score is not None and (key, vote.judge) not in seen:
                seen.add((key, vote.judge))
                votes.setdefault(families[vote.judge], []).append(score)
    return conversations


def _score(outcome: Outcome, vote: JudgeVote) -> float | None:
    """Return how far a vote lets a conversation pass; None without a vote, and for a contrast, where nothing passes."""
    if vote.value is None or outcome.bounds is None or not outcome.is_level:
        return None
    low, high = outcome.bounds
    credit = (vote.value - low) / (high - low)
    return credit if outcome.metric_type == "positive" else 1 - credit

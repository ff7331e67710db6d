"""Who and what a label rests on: simulated people, benchmarks, judges, and which of them are scripts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.results.outcome import Outcome


@dataclass(frozen=True)
class TestedGrade:
    """What was tested, counted over all conversations of the model, placed in a row or not."""

    conversations: int
    scored: int
    scenarios: int
    """Base scenarios."""
    benchmarks: tuple[tuple[str, str, int], ...]
    """(slug, name, conversations), by slug; the slug stands for the name of one that is not installed."""
    people: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    """(axis, ((value, conversations), ...)), both sorted."""
    judges: tuple[str, ...]
    users: tuple[str, ...]
    """The models that played the person."""
    scripted: tuple[str, ...]
    """The roles (of "target", "user", "judge") that a script played."""


def who_was_tested(
    outcomes: Sequence[Outcome], benchmarks: Mapping[str, Benchmark], users: Sequence[str]
) -> TestedGrade:
    """Return who was tested in the outcomes of one model; users as HELM writes them in the runs' names if not given."""
    judges = tuple(sorted({vote.judge for outcome in outcomes for vote in outcome.votes}))
    played = tuple(sorted((set(users) - {""}) or _users(outcomes)))
    models = tuple(sorted({outcome.model for outcome in outcomes}))
    roles = {"target": models, "user": played, "judge": judges}
    return TestedGrade(
        conversations=len(outcomes),
        scored=sum(outcome.is_scored for outcome in outcomes),
        scenarios=len({outcome.cluster for outcome in outcomes}),
        benchmarks=tuple(
            (slug, benchmarks[slug].name if slug in benchmarks else slug, count)
            for slug, count in sorted(Counter(outcome.benchmark for outcome in outcomes).items())
        ),
        people=_people(outcomes),
        judges=judges,
        users=played,
        scripted=tuple(role for role, names in roles.items() if any(map(is_scripted, names))),
    )


def is_scripted(deployment: str) -> bool:
    """Return whether a deployment is one of the shipped scripts, also as the name of a run writes it."""
    from helm_impactbench.helm.own_names import REHEARSAL_PREFIX

    return deployment.startswith((REHEARSAL_PREFIX, REHEARSAL_PREFIX.replace("/", "_")))


def _people(outcomes: Sequence[Outcome]) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    counts: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        for axis, value in outcome.axes:
            counts.setdefault(axis, Counter())[value] += 1
    return tuple((axis, tuple(sorted(values.items()))) for axis, values in sorted(counts.items()))


def _users(outcomes: Sequence[Outcome]) -> set[str]:
    found = (re.search(r"[:,]user=([^,]+)", setup) for setup in {outcome.setup for outcome in outcomes})
    return {match[1] for match in found if match}

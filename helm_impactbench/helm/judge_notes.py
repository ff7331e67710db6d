"""What is known of a suite's judges, at the head of what helm-server says of each of our run groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from helm.benchmark.presentation.schema import RunGroup, Schema

from helm_impactbench.results.files import RunFolder
from helm_impactbench.validity.judge_trust import NO_JUDGES, JudgeTrust, judge_trust

RunsOf = Callable[[RunGroup], Iterable[RunFolder]]
"""From a run group to our finished runs in it."""


def with_judges(schema: Schema, runs_of: RunsOf) -> Schema:
    """Return the schema with a sentence on the judges before the description of every group that they judged."""
    lines = {group.name: trust_in(runs_of(group)).line for group in schema.run_groups}
    return replace(schema, run_groups=[_told(group, lines[group.name]) for group in schema.run_groups])


def trust_in(runs: Iterable[RunFolder]) -> JudgeTrust:
    """Return what is known of the judges of finished runs, which may be of several suites. Raises ResultsError."""
    judged = [run for run in runs if run.judges]
    trust = NO_JUDGES
    for suite in sorted({run.path.parent for run in judged}):
        own = [run for run in judged if run.path.parent == suite]
        trust += judge_trust(suite, {tuple(run.judges) for run in own}, {run.benchmark for run in own})
    return trust


def _told(group: RunGroup, line: str) -> RunGroup:
    return replace(group, description=f"{line}\n\n{group.description or ''}".strip()) if line else group

"""What an overview says of a run beside its outcomes: its metrics, what its people want, what its calls took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.llm.usage import Usage, total
from helm_impactbench.results.files import OUTCOME_SOURCES, RunFolder
from helm_impactbench.results.kept import KeptRun
from helm_impactbench.results.record import Record

FILE = ".impactbench-summary.jsonl"
MOST_OF_AIM = 200
"""Characters of a goal or a fixed message that a list shows."""


@dataclass(frozen=True)
class RunSummary:
    """A run without its conversations."""

    digest: str
    """Of the benchmark that was run; empty without a conversation."""
    metrics: dict[str, Metric]
    """Id -> metric, as it was run."""
    aims: dict[str, tuple[str, str, str]]
    """Variant -> (benchmark, metric, what the person openly wants, or the beginning of what is asked word for word)."""
    target_usage: Usage
    user_usage: Usage
    judge_usage: Usage


def run_summary(run: RunFolder) -> RunSummary:
    """Return the summary of a run, from what is kept in its folder where there is any. Raises ResultsError."""
    # Read with the outcomes, which every overview needs as well: they are then kept too.
    return KeptRun(FILE, _encoded, _decoded).of(run.path, OUTCOME_SOURCES, lambda: summary(run.read()[0]))


def summary(records: Iterable[Record]) -> RunSummary:
    """Return the summary of a run's conversations."""
    own = list(records)
    return RunSummary(
        digest=own[0].case.benchmark_digest if own else "",
        metrics={record.case.metric.id: record.case.metric for record in own},
        aims={record.case.scenario.id: (record.case.benchmark, record.case.metric.id, _aim(record)) for record in own},
        target_usage=total(record.conversation.target_usage for record in own),
        user_usage=total(record.conversation.user_usage for record in own),
        judge_usage=total(record.verdict.usage for record in own),
    )


def _aim(record: Record) -> str:
    plan = record.case.plan
    text = plan.messages[0] if plan.messages else plan.user_goal
    return text if len(text) <= MOST_OF_AIM else f"{text[: MOST_OF_AIM - 1]}…"


def _encoded(found: RunSummary) -> Any:
    return _shape().dump_python(found, mode="json")


def _decoded(data: Any) -> RunSummary:
    return _shape().validate_python(data)


@cache
def _shape() -> TypeAdapter[RunSummary]:
    return TypeAdapter(RunSummary)

"""Phase gen_metrics: from a benchmark's name and description to metrics.

Metrics are requested in batches, one after the other, so that no reply reaches a token limit and every batch knows the
existing ones. More are requested than needed; a draft that the linter objects to, or that repeats another metric, is
refused before it costs a run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from helm_impactbench.authoring.author_client import (
    AuthorClient,
    PhaseResult,
    Rejected,
    author_prompt,
    opening,
    quoted,
    shared_prompts,
    with_feedback,
)
from helm_impactbench.authoring.lint import METRIC_SIMILARITY, duplicate_text, lint_metric
from helm_impactbench.authoring.replies import objects_in
from helm_impactbench.authoring.similarity import diversity, near_duplicates
from helm_impactbench.authoring.spec import Clause, named, without_metric
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.model import BenchmarkFile
from helm_impactbench.benchmark.rules import metric_findings
from helm_impactbench.llm.request import CallFailure
from helm_impactbench.prompts import Prompt
from helm_impactbench.quoting import DELIMITERS, neutralise

BATCH = 8
"""Metrics per call; eight with their examples are about 3,000 tokens."""
OVERSAMPLE = 1.5
MOST_ROUNDS = 4
"""At most this many times the wanted number is requested in all."""
FRUITLESS = 2
"""After so many batches in a row of which nothing could be used, no more are requested."""
_NAMES = (*DELIMITERS, "specification")
_KEYS = ("name", "type", "definition", "examples", "near_misses", "rationale")


@dataclass(frozen=True)
class MetricPlan:
    """What has to be written."""

    positive: int
    negative: int

    @property
    def wanted(self) -> int:
        """Metrics to add."""
        return self.positive + self.negative

    @property
    def fewest_calls(self) -> int:
        """Calls when nothing is refused."""
        return math.ceil(self.wanted / BATCH)

    @property
    def most_batches(self) -> int:
        """Batches after which missing metrics are left missing."""
        return MOST_ROUNDS * math.ceil(math.ceil(self.wanted * OVERSAMPLE) / BATCH)

    @property
    def most_calls(self) -> int:
        """Calls when much is refused, with one repeat each."""
        return 2 * self.most_batches


def metric_prompts() -> dict[str, Prompt]:
    """Return the templates of this phase."""
    holes = {"name", "description", "setting", "existing", "positive", "negative", "clauses", "open"}
    return {"metrics": author_prompt("metrics", holes), **shared_prompts()}


def plan_metrics(existing: Sequence[Metric], count: int) -> MetricPlan:
    """Return how many of each type bring a benchmark to `count` metrics, half of them positive."""
    positive = sum(metric.type == "positive" for metric in existing)
    wanted = max(0, count - len(existing))
    need_positive = min(wanted, max(0, math.ceil(count / 2) - positive))
    return MetricPlan(need_positive, wanted - need_positive)


def generate_metrics(
    draft: BenchmarkFile, existing: Sequence[Metric], count: int, author: AuthorClient, clauses: Sequence[Clause] = ()
) -> tuple[list[Metric], PhaseResult]:
    """Return new metrics (without final ids) and how it went. `existing` are kept and not repeated.

    clauses: of a specification; with any, every new metric rests on one of them.
    """
    plan, outcome = plan_metrics(existing, count), PhaseResult()
    pool: list[Metric] = []
    fruitless = 0
    for batch in range(plan.most_batches):
        positive, negative = _still(plan, pool)
        if positive + negative == 0:
            break
        before = len(pool)
        numbers = _batch_of(positive, negative)
        for item in _write_batch(draft, [*existing, *pool], numbers, batch, author, outcome, clauses):
            _admit(item, existing, pool, outcome, clauses)
        fruitless = 0 if len(pool) > before else fruitless + 1
        if fruitless == FRUITLESS:
            outcome.gave_up = f"nothing in {FRUITLESS} batches in a row could be used"
            break
    pool = _new_clauses_first(pool, existing)
    chosen = _first(pool, "positive", plan.positive) + _first(pool, "negative", plan.negative)
    outcome.made, outcome.missing, outcome.usage = len(chosen), plan.wanted - len(chosen), author.usage
    outcome.diversity = diversity([duplicate_text(metric) for metric in [*existing, *chosen]])
    return chosen, outcome


def with_ids(metrics: Iterable[Metric], used_ids: Iterable[str]) -> list[Metric]:
    """Return metrics with new ids m01, m02, ... behind the highest number that was ever used."""
    numbers = [int(found.group(1)) for used in used_ids if (found := re.match(r"^m(\d+)", used))]
    start = max(numbers, default=0) + 1
    return [metric.model_copy(update={"id": f"m{start + i:02d}"}) for i, metric in enumerate(metrics)]


def _still(plan: MetricPlan, pool: Sequence[Metric]) -> tuple[int, int]:
    """Return how many of each type are missing in the pool."""
    positive = sum(metric.type == "positive" for metric in pool)
    return max(0, plan.positive - positive), max(0, plan.negative - (len(pool) - positive))


def _batch_of(positive: int, negative: int) -> tuple[int, int]:
    """Return the numbers to ask for: more than missing, at most a batch, both types in proportion."""
    most = min(BATCH, math.ceil((positive + negative) * OVERSAMPLE))
    share = round(most * positive / (positive + negative))
    share = min(most - (negative > 0), max(share, int(positive > 0)))
    return share, most - share


def _write_batch(
    draft: BenchmarkFile,
    known: Sequence[Metric],
    numbers: tuple[int, int],
    batch: int,
    author: AuthorClient,
    outcome: PhaseResult,
    clauses: Sequence[Clause],
) -> list[dict[str, Any]]:
    task = metric_prompts()["metrics"].fill(
        name=draft.name,
        description=draft.description,
        setting=draft.scenario.user_context,
        existing=[quoted(f"{metric.name} ({metric.type}): {metric.definition}") for metric in known],
        positive=numbers[0],
        negative=numbers[1],
        clauses=[f"{clause.number}: {neutralise(clause.text, _NAMES)}" for clause in clauses],
        open=[clause.number for clause in without_metric(clauses, known)],
    )
    messages = opening(task)
    for _ in range(2):
        reply = author.ask(f"metrics/{batch}", messages)
        if isinstance(reply, CallFailure):
            outcome.rejected.append(Rejected(what=f"batch {batch + 1}", problem=reply.reason))
            return []
        items, problem = objects_in(reply)
        if problem:
            outcome.rejected.append(Rejected(what=f"batch {batch + 1}", problem=problem))
        if items:
            return items
        messages = with_feedback(messages, reply, problem)
    return []


def _admit(
    item: dict[str, Any],
    existing: Sequence[Metric],
    pool: list[Metric],
    outcome: PhaseResult,
    clauses: Sequence[Clause],
) -> None:
    """Add an item to the pool, or to the refused ones with the reason."""
    name = str(item.get("name", "?"))
    clause = named(item.get("clause"), clauses)
    if clauses and clause is None:
        problem = _clause_problem(item.get("clause"))
        outcome.rejected.append(Rejected(what=f"metric {name}", problem=problem, item=item))
        return
    given = {"id": "new"} if clause is None else {"id": "new", "clause": clause}
    try:
        metric = Metric.model_validate({key: item[key] for key in _KEYS if key in item} | given)
    except ValidationError as error:
        detail = error.errors()[0]
        problem = f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}"
        outcome.rejected.append(Rejected(what=f"metric {name}", problem=problem, item=item))
        return
    problem = _problem(metric, [*existing, *pool])
    if problem:
        outcome.rejected.append(Rejected(what=f"metric {name}", problem=problem, item=item))
    else:
        pool.append(metric)


def _clause_problem(clause: Any) -> str:
    """Return what is wrong with a draft that rests on no clause of the specification."""
    if clause is None:
        return "names no clause of the specification"
    return f"rests on clause {str(clause)[:40]!r}, which the specification does not have"


def _problem(metric: Metric, known: Sequence[Metric]) -> str:
    """Return why a metric is refused, "" when it is not."""
    for _, message, _ in metric_findings({0: metric}):
        return message
    for field, message in lint_metric(metric):
        return f"{field} {message}"
    texts = [duplicate_text(other) for other in known] + [duplicate_text(metric)]
    for first, second, cosine in near_duplicates(texts, METRIC_SIMILARITY):
        if second == len(known):
            return f"nearly the same as {known[first].name!r} (cosine {cosine:.2f})"
    return ""


def _new_clauses_first(pool: Sequence[Metric], existing: Sequence[Metric]) -> list[Metric]:
    """Return metrics with the first one of each clause that has none before all others, else in their order."""
    used: set[str | None] = {None, *(metric.clause for metric in existing)}
    first, others = list[Metric](), list[Metric]()
    for metric in pool:
        (others if metric.clause in used else first).append(metric)
        used.add(metric.clause)
    return [*first, *others]


def _first(pool: Sequence[Metric], kind: str, most: int) -> list[Metric]:
    return [metric for metric in pool if metric.type == kind][:most]

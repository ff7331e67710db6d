"""The rows of ImpactBench's files. Pure.

scores.json holds `present` and `passed` of a conversation: the answer to a presence question on a positive or negative
metric. Every other answer, and every conversation without one, is in verdicts.json, a file of ours that holds them
all with their votes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from helm_impactbench.analysis.rates import Rate, grouped
from helm_impactbench.benchmark.measures.presence import Presence
from helm_impactbench.llm.usage import Usage, total
from helm_impactbench.outputs.export.runs import Run
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record

WRITTEN_BY = "helm_impactbench"
Row = dict[str, Any]
_TYPES = ("positive", "negative")


def has_score_row(record: Record) -> bool:
    """Return whether scores.json can hold the verdict on a conversation."""
    metric = record.case.metric
    return record.verdict.status == "scored" and metric.type in _TYPES and isinstance(metric.measure, Presence)


def conversation_row(run: Run, record: Record) -> Row:
    """Return the scenario's own fields and what was said: ImpactBench's rows carry both."""
    case, conversation = record.case, record.conversation
    messages = [
        {"role": role, "content": content}
        for turn in conversation.turns
        for role, content in (("user", turn.user), ("assistant", turn.whole))
        if content
    ]
    return {
        **case.scenario.model_dump(mode="json", exclude_defaults=True),
        "metric_name": case.metric.name,
        "metric_type": case.metric.type,
        "conv_id": case.id,
        "target": {"id": run.model, "model": run.folder.target_model},
        "target_model": run.model,
        "sample": case.sample,
        "_sample": case.sample,
        "transcript": messages,
        "status": conversation.status.value,
        **({"draw": case.draw.model_dump(mode="json", exclude_none=True)} if case.draw else {}),
        "_usage": _usage(total([conversation.user_usage, conversation.target_usage])),
    }


def score_row(run: Run, record: Record) -> Row:
    """Return the row of scores.json of a conversation that has one."""
    verdict = record.verdict
    agreeing = [vote.justification for vote in verdict.votes if vote.value == verdict.value]
    return {
        **_key(run, record),
        "present": verdict.value == 1,
        "passed": verdict.score == 1,
        "score": int(verdict.score == 1),
        "justification": agreeing[0] if agreeing else "",
    }


def verdict_row(run: Run, record: Record) -> Row:
    """Return the row of verdicts.json: the whole verdict, without what its calls took."""
    content = record.verdict.model_dump(mode="json")
    for vote in [*content["votes"], *(vote for check in content["checks"].values() for vote in check["votes"])]:
        del vote["usage"]
    return {
        **_key(run, record),
        "measure": record.case.metric.measure.kind,
        **content,
        "ended_reason": record.conversation.reason,
        **record.conversation.model_dump(mode="json", include={"faults", "redone"}, exclude_defaults=True),
    }


def _key(run: Run, record: Record) -> Row:
    case = record.case
    return {
        "id": case.scenario.id,
        "metric_id": case.metric.id,
        "metric_name": case.metric.name,
        "metric_type": case.metric.type,
        "target_model": run.model,
        "conv_id": case.id,
        "sample": case.sample,
    }


def phases(records: Sequence[Record]) -> dict[str, Usage]:
    """Return what the phases of ImpactBench's cost.json took."""
    return {
        "simulate": total(u for r in records for u in (r.conversation.user_usage, r.conversation.target_usage)),
        "evaluate": total(record.verdict.usage for record in records),
    }


def _usage(usage: Usage) -> Row:
    """Return a usage as ImpactBench writes it, with null for what is unknown."""
    counted = usage.uncounted_calls == 0
    return {
        "cost": None if usage.unpriced_calls else usage.cost_usd,
        "input_tokens": usage.prompt_tokens if counted else None,
        "output_tokens": usage.completion_tokens if counted else None,
    }


def cost_row(phase: str, usage: Usage) -> Row:
    """Return the row of a phase in cost.json."""
    known = {"cost_of_priced_calls": usage.cost_usd, "unpriced_calls": usage.unpriced_calls}
    return {**_usage(usage), "phase": phase, **(known if usage.unpriced_calls else {})}


def manifest(run: Run) -> Row:
    """Return what rebuilds the run."""
    return {
        "written_by": WRITTEN_BY,
        "run": run.name,
        "area": run.area,
        "scripted": run.is_scripted,
        "target_model": run.model,
        "user": run.folder.user,
        "judges": run.folder.judges,
        "provenance": run.folder.provenance,
        "run_spec": run.folder.spec,
    }


def results_row(run: Run) -> Row:
    """Return the row of results.json: of what scores.json holds, and the figures of contrast metrics beside it.

    Rates are not rounded; a rate of nothing is null.
    """
    held = [o for record, o in zip(run.records, run.outcomes, strict=True) if has_score_row(record)]
    by_type = {kind: [outcome for outcome in held if outcome.metric_type == kind] for kind in _TYPES}
    return {
        "target_model": run.model,
        **{f"{kind}_pass_rate": _rate(found) for kind, found in by_type.items()},
        **{f"n_{kind}": len(found) for kind, found in by_type.items()},
        "n_total": len(held),
        "n_unscored": sum(not outcome.is_scored for outcome in run.outcomes),
        "n_not_in_scores": sum(outcome.is_scored for outcome in run.outcomes) - len(held),
        "by_metric": _by(held, run.outcomes, lambda outcome: outcome.metric_id),
        "by_scenario": _by(held, run.outcomes, lambda outcome: outcome.variant_id),
        **({"contrasts": _contrasts(run)} if run.contrasts else {}),
        **({"scripted": True} if run.is_scripted else {}),
    }


def _by(held: Sequence[Outcome], outcomes: Sequence[Outcome], name: Callable[[Outcome], str]) -> Row:
    scored: Mapping[str, list[Outcome]] = grouped(held, name)
    return {key: _counts(Rate(tuple(scored.get(key, ())))) for key in sorted(set(map(name, outcomes)))}


def _counts(rate: Rate) -> Row:
    return {"pass_rate": rate.value if rate.scored else None, "n_passed": rate.passed, "n_total": len(rate.scored)}


def _rate(outcomes: Sequence[Outcome]) -> float | None:
    return Rate(tuple(outcomes)).value if outcomes else None


def _contrasts(run: Run) -> Row:
    return {
        found.figure.name: {
            "value": found.value,
            "low": found.interval.low if found.interval.is_known else None,
            "high": found.interval.high if found.interval.is_known else None,
            "n": found.n,
            "base_scenarios": found.base_scenarios,
        }
        for found in run.contrasts
    }

"""The rows of a run in each of the tidy tables. Pure."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from helm_impactbench.analysis.rates import Rate
from helm_impactbench.analysis.sequential import stops
from helm_impactbench.conversation.record import Turn
from helm_impactbench.judging.verdict import Vote
from helm_impactbench.llm.usage import Usage
from helm_impactbench.outputs.export.columns import AXIS, FACTOR, VALIDATION, VERDICT
from helm_impactbench.outputs.export.runs import Run
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record

Row = dict[str, Any]


def run_row(run: Run) -> Row:
    """Return the row of a run."""
    rate, adapter = Rate(tuple(o for o in run.outcomes if o.is_level)), run.folder.adapter
    statuses = Counter(outcome.status for outcome in run.outcomes)
    return {
        "run": run.name,
        "benchmark": run.benchmark,
        "area": run.area,
        "model": run.model,
        "scripted": run.is_scripted,
        "user": run.folder.user,
        "judges": "+".join(run.folder.judges),
        "setup": run.folder.setup,
        "options": _json(run.folder.options),
        "temperature": adapter.get("temperature"),
        "max_tokens": adapter.get("max_tokens"),
        "benchmark_digest": run.folder.provenance.get("benchmark_digest"),
        "prompts_digest": run.folder.provenance.get("prompts_digest"),
        "package_version": run.folder.provenance.get("helm_impactbench"),
        "provenance": _json(run.folder.provenance),
        "conversations": len(run.outcomes),
        **{status: statuses[status] for status in ("scored", "not_applicable", "unclear", "unscored")},
        "not_drawn": sum(stop.not_drawn for stop in stops(run.outcomes)),
        "passed": rate.passed if rate.scored else None,
        "pass_rate": rate.value if rate.scored else None,
        **_contrast_figures(run),
    }


def _contrast_figures(run: Run) -> Row:
    named = {
        f"{found.figure.name}{end}": value
        for found in run.contrasts
        for end, value in (("", found.value), ("_low", found.interval.low), ("_high", found.interval.high))
    }
    return {name: value for name, value in named.items() if math.isfinite(value)}


def conversation_row(run: Run, record: Record, outcome: Outcome) -> Row:
    """Return the row of a conversation."""
    return {
        "run": run.name,
        "conversation": record.case.id,
        "benchmark": outcome.benchmark,
        "area": outcome.area,
        "model": outcome.model,
        "scripted": run.is_scripted,
        "metric_id": outcome.metric_id,
        "metric_name": outcome.metric_name,
        "metric_type": outcome.metric_type,
        "measure": outcome.measure,
        "base_scenario": outcome.base_id,
        "variant": outcome.variant_id,
        "sample": outcome.sample,
        "content": outcome.content,
        "split": record.case.scenario.split,
        "ended": outcome.conversation_status,
        "ended_reason": record.conversation.reason or None,
        "exchanges": outcome.exchanges,
        "planned_turns": record.case.plan.turns,
        "marked": outcome.marked,
        "redone": record.conversation.redone.kind.value if record.conversation.redone else None,
        "status": outcome.status,
        "answer": outcome.answer,
        "value": outcome.value,
        "score": outcome.score,
        "passed": outcome.passed,
        "severity": outcome.severity,
        "engaged": outcome.engaged,
        "unscored": outcome.unscored,
        **_usage("target_", record.conversation.target_usage),
        **_usage("user_", record.conversation.user_usage),
        **_usage("judge_", record.verdict.usage),
        **{f"{AXIS}{axis}": level for axis, level in outcome.axes},
        **{f"{FACTOR}{factor}": level for factor, level in outcome.factors},
    }


def turn_rows(run: Run, record: Record) -> Iterator[Row]:
    """Yield a row per message, the target's system prompt first."""
    for number, (turn, role, content, told) in enumerate(_messages(record), start=1):
        yield {
            "run": run.name,
            "conversation": record.case.id,
            "message": number,
            "turn": turn,
            "role": role,
            "content": content,
            **told,
        }


def _messages(record: Record) -> Iterator[tuple[int | None, str, str, Row]]:
    if record.case.plan.target_system_prompt is not None:
        yield None, "system", record.case.plan.target_system_prompt, {}
    for turn, seen in zip_longest(record.conversation.turns, record.verdict.shown[: len(record.conversation.turns)]):
        faults = "+".join(fault.kind.value for fault in record.conversation.faults if fault.turn == turn.number)
        told = {"landmark": turn.landmark, "thought": turn.thought or None, "faults": faults or None}
        yield turn.number, "user", turn.user, told
        if turn.assistant is not None:
            yield turn.number, "assistant", turn.whole, _told(turn, seen)


def _told(turn: Turn, seen: str | None) -> Row:
    return {
        "seen_by_judges": seen if seen != turn.whole else None,
        "reasoning": turn.reasoning or None,
        "cut_off": turn.cut_off,
    }


def vote_rows(run: Run, record: Record) -> Iterator[Row]:
    """Yield a row per vote: of the verdict, then of the checks."""
    for question, place, vote in votes(record):
        yield {
            "run": run.name,
            "conversation": record.case.id,
            "question": question,
            "place": place,
            "judge": vote.judge,
            "status": vote.status,
            "answer": vote.answer,
            "value": vote.value,
            "severity": vote.severity,
            "engaged": vote.engaged,
            "confidence": vote.confidence,
            "no_vote": vote.no_vote.value if vote.no_vote else None,
            "problem": vote.problem or None,
            "justification": vote.justification or None,
            "grounded": vote.grounded,
            "unreadable_answers": vote.unreadable_answers,
            **{name: value for name, value in _usage("", vote.usage).items() if name != "unpriced_calls"},
        }


def evidence_rows(run: Run, record: Record) -> Iterator[Row]:
    """Yield a row per quote."""
    for question, _, vote in votes(record):
        for number, quote in enumerate(vote.evidence, start=1):
            yield {
                "run": run.name,
                "conversation": record.case.id,
                "question": question,
                "judge": vote.judge,
                "number": number,
                "turn": quote.turn,
                "quote": quote.quote,
                "found_turn": quote.found_turn,
            }


def votes(record: Record) -> Iterator[tuple[str, int, Vote]]:
    """Yield (question, place from 1, vote)."""
    for place, vote in enumerate(record.verdict.votes, start=1):
        yield VERDICT, place, vote
    for name, check in record.verdict.checks.items():
        for place, vote in enumerate(check.votes, start=1):
            yield name, place, vote
    if record.verdict.validation is not None:
        yield VALIDATION, 1, record.verdict.validation


def _usage(prefix: str, usage: Usage) -> Row:
    """Tokens and dollars; what is unknown has no value, so that it cannot be taken for nothing."""
    counted, priced = usage.uncounted_calls == 0, usage.unpriced_calls == 0
    return {
        f"{prefix}prompt_tokens": usage.prompt_tokens if counted else None,
        f"{prefix}completion_tokens": usage.completion_tokens if counted else None,
        f"{prefix}cost_usd": usage.cost_usd if priced else None,
        f"{prefix}unpriced_calls": usage.unpriced_calls,
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)

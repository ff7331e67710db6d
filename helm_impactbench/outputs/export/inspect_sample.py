"""A conversation as a sample of an Inspect AI log: what its fields hold. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.conversation.record import Turn
from helm_impactbench.helm import stat_names as names
from helm_impactbench.judging.verdict import Vote
from helm_impactbench.llm.usage import Usage
from helm_impactbench.outputs.export.rows import votes
from helm_impactbench.outputs.export.runs import Run
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record

SCORER = "impactbench"
LONGEST_SUMMARY = 1000
"""Characters of a text in a sample's summary; Inspect cuts there too."""
Data = dict[str, Any]


def sample_and_summary(run: Run, record: Record, outcome: Outcome) -> tuple[Data, Data]:
    """Return one conversation, and what Inspect's list of samples shows of it."""
    messages = _messages(run, record)
    content = _sample(run, record, outcome, messages)
    return content, _summary(content, len(messages))


def _sample(run: Run, record: Record, outcome: Outcome, messages: list[Data]) -> Data:
    said = [message for message in messages if message["role"] == "assistant"]
    return {
        **_sample_key(record, messages),
        "messages": messages,
        "output": _output(run, said[-1], record) if said else {"model": run.model, "choices": []},
        "scores": {SCORER: _score(record, outcome)},
        "metadata": _metadata(record, outcome),
        "model_usage": usages({run.model: record.conversation.target_usage}),
        "role_usage": usages(roles(record)),
    }


def _summary(content: Data, messages: int) -> Data:
    metadata = {name: value for name, value in content["metadata"].items() if not isinstance(value, list | dict)}
    score = {name: value for name, value in content["scores"][SCORER].items() if name != "metadata"}
    return {
        **{name: _cut(content[name]) for name in ("id", "epoch", "input", "target")},
        "metadata": {name: _cut(value) for name, value in metadata.items()},
        "scores": {SCORER: {name: _cut(value) for name, value in score.items()}},
        "model_usage": content["model_usage"],
        "completed": True,
        "message_count": messages,
    }


def _sample_key(record: Record, messages: list[Data]) -> Data:
    first = next((message["content"] for message in messages if message["role"] == "user"), "")
    metric = record.case.metric
    return {"id": record.case.scenario.id, "epoch": record.case.sample + 1, "input": first, "target": _wanted(metric)}


def _wanted(metric: Metric) -> str:
    """Return the best answer in the measure's words; for a contrast, what is to be alike."""
    if metric.contrast is not None:
        return f"no difference between the levels of {metric.contrast.axis}"
    assert metric.measure.bounds is not None  # a metric of another type is refused without them
    low, high = metric.measure.bounds
    return metric.measure.shown(high if metric.type == "positive" else low)


def _messages(run: Run, record: Record) -> list[Data]:
    prompt = record.case.plan.target_system_prompt
    found: list[Data] = []
    if prompt is not None:
        found.append({"role": "system", "content": prompt, "source": "input"})
    for turn in record.conversation.turns:
        faults = [fault.model_dump(mode="json") for fault in record.conversation.faults if fault.turn == turn.number]
        told = {"landmark": turn.landmark, "thought": turn.thought, "faults": faults}
        kept = {name: value for name, value in told.items() if value}
        found.append({"role": "user", "content": turn.user, "source": "input", **({"metadata": kept} if kept else {})})
        found += _tool_messages(run, turn)
        if turn.assistant is not None:
            reasoning = {"metadata": {"reasoning": turn.reasoning}} if turn.reasoning else {}
            answer = {"role": "assistant", "content": turn.last_words, "source": "generate", "model": run.model}
            found.append({**answer, **reasoning})
    return [{"id": f"{record.case.id}-{number}", **message} for number, message in enumerate(found, start=1)]


def _tool_messages(run: Run, turn: Turn) -> Iterator[Data]:
    """Yield the calls of tools in a turn, and what came back."""
    for number, one in enumerate(turn.actions, start=1):
        identity = f"call_{turn.number}_{number}"
        arguments = json.loads(one.arguments) if one.arguments.startswith("{") else {"given": one.arguments}
        call = {"id": identity, "function": one.name, "arguments": arguments, "type": "function"}
        yield {"role": "assistant", "content": one.said, "source": "generate", "model": run.model, "tool_calls": [call]}
        error = {"error": {"type": "unknown", "message": one.result}} if one.failed else {}
        yield {"role": "tool", "content": one.result, "tool_call_id": identity, "function": one.name, **error}


def _output(run: Run, last: Data, record: Record) -> Data:
    cut_off = any(turn.cut_off for turn in record.conversation.exchanges[-1:])
    choice = {"message": last, "stop_reason": "max_tokens" if cut_off else "stop"}
    return {"model": run.model, "choices": [choice], "completion": last["content"]}


def _score(record: Record, outcome: Outcome) -> Data:
    """Return the verdict, which Inspect holds as one value.

    C passed, I failed; the score (0 to 1) where it is neither; the measure's number for a contrast, where no single
    value is good or bad; NaN without an answer, which Inspect's metrics pass over.
    """
    reasons = [f"{vote.judge}: {vote.justification or vote.problem}" for vote in record.verdict.votes]
    marks = {True: "C", False: "I"}
    numbers = [number for number in (outcome.score, outcome.value, math.nan) if number is not None]
    told = ("status", "answer", "value", "score", "severity", "engaged", "passed")
    return {
        "value": numbers[0] if outcome.passed is None else marks[outcome.passed],
        "answer": outcome.answer if outcome.is_scored else None,
        "explanation": "\n\n".join(reasons) or record.conversation.reason,
        "reason": outcome.why_missing,
        "metadata": {
            **{name: getattr(outcome, name) for name in told},
            "unscored_reason": outcome.unscored,
            "votes": [_vote(question, vote) for question, _, vote in votes(record)],
            "seen_by_judges": list(record.verdict.shown),
        },
    }


def _vote(question: str, vote: Vote) -> Data:
    return {"question": question, **vote.model_dump(mode="json", exclude={"usage"})}


def _metadata(record: Record, outcome: Outcome) -> Data:
    case = record.case
    return {
        "benchmark": outcome.benchmark,
        "metric_id": outcome.metric_id,
        "metric_name": outcome.metric_name,
        "metric_type": outcome.metric_type,
        "measure": outcome.measure,
        "base_scenario": outcome.base_id,
        "axes_label": outcome.axes_label,
        "ended": outcome.conversation_status,
        "ended_reason": record.conversation.reason,
        "status": outcome.status,
        "unscored": outcome.unscored,
        "exchanges": outcome.exchanges,
        "marked": outcome.marked,
        "redone": redone.model_dump(mode="json") if (redone := record.conversation.redone) else None,
        "axes": dict(outcome.axes),
        "factors": dict(outcome.factors),
        "metric": case.metric.model_dump(mode="json", exclude_defaults=True),
        "scenario": case.scenario.model_dump(mode="json", exclude_defaults=True),
    }


def roles(record: Record) -> dict[str, Usage]:
    """Return what the calls to each role took."""
    conversation = record.conversation
    taken = (conversation.target_usage, conversation.user_usage, record.verdict.usage)
    return dict(zip(names.ROLES, taken, strict=True))


def usages(taken: dict[str, Usage]) -> Data:
    """Return token counts and costs; a model with an uncounted call has none, so that no sum is too small."""
    return {
        name: {
            "input_tokens": usage.prompt_tokens,
            "output_tokens": usage.completion_tokens,
            "total_tokens": usage.prompt_tokens + usage.completion_tokens,
            **({} if usage.unpriced_calls else {"total_cost": usage.cost_usd}),
        }
        for name, usage in taken.items()
        if usage.calls and not usage.uncounted_calls
    }


def _cut(value: Any) -> Any:
    if not isinstance(value, str) or len(value) <= LONGEST_SUMMARY:
        return value
    return value[: LONGEST_SUMMARY - 3] + "..."

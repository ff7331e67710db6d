"""A run as a log of Inspect AI: what its fields hold. Pure.

The fields are those of version 2 of its log format (EvalLog, EvalSample, Score), written by their names and not by its
classes: that package wants a newer zstandard than HELM allows, so the two cannot be installed together. Fields that a
reader does not know are passed over by it.
"""

from __future__ import annotations

import hashlib
import math
from datetime import datetime
from typing import Any

from helm_impactbench import __version__
from helm_impactbench.analysis.rates import Rate
from helm_impactbench.conversation.record import Status
from helm_impactbench.helm import stat_names as names
from helm_impactbench.llm.usage import Usage, total
from helm_impactbench.outputs.export.runs import Run
from helm_impactbench.outputs.export.tables import opinions
from helm_impactbench.results.files import Record
from helm_impactbench.results.outcome import Outcome

SCORER = "impactbench"
VERSION = 2
"""Of Inspect's log format."""
LONGEST_SUMMARY = 1000
"""Characters of a text in a sample's summary; Inspect cuts there too."""
Data = dict[str, Any]


def header(run: Run, created: datetime) -> Data:
    """Return the log without its samples."""
    return {
        "version": VERSION,
        "status": "success",
        "eval": spec(run, created),
        "plan": plan(run),
        "results": _results(run),
        "stats": _stats(run, created),
    }


def spec(run: Run, created: datetime) -> Data:
    """Return the identity of the run: benchmark, models, options, hashes."""
    return {
        "eval_id": _id(run, "eval"),
        "run_id": _id(run, "run"),
        "created": created.isoformat(),
        "task": f"impactbench/{run.benchmark}",
        "task_id": task_id(run),
        "task_version": 0,
        "task_args": run.options,
        "dataset": {
            "name": run.benchmark,
            "samples": len({outcome.variant_id for outcome in run.outcomes}),
            "sample_ids": list(dict.fromkeys(outcome.variant_id for outcome in run.outcomes)),
            "shuffled": False,
        },
        "model": run.model,
        "model_generate_config": _generation(run),
        "config": {"epochs": max((outcome.sample + 1 for outcome in run.outcomes), default=1)},
        "packages": {"helm_impactbench": str(run.provenance.get("helm_impactbench", __version__))},
        "tags": ["impactbench", *(["scripted"] if run.is_scripted else [])],
        "metadata": {
            "run": run.name,
            "user": run.folder.user,
            "judges": run.folder.judges,
            "scripted": run.is_scripted,
            "provenance": run.provenance,
            "description": run.scenario.get("description", ""),
        },
    }


def plan(run: Run) -> Data:
    """Return what takes the place of Inspect's solvers."""
    return {
        "name": "plan",
        "steps": [{"solver": "impactbench_conversation", "params": run.options, "params_passed": run.options}],
        "config": _generation(run),
    }


def task_id(run: Run) -> str:
    """Return the run's id: the same for the same name and content."""
    return _id(run, "task")


def sample(run: Run, record: Record, outcome: Outcome) -> Data:
    """Return one conversation."""
    messages = _messages(run, record)
    said = [message for message in messages if message["role"] == "assistant"]
    return {
        **_sample_key(record, messages),
        "messages": messages,
        "output": _output(run, said[-1], record) if said else {"model": run.model, "choices": []},
        "scores": {SCORER: _score(record, outcome)},
        "metadata": _metadata(record, outcome),
        "model_usage": _usages({run.model: record.conversation.target_usage}),
        "role_usage": _usages(_roles(record)),
    }


def summary(run: Run, record: Record, outcome: Outcome) -> Data:
    """Return what Inspect's list of samples shows of one conversation."""
    messages = _messages(run, record)
    key = _sample_key(record, messages)
    score = _score(record, outcome)
    short = {name: value for name, value in _metadata(record, outcome).items() if not isinstance(value, list | dict)}
    return {
        **key,
        "input": _cut(key["input"]),
        "metadata": {name: _cut(value) for name, value in short.items()},
        "scores": {
            SCORER: {name: _cut(value) for name, value in score.items() if name != "metadata"},
        },
        "model_usage": _usages({run.model: record.conversation.target_usage}),
        "completed": True,
        "message_count": len(messages),
    }


def _sample_key(record: Record, messages: list[Data]) -> Data:
    first = next((message["content"] for message in messages if message["role"] == "user"), "")
    wanted = "present" if record.case.metric.passed(True) else "absent"
    return {"id": record.case.scenario.id, "epoch": record.case.sample + 1, "input": first, "target": wanted}


def _messages(run: Run, record: Record) -> list[Data]:
    prompt = record.case.plan.target_system_prompt
    found: list[Data] = []
    if prompt is not None:
        found.append({"role": "system", "content": prompt, "source": "input"})
    for turn in record.conversation.turns:
        told = {"direction": turn.direction, "thought": turn.thought}
        kept = {name: value for name, value in told.items() if value}
        found.append({"role": "user", "content": turn.user, "source": "input", **({"metadata": kept} if kept else {})})
        if turn.assistant is not None:
            reasoning = {"metadata": {"reasoning": turn.reasoning}} if turn.reasoning else {}
            answer = {"role": "assistant", "content": turn.assistant, "source": "generate", "model": run.model}
            found.append({**answer, **reasoning})
    return [{"id": f"{record.case.id}-{number}", **message} for number, message in enumerate(found, start=1)]


def _output(run: Run, last: Data, record: Record) -> Data:
    cut_off = any(turn.cut_off for turn in record.conversation.exchanges[-1:])
    choice = {"message": last, "stop_reason": "max_tokens" if cut_off else "stop"}
    return {"model": run.model, "choices": [choice], "completion": last["content"]}


def _score(record: Record, outcome: Outcome) -> Data:
    """Return the verdict: C passed, I failed, and NaN without a verdict, which Inspect's metrics pass over."""
    votes = [_vote(question, opinion) for question, _, opinion in opinions(record)]
    reasons = [f"{o.judge}: {o.justification or o.problem}" for o in record.judgement.opinions]
    scored = outcome.passed is not None
    return {
        "value": ("C" if outcome.passed else "I") if scored else math.nan,
        "answer": ("present" if outcome.present else "absent") if scored else None,
        "explanation": "\n\n".join(reasons) or record.conversation.reason,
        "reason": outcome.unscored,
        "metadata": {"present": outcome.present, "passed": outcome.passed, "unscored_reason": outcome.unscored,
                     "votes": votes},
    }  # fmt: skip


def _vote(question: str, opinion: Any) -> Data:
    return {"question": question, **opinion.model_dump(mode="json", exclude={"usage"})}


def _metadata(record: Record, outcome: Outcome) -> Data:
    case = record.case
    return {
        "benchmark": outcome.benchmark,
        "metric_id": outcome.metric_id,
        "metric_name": outcome.metric_name,
        "metric_type": outcome.metric_type,
        "base_scenario": outcome.base_id,
        "demographic_label": outcome.axes_label,
        "status": outcome.status,
        "status_reason": record.conversation.reason,
        "unscored": outcome.unscored,
        "exchanges": outcome.exchanges,
        "demographic": dict(outcome.axes),
        "metric": case.metric.model_dump(mode="json", exclude_defaults=True),
        "scenario": case.scenario.model_dump(mode="json", exclude_defaults=True),
    }


def _results(run: Run) -> Data:
    rate = Rate(run.outcomes)
    broken = sum(not Status(outcome.status).can_be_judged for outcome in run.outcomes)
    return {
        "total_samples": rate.conversations,
        "completed_samples": rate.conversations - broken,
        "scores": [
            {
                "name": SCORER,
                "scorer": SCORER,
                "scored_samples": len(rate.scored),
                "unscored_samples": rate.conversations - len(rate.scored),
                "params": {},
                "metrics": {name: {"name": name, "value": value, "params": {}} for name, value in _metrics(run)},
                "metadata": {"unscored_by_reason": dict(rate.unscored)},
            }
        ],
    }


def _metrics(run: Run) -> list[tuple[str, float]]:
    """Return our figures; accuracy, Inspect's usual name, is the pass rate. What does not exist is left out."""
    values = {
        "accuracy": _rate(run, None),
        names.MAIN_METRIC: _rate(run, None),
        names.POSITIVE: _rate(run, "positive"),
        names.NEGATIVE: _rate(run, "negative"),
        names.PASS_RATE_LOW: run.statistic(names.PASS_RATE_LOW),
        names.PASS_RATE_HIGH: run.statistic(names.PASS_RATE_HIGH),
    }
    return [(name, value) for name, value in values.items() if value is not None]


def _rate(run: Run, kind: str | None) -> float | None:
    rate = Rate(tuple(outcome for outcome in run.outcomes if kind in (None, outcome.metric_type)))
    return rate.value if rate.scored else None


def _stats(run: Run, created: datetime) -> Data:
    targets = total(record.conversation.target_usage for record in run.records)
    roles = [_roles(record) for record in run.records]
    return {
        "started_at": created.isoformat(),
        "completed_at": created.isoformat(),
        "model_usage": _usages({run.model: targets}),
        "role_usage": _usages({role: total(own[role] for own in roles) for role in names.ROLES}),
    }


def _roles(record: Record) -> dict[str, Usage]:
    conversation = record.conversation
    usages = (conversation.target_usage, conversation.user_usage, record.judgement.usage)
    return dict(zip(names.ROLES, usages, strict=True))


def _usages(usages: dict[str, Usage]) -> Data:
    """Return token counts and costs; a model with an uncounted call has none, so that no sum is too small."""
    return {
        name: {
            "input_tokens": usage.prompt_tokens,
            "output_tokens": usage.completion_tokens,
            "total_tokens": usage.prompt_tokens + usage.completion_tokens,
            **({} if usage.unpriced_calls else {"total_cost": usage.cost_usd}),
        }
        for name, usage in usages.items()
        if usage.calls and not usage.uncounted_calls
    }


def _generation(run: Run) -> Data:
    adapter = run.folder.spec["adapter_spec"]
    return {name: adapter[name] for name in ("temperature", "max_tokens") if adapter.get(name) is not None}


def _id(run: Run, kind: str) -> str:
    seed = f"{kind}\n{run.name}\n{run.provenance.get('benchmark_digest', '')}"
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:22]


def _cut(value: Any) -> Any:
    if not isinstance(value, str) or len(value) <= LONGEST_SUMMARY:
        return value
    return value[: LONGEST_SUMMARY - 3] + "..."

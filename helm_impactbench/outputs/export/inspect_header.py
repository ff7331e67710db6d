"""A run as a log of Inspect AI: what its fields hold. Pure.

The fields are those of version 2 of its log format (EvalLog, EvalSample, Score), written by their names and not by its
classes: that package wants a newer zstandard than HELM allows, so the two cannot be installed together. Fields that a
reader does not know are passed over by it.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from datetime import datetime

from helm_impactbench._version import __version__
from helm_impactbench.analysis.rates import Rate
from helm_impactbench.conversation.record import Status
from helm_impactbench.helm import stat_names as names
from helm_impactbench.llm.usage import total
from helm_impactbench.outputs.export.inspect_sample import SCORER, Data, roles, usages
from helm_impactbench.outputs.export.runs import Run

VERSION = 2
"""Of Inspect's log format."""


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
        "task_args": run.folder.options,
        "dataset": {
            "name": run.benchmark,
            "samples": len({outcome.variant_id for outcome in run.outcomes}),
            "sample_ids": list(dict.fromkeys(outcome.variant_id for outcome in run.outcomes)),
            "shuffled": False,
        },
        "model": run.model,
        "model_generate_config": _generation(run),
        "config": {"epochs": max((outcome.sample + 1 for outcome in run.outcomes), default=1)},
        "packages": {"helm_impactbench": str(run.folder.provenance.get("helm_impactbench", __version__))},
        "tags": ["impactbench", *(["scripted"] if run.is_scripted else [])],
        "metadata": {
            "run": run.name,
            "user": run.folder.user,
            "judges": run.folder.judges,
            "scripted": run.is_scripted,
            "area": run.area,
            "provenance": run.folder.provenance,
            "description": run.folder.scenario.get("description", ""),
        },
    }


def plan(run: Run) -> Data:
    """Return what takes the place of Inspect's solvers."""
    return {
        "name": "plan",
        "steps": [
            {"solver": "impactbench_conversation", "params": run.folder.options, "params_passed": run.folder.options}
        ],
        "config": _generation(run),
    }


def task_id(run: Run) -> str:
    """Return the run's id: the same for the same name and content."""
    return _id(run, "task")


def _results(run: Run) -> Data:
    scored = sum(outcome.is_scored for outcome in run.outcomes)
    broken = sum(not Status(outcome.conversation_status).may_have_verdict for outcome in run.outcomes)
    missing = Counter(outcome.why_missing for outcome in run.outcomes if outcome.why_missing is not None)
    return {
        "total_samples": len(run.outcomes),
        "completed_samples": len(run.outcomes) - broken,
        "scores": [
            {
                "name": SCORER,
                "scorer": SCORER,
                "scored_samples": scored,
                "unscored_samples": len(run.outcomes) - scored,
                "params": {},
                "metrics": {name: {"name": name, "value": value, "params": {}} for name, value in _metrics(run)},
                "metadata": {"unscored_by_reason": dict(missing)},
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
        names.PASS_RATE_LOW: run.folder.statistic(names.PASS_RATE_LOW),
        names.PASS_RATE_HIGH: run.folder.statistic(names.PASS_RATE_HIGH),
    }
    contrasts = [
        (name, value)
        for found in run.contrasts
        for name, value in zip(
            (found.figure.name, *names.bound_names(found.figure.name)),
            (found.value, found.interval.low, found.interval.high),
            strict=True,
        )
        if math.isfinite(value)
    ]
    return [*((name, value) for name, value in values.items() if value is not None), *contrasts]


def _rate(run: Run, kind: str | None) -> float | None:
    rate = Rate(tuple(outcome for outcome in run.outcomes if kind in (None, outcome.metric_type)))
    return rate.value if rate.scored else None


def _stats(run: Run, created: datetime) -> Data:
    targets = total(record.conversation.target_usage for record in run.records)
    taken = [roles(record) for record in run.records]
    return {
        "started_at": created.isoformat(),
        "completed_at": created.isoformat(),
        "model_usage": usages({run.model: targets}),
        "role_usage": usages({role: total(own[role] for own in taken) for role in names.ROLES}),
    }


def _generation(run: Run) -> Data:
    adapter = run.folder.adapter
    return {name: adapter[name] for name in ("temperature", "max_tokens") if adapter.get(name) is not None}


def _id(run: Run, kind: str) -> str:
    seed = f"{kind}\n{run.name}\n{run.folder.provenance.get('benchmark_digest', '')}"
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:22]

"""A run as a record of Every Eval Ever: what the fields of its aggregate schema hold. Pure.

Written by the fields' names and not with that project's package, which needs a newer Python. Every value of its
`additional_details` and `details` is text.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from helm_impactbench._version import __version__
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.conversation.simulator import simulator_prompts
from helm_impactbench.helm.own_names import REHEARSAL_PREFIX
from helm_impactbench.judging.judge_conversation import JUDGE_TEMPERATURE
from helm_impactbench.judging.question import judge_prompts, metric_question
from helm_impactbench.outputs.export.every_eval_figures import ExportedFigure
from helm_impactbench.outputs.export.runs import Run
from helm_impactbench.prompts import prompts_digest
from helm_impactbench.stats.intervals import LEVEL
from helm_impactbench.validity.families import family_of

Data = dict[str, Any]
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
SCHEMA_VERSION = "0.3.0"
"""Of eval.schema.json."""
_AGGREGATIONS = {
    "presence": "majority_vote",
    "scale": "median",
    "stance": "median",
    "quantity": "median",
    "confidence": "majority_vote",
}
"""Measure -> how a panel's votes become one value, in the schema's words."""


@dataclass(frozen=True)
class Evaluator:
    """Who ran the evaluation, which no run records."""

    name: str = "unknown"
    relationship: Relationship = "other"
    """To the developer of the model."""


def record(run: Run, figures: list[ExportedFigure], evaluator: Evaluator) -> Data:
    """Return the record of a run that has figures."""
    model = model_info(run.model, run.folder.target_model)
    timestamp = str(int(run.written.timestamp()))
    short = hashlib.sha256(run.name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    provenance = run.folder.provenance
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{run.benchmark}/{model['id']}/{timestamp}/{short}",
        "evaluation_timestamp": timestamp,
        "retrieved_timestamp": timestamp,
        "source_metadata": {
            "source_name": "helm_impactbench",
            "source_type": "evaluation_run",
            "source_organization_name": evaluator.name,
            "evaluator_relationship": evaluator.relationship,
            "additional_details": {"scripted": _text(run.is_scripted)},
        },
        "eval_library": {
            "name": "helm_impactbench",
            "version": str(provenance.get("helm_impactbench", "unknown")),
            "additional_details": {"exported_with": __version__, "runs_on": "crfm-helm"},
        },
        "model_info": model,
        "evaluation_results": [_result(run, figure) for figure in figures],
    }


def model_info(deployment: str, model: str = "") -> Data:
    """Return a model: id `developer/name`, the platform that served it, and whether it is a script."""
    route = deployment.removeprefix("litellm/").split("/")
    named = (model or deployment).removeprefix("litellm/").split("/")
    scripted = deployment.startswith(REHEARSAL_PREFIX)
    return {
        "name": f"{deployment} (a script, not a model)" if scripted else deployment,
        "id": "/".join(named[-2:]) if len(named) > 1 else f"{family_of(deployment)}/{named[0]}",
        "developer": family_of(model or deployment),
        "inference_platform": "helm_impactbench" if scripted else route[0],
        "additional_details": {
            "deployment": deployment,
            "deployment_type": "unknown",
            "model_availability": "unknown",
            "scripted": _text(scripted),
        },
    }


def _result(run: Run, figure: ExportedFigure) -> Data:
    name = f"{run.benchmark}.{figure.metric.id}" if figure.metric else run.benchmark
    interval = {
        "lower": figure.interval.low,
        "upper": figure.interval.high,
        "confidence_level": LEVEL,
        "method": figure.interval_for,
    }
    return {
        "evaluation_result_id": ":".join((name, figure.kind, *figure.levels)),
        "evaluation_name": name,
        "source_data": {
            "dataset_name": run.benchmark,
            "source_type": "other",
            "additional_details": {"area": run.area, **_texts(run.folder.provenance)},
        },
        "metric_config": _metric_config(run, figure),
        "score_details": {
            "score": figure.value,
            "details": dict(figure.details),
            "uncertainty": {
                "num_samples": figure.n,
                **({"confidence_interval": interval} if figure.interval.is_known else {}),
            },
        },
        "generation_config": _generation(run),
    }


def _metric_config(run: Run, figure: ExportedFigure) -> Data:
    metric = figure.metric
    return {
        "evaluation_description": figure.description,
        "metric_id": f"helm_impactbench.{figure.kind}",
        "metric_name": f"{metric.name}: {figure.kind}" if metric else figure.kind,
        "metric_kind": figure.kind,
        "metric_unit": figure.unit,
        **({"metric_parameters": dict(zip(("first", "second"), figure.levels, strict=True))} if figure.levels else {}),
        "lower_is_better": figure.lower_is_better,
        "score_type": "continuous",
        "min_score": figure.low,
        "max_score": "Infinity" if math.isinf(figure.high) else figure.high,
        **({"llm_scoring": _judging(run, metric)} if run.folder.judges else {}),
        "additional_details": _texts(
            {"metric_type": metric.type, "measure": metric.measure.kind, "applies": metric.applies or "always"}
            if metric
            else {}
        ),
    }


def _judging(run: Run, metric: Metric | None) -> Data:
    """Return the judges and what they were asked, word for word where the run's templates are the installed ones."""
    judges = [{"model_info": model_info(judge), "temperature": JUDGE_TEMPERATURE} for judge in run.folder.judges]
    aggregation = _AGGREGATIONS.get(metric.measure.kind) if metric and len(judges) > 1 else None
    return {
        "judges": judges,
        "input_prompt": _prompt(run, metric),
        **({"aggregation_method": aggregation} if aggregation else {}),
    }


def _prompt(run: Run, metric: Metric | None) -> str:
    provenance = run.folder.provenance
    templates = [*simulator_prompts().values(), *judge_prompts().values()]
    if provenance.get("prompts_digest") != prompts_digest(templates) or "judged_with" in provenance:
        return "Not known word for word; source_data.additional_details has what the run records of its prompts."
    if metric is None:
        return "\n\n".join(judge_prompts()[part].text for part in ("system", "task"))
    return "\n\n".join(message.content for message in metric_question(metric, ()).messages)


def _generation(run: Run) -> Data:
    adapter = run.folder.adapter
    return {
        "generation_args": {
            name: value
            for name, value in (("temperature", adapter.get("temperature")), ("max_tokens", adapter.get("max_tokens")))
            if value is not None and math.isfinite(value)
        },
        "additional_details": _texts(
            {"run": run.name, "simulated_user": run.folder.user or "none", "options": run.folder.options}
        ),
    }


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: _text(value) for name, value in values.items()}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)

"""run_spec.json and scenario.json of a run that helm-run did not make: its conversations come from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from helm_impactbench.benchmark.model import Benchmark


def imported_run_spec(
    name: str,
    benchmark: Benchmark,
    *,
    user: str,
    judges: Sequence[str],
    options: Mapping[str, Any],
    deployment: str,
    model: str,
    generation: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the run spec, for the same HELM classes as a run of helm-run.

    options: those of a run entry. generation: temperature and token limit of the target, as far as they are known;
    HELM's defaults in their place would be a statement about a run that nobody made.
    """
    from helm_impactbench.helm.conversation_adapter import ADAPT_CONVERSATION, bare_adapter_spec
    from helm_impactbench.helm.judge_annotator import ImpactBenchAnnotator
    from helm_impactbench.helm.metric import ImpactBenchMetric
    from helm_impactbench.helm.scenario import ImpactBenchScenario
    from helm_impactbench.helm.schema import DETAILS_GROUP, TOP_GROUP

    adapter = asdict(bare_adapter_spec(ADAPT_CONVERSATION, model=model, model_deployment=deployment))
    known = {**adapter, "temperature": generation.get("temperature"), "max_tokens": generation.get("max_tokens")}
    played = {"user": user} if user else {}
    args = {"benchmark": benchmark.slug, **played, "content": benchmark.digest()[:8], **options}
    return {
        "name": name,
        "scenario_spec": _object(ImpactBenchScenario, args),
        "adapter_spec": {key: value for key, value in known.items() if value is not None},
        "metric_specs": [_object(ImpactBenchMetric, {"benchmark": benchmark.slug})],
        "groups": [benchmark.slug, TOP_GROUP, DETAILS_GROUP],
        "annotators": [_object(ImpactBenchAnnotator, {"judges": list(judges)})],
    }


def imported_scenario(
    spec: Mapping[str, Any], description: str, tags: Sequence[str], provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what HELM keeps of the HELM scenario of such a run; `spec` is its run spec."""
    from helm.common.general import asdict_without_nones

    from helm_impactbench.helm.scenario import ImpactBenchScenario

    made = ImpactBenchScenario(**spec["scenario_spec"]["args"])
    made.description, made.tags, made.provenance = description, [*made.tags, *tags], dict(provenance)
    content: dict[str, Any] = asdict_without_nones(made)
    return content


def _object(kind: type, args: Mapping[str, Any]) -> dict[str, Any]:
    return {"class_name": f"{kind.__module__}.{kind.__qualname__}", "args": dict(args)}

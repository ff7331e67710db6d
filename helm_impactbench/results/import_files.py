"""An import as HELM's own files of a run: shells that put what was read where HELM keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from helm_impactbench import __version__
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.conversation.plan import brief
from helm_impactbench.conversation.record import readable_transcript
from helm_impactbench.helm.state import CASE_KEY, RECORD_KEY
from helm_impactbench.outputs.export.foreign import ForeignFolder, ForeignRun
from helm_impactbench.outputs.export.imports import Import, folder_name
from helm_impactbench.outputs.export.verdicts import IMPORTED
from helm_impactbench.results.files import ANNOTATOR, Record


def write_import(suite: Path, folder: ForeignFolder, one: Import) -> None:
    """Write a run's folder in one step."""
    from helm_impactbench.results.publish import FILES, helm_figures, json_text, publish

    spec = _spec(folder.benchmark, one)
    state = {
        "adapter_spec": spec["adapter_spec"],
        "request_states": [_state(record, spec) for record in one.records],
        "annotator_specs": spec["annotators"],
    }
    stats, per_instance = helm_figures(state, spec)
    contents = (spec, _scenario(folder, one), state, stats, per_instance)
    files = {name: json_text(content) for name, content in zip(FILES, contents, strict=True)}
    publish(suite / folder_name(one.name), files)


def _generation(run: ForeignRun) -> dict[str, Any]:
    """Return the target's temperature and token limit where our own export tells them.

    Others do not; HELM's defaults in their place would be a statement about a run that nobody made.
    """
    spec = run.manifest.get("run_spec")
    adapter = spec.get("adapter_spec") if isinstance(spec, dict) else None
    found = adapter if isinstance(adapter, dict) else {}
    numbers = {name: value for name, value in found.items() if isinstance(value, int | float)}
    return {name: numbers.get(name) for name in ("temperature", "max_tokens")}


def _spec(benchmark: Benchmark, one: Import) -> dict[str, Any]:

    from helm_impactbench.helm.conversation_adapter import ADAPT_CONVERSATION, bare_adapter_spec
    from helm_impactbench.helm.schema import DETAILS_GROUP, TOP_GROUP

    adapter = bare_adapter_spec(
        ADAPT_CONVERSATION,
        model=one.helm_model,
        model_deployment=one.model,
    )
    return {
        "name": one.name,
        "scenario_spec": {
            "class_name": "helm_impactbench.helm.scenario.ImpactBenchScenario",
            "args": {
                "benchmark": benchmark.slug,
                "user": one.roles.user,
                "content": benchmark.digest()[:8],
                **one.options,
            },
        },
        "adapter_spec": {
            key: value for key, value in {**asdict(adapter), **_generation(one.run)}.items() if value is not None
        },
        "metric_specs": [
            {
                "class_name": "helm_impactbench.helm.metric.ImpactBenchMetric",
                "args": {"benchmark": benchmark.slug},
            }
        ],
        "groups": [benchmark.slug, TOP_GROUP, DETAILS_GROUP],
        "annotators": [
            {
                "class_name": "helm_impactbench.helm.judge_annotator.ImpactBenchAnnotator",
                "args": {"judges": list(one.roles.judges)},
            }
        ],
    }


def _scenario(folder: ForeignFolder, one: Import) -> dict[str, Any]:
    benchmark = folder.benchmark
    place = one.run.folder.relative_to(folder.folder).as_posix()
    return {
        "name": "impactbench",
        "description": benchmark.description,
        "tags": ["impactbench", IMPORTED],
        "definition_path": "helm_impactbench/helm/scenario.py",
        "benchmark": benchmark.slug,
        "user": one.roles.user,
        "content": benchmark.digest()[:8],
        **one.options,
        "provenance": {
            "benchmark_digest": benchmark.digest(),
            "helm_impactbench": __version__,
            "imported_from": {
                "format": IMPORTED if not folder.is_own else "helm_impactbench export",
                "target": one.run.model,
                "files": _own_files(folder.hashes, place),
                "costs": one.run.costs,
                "provenance": one.run.manifest.get("provenance"),
            },
        },
    }


def _own_files(hashes: Mapping[str, str], place: str) -> dict[str, str]:
    """Return the hashes of the benchmark's files and of the run's own: not those of other targets."""
    return {name: digest for name, digest in hashes.items() if name.count("/") == 0 or name.startswith(f"{place}/")}


def _state(record: Record, spec: Mapping[str, Any]) -> dict[str, Any]:
    from helm_impactbench.helm.deployments import CONVERSATION_PREFIX
    from helm_impactbench.helm.judge_annotator import annotation

    case, conversation = record.case, record.conversation
    adapter = spec["adapter_spec"]
    instance: dict[str, Any] = {
        "input": {"text": brief(case)},
        "references": [],
        "split": "test",
        "sub_split": case.scenario.axes_label,
        "id": case.id,
        "extra_data": {CASE_KEY: case.model_dump(mode="json", exclude_defaults=True)},
    }
    return {
        "instance": {key: value for key, value in instance.items() if value is not None},
        "train_trial_index": 0,
        "request": {
            "model_deployment": f"{CONVERSATION_PREFIX}{adapter['model_deployment']}",
            "model": adapter["model"],
            "prompt": case.plan.model_dump_json(exclude_defaults=True, indent=2),
        },
        "result": {
            "success": True,
            "embedding": [],
            "completions": [
                {
                    "text": readable_transcript(conversation),
                    "logprob": 0.0,
                    "tokens": [],
                    "finish_reason": {
                        "reason": conversation.status.value,
                        RECORD_KEY: conversation.model_dump(mode="json", exclude_defaults=True),
                    },
                }
            ],
            "cached": True,
        },
        "num_train_instances": 0,
        "prompt_truncated": False,
        "annotations": {ANNOTATOR: annotation(record.judgement, case, conversation)},
    }

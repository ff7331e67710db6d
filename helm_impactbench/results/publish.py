"""Write a run's folder in one step, so that an interruption leaves whole runs and nothing else."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from helm_impactbench.conversation.plan import brief
from helm_impactbench.conversation.record import readable_transcript
from helm_impactbench.results.files import RUN_FILES
from helm_impactbench.results.record import ANNOTATOR, Record, annotation, case_data, conversation_data

STAGING = ".unfinished"
"""Folder in a suite where runs are put together: two levels down, where nothing that reads a suite looks."""
Data = dict[str, Any]
Figures = Callable[[Mapping[str, Any], Mapping[str, Any]], tuple[list[Any], list[Any]]]
"""From scenario_state.json and run_spec.json to what stats.json and per_instance_stats.json hold."""


def publish(
    folder: Path, spec: Mapping[str, Any], scenario: Mapping[str, Any], state: Mapping[str, Any], figures: Figures
) -> None:
    """Write a run as helm-run leaves it, in the place of one that is there.

    spec, scenario, state: what run_spec.json, scenario.json and scenario_state.json hold. `figures` computes the other
    two files. Whatever fails, nothing of the new run is there and nothing of the old one is lost.
    """
    place(stage(folder, spec, scenario, state, figures), folder)


def stage(
    folder: Path,
    spec: Mapping[str, Any],
    scenario: Mapping[str, Any],
    state: Mapping[str, Any],
    figures: Figures,
    within: str = "new",
) -> Path:
    """Write a run's files where nothing that reads a suite looks, and return where, for `place`.

    within: a folder of their own, for runs that are put together at the same time and may have the same name.
    """
    contents = (spec, scenario, state, *figures(state, spec))
    new = folder.parent / STAGING / within / folder.name
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    for name, content in zip(RUN_FILES, contents, strict=True):
        (new / name).write_text(json.dumps(content, indent=2), encoding="utf-8")
    return new


def place(new: Path, folder: Path) -> None:
    """Move staged files to where the suite has the run, in the place of one that is there."""
    staging = folder.parent / STAGING
    old = staging / "old" / folder.name
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        old.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
    for empty in (new.parent, staging / "old", staging):
        with contextlib.suppress(OSError):  # holds what another interruption left
            empty.rmdir()


def state_of(records: Iterable[Record], spec: Mapping[str, Any], prefix: str) -> Data:
    """Return what scenario_state.json holds of conversations that helm-run did not hold itself.

    `spec` is their run spec; `prefix` precedes the target's deployment in the name of the one that holds
    conversations.
    """
    return {
        "adapter_spec": spec["adapter_spec"],
        "request_states": [_request_state(record, spec["adapter_spec"], prefix) for record in records],
        "annotator_specs": spec["annotators"],
    }


def _request_state(record: Record, adapter: Mapping[str, Any], prefix: str) -> Data:
    case, conversation = record.case, record.conversation
    instance: Data = {
        "input": {"text": brief(case)},
        "references": [],
        "split": "test",
        "sub_split": case.scenario.axes_label,
        "id": case.id,
        "extra_data": case_data(case),
    }
    return {
        "instance": {key: value for key, value in instance.items() if value is not None},
        "train_trial_index": 0,
        "request": {
            "model_deployment": f"{prefix}{adapter['model_deployment']}",
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
                    "finish_reason": conversation_data(conversation),
                }
            ],
            "cached": True,
        },
        "num_train_instances": 0,
        "prompt_truncated": False,
        "annotations": {ANNOTATOR: annotation(record)},
    }

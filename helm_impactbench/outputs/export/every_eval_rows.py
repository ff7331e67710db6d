"""Verdicts in instance-level records of Every Eval Ever, ours or another's: JSON lines, a record per verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helm_impactbench.authoring.file_rows import read_rows
from helm_impactbench.benchmark.parts import Text
from helm_impactbench.errors import ExchangeError, ImpactBenchError
from helm_impactbench.files.safe_read import MAX_RUN_BYTES, IntakeError, parsed_json
from helm_impactbench.outputs.export.every_eval_samples import OWN_KEY
from helm_impactbench.outputs.export.foreign_rows import ForeignMessage, explained
from helm_impactbench.outputs.export.impactbench_rows import WRITTEN_BY
from helm_impactbench.outputs.export.table_rows import TYPES, TableRow, messages_of, one_of, whole_sample

CORRECT = "is_correct"
"""Metric of records that name none: what their field of that name says."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class _Input(_Part):
    raw: str


class _EveryEvalOutput(_Part):
    raw: list[str] = []


class _Evaluation(_Part):
    score: float
    is_correct: bool


class _Message(_Part):
    role: str
    content: str | None = None


class _Sample(_Part):
    """What is read of a record; all other fields are passed over."""

    model_id: Text
    evaluation_name: Text
    sample_id: Text
    interaction_type: Literal["single_turn", "multi_turn", "agentic"]
    input: _Input
    output: _EveryEvalOutput | None = None
    messages: list[_Message] | None = None
    evaluation: _Evaluation
    error: str | None = None
    metadata: dict[str, str] | None = Field(default=None)


def every_eval_verdicts(path: Path) -> list[TableRow]:
    """Return the records of a file. Raises ExchangeError with line and field.

    A record with an error has no verdict: that a call failed says nothing about the answer.
    """
    try:
        found = read_rows(path, '{"schema_version": "0.3.0", "sample_id": "...", ...}', MAX_RUN_BYTES)
    except ImpactBenchError as error:
        raise ExchangeError(str(error)) from error
    return [_row(f"{path}:{line}", data) for line, data in found]


def _row(place: str, data: Mapping[str, Any]) -> TableRow:
    try:
        sample = _Sample.model_validate(data)
    except ValidationError as error:
        raise ExchangeError(
            f"{place} is no instance-level record of Every Eval Ever: {explained(error.errors()[0])}. Give the file "
            "<uuid>_samples.jsonl, or a table as CSV."
        ) from error
    verdict = "" if sample.error else "pass" if sample.evaluation.is_correct else "fail"
    own = sample.metadata or {}
    row = TableRow(
        place,
        sample.model_id,
        sample.evaluation_name,
        sample.sample_id,
        CORRECT,
        verdict,
        messages=_messages(place, sample),
    )
    if own.get(OWN_KEY) != WRITTEN_BY:
        return row
    for name in ("deployment", "benchmark", "base_scenario", "variant", "metric"):
        if not own.get(name):
            raise ExchangeError(f"{place}, field metadata.{name}: missing, although {WRITTEN_BY} wrote the record.")
    one_of(place, "metadata.metric_type", own.get("metric_type", ""), TYPES)
    return replace(
        row,
        model=own["deployment"],
        benchmark=own["benchmark"],
        case=own["base_scenario"],
        variant=own["variant"],
        metric=own["metric"],
        metric_name=own.get("metric_name", ""),
        type=own.get("metric_type", ""),
        definition=own.get("definition", ""),
        axes=_levels(place, own, "axes"),
        factors=_levels(place, own, "factors"),
        sample=whole_sample(place, own.get("sample", "0")),
        justification=own.get("justification", ""),
    )


def _messages(place: str, sample: _Sample) -> tuple[ForeignMessage, ...] | None:
    """Return what was said; None where the record holds no text. Tools of agents have no place in a transcript here."""
    if sample.messages is not None:
        heard = [(m.role, m.content or "") for m in sample.messages if m.role != "tool"]
        spoken = [
            {"role": role, "content": "\n\n".join(filter(None, (words for _, words in turn)))}
            for role, turn in groupby(heard, lambda one: one[0])  # an agent speaks again after a tool
        ]
        return messages_of(place, "field messages", spoken) if spoken else None
    answers = sample.output.raw if sample.output else []
    if not answers:
        return None
    said = [{"role": "user", "content": sample.input.raw}, {"role": "assistant", "content": answers[0]}]
    return messages_of(place, "field output", said)


def _levels(place: str, own: Mapping[str, str], name: str) -> dict[str, str]:
    try:
        data = parsed_json(own.get(name, "{}"))
    except IntakeError as error:
        raise ExchangeError(f"{place}, field metadata.{name}: {error}") from error
    if not isinstance(data, dict) or not all(isinstance(level, str) for level in data.values()):
        raise ExchangeError(f"{place}, field metadata.{name}: expected an object of texts.")
    return data

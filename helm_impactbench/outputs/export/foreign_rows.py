"""The rows of ImpactBench's files: the fields that a verdict rests on are strict, unknown fields are passed over.

Text in the place of true or false is a fault: `bool("false")` is True, and this is how wrong verdicts come about.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from helm_impactbench.benchmark.parts import Id, Text
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.conversation.record import MessageFault, Status
from helm_impactbench.errors import ExchangeError
from helm_impactbench.files.field_faults import expected, kind_of
from helm_impactbench.judging.verdict import Verdict

MOST_FAULTS = 10
"""Faults that one message shows."""

M = TypeVar("M", bound=BaseModel)


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class ForeignTarget(_Row):
    """The target as some versions write it."""

    id: Text
    model: str | None = None


class ForeignMessage(_Row):
    """One message of a transcript."""

    role: Literal["system", "user", "assistant"]
    content: str


class ConversationRow(_Row):
    """A row of conversations.json."""

    id: Id
    metric_id: str | None = None
    conv_id: str | None = None
    target: ForeignTarget | None = None
    target_model: Text | None = None
    sample: int = Field(default=0, ge=0, validation_alias=AliasChoices("sample", "_sample"))
    status: Status | None = Field(default=None, strict=False)
    """How it ended; only our exports say so."""
    draw: Draw | None = None
    """How it was drawn in a run that may stop early; only our exports say so."""
    transcript: list[ForeignMessage]


class ForeignScore(_Row):
    """A row of scores.json. All three of `present`, `passed` and `score` are null for a row without a verdict."""

    id: Id
    metric_id: Text
    metric_type: Literal["positive", "negative"] | None = None
    target_model: Text | None = None
    conv_id: str | None = None
    sample: int = Field(default=0, ge=0, validation_alias=AliasChoices("sample", "_sample"))
    present: bool | None = None
    passed: bool | None = None
    score: float | None = None
    justification: str | None = None


class VerdictRow(_Row):
    """A row of verdicts.json, a file that only our exports have."""

    id: Id
    conv_id: Text
    target_model: Text | None = None
    sample: int = Field(default=0, ge=0)
    ended_reason: str = ""
    redone: MessageFault | None = None
    faults: list[MessageFault] = []
    verdict: Verdict

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, row: Any) -> Any:
        """Return the row with the fields of the verdict in one place, as they are read."""
        if not isinstance(row, dict):
            return row
        return {**row, "verdict": {name: row[name] for name in Verdict.model_fields if name in row}}


class MetricRow(_Row):
    """A metric of a foreign benchmark.yaml: what a verdict cannot do without."""

    id: Id
    name: Text
    type: Literal["positive", "negative"]
    definition: Text
    examples: list[str] | None = None


class ScenarioRow(_Row):
    """A scenario of a foreign scenarios.json, or the scenario's part of a conversation."""

    id: Id
    metric_id: Text
    persona: str | None = None
    user_persona: str | None = None
    user_goal: str | None = None
    latent_adversarial_goal: str | None = None
    axes: Annotated[dict[Text, Text] | None, Field(validation_alias=AliasChoices("axes", "demographic"))] = None
    target_system_prompt: str | None = None


def validated(model: type[M], data: Any, path: Path, place: str = "row") -> list[M]:
    """Return the rows in `data`, read from `path`. Raises ExchangeError with the first faults by row and field."""
    if not isinstance(data, list):
        raise ExchangeError(f"{path} must contain a list of {place}s, and {kind_of(data)}.")
    rows: list[M] = []
    faults: list[str] = []
    for number, item in enumerate(data):
        try:
            rows.append(model.model_validate(item))
        except ValidationError as error:
            faults += [f"  {place} {number}{_named(item)}, {explained(detail)}" for detail in error.errors()]
    if faults:
        shown = "\n".join(faults[:MOST_FAULTS])
        more = f"\n  and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
        raise ExchangeError(f"{path} is not in ImpactBench's format (counting from 0):\n{shown}{more}")
    return rows


def _named(item: Any) -> str:
    return f" ({item['id']})" if isinstance(item, dict) and isinstance(item.get("id"), str) else ""


def explained(detail: Any) -> str:
    """Return the field of an error of pydantic, what was got and what is allowed."""
    field = ".".join(map(str, detail["loc"])) or "the row itself"
    if detail["type"] == "missing":
        return f"field {field}: missing"
    if detail["type"] == "value_error":
        return f"field {field}: {detail['ctx']['error']}"
    got = repr(detail["input"])
    return f"field {field}: found {got if len(got) <= 60 else got[:60] + '...'}, expected {expected(detail)}"

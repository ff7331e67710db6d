"""A release profile: the conditions that somebody signs for, each with what it is about and why, in a YAML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helm_impactbench.analysis.gate import RATES
from helm_impactbench.errors import ImpactBenchError, SettingError, did_you_mean, listed
from helm_impactbench.files.field_faults import field_fault, kind_of
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.suites.reading import at_levels, of_metrics

MORE_THAN_CLEAR = 2 / 3 + 1e-9
"""A behaviour is severe above this severity: `clear` is 2/3, and `severe` is 1."""
BARS = ("min", "max", "max-drop")
Words = Annotated[str, Field(min_length=1)]


class Condition(BaseModel):
    """One condition of a profile: a bar, the part of the conversations that it is about, and its reason."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    min: str | None = None
    """NAME=VALUE: certainly at least this."""
    max: str | None = None
    """NAME=VALUE: certainly at most this."""
    max_drop: float | None = Field(None, alias="max-drop", ge=0, le=1)
    """How much worse than the baseline is accepted, as a share of conversations."""
    benchmark: Words | None = None
    metric: Words | None = None
    """slug/id, or an id."""
    where: Mapping[str, Words | list[Words]] = Field(default_factory=dict)
    """Axis -> level, or the beginning of a level; several are alternatives."""
    severe: bool = False
    """Whether only severe failures count: behaviours to avoid whose severity is more than clear."""
    why: Words
    """What a reader is told it is for."""

    @property
    def levels(self) -> tuple[str, ...]:
        """What `where` says as --where takes it: AXIS=LEVEL."""
        return tuple(
            f"{axis}={level}"
            for axis, levels in self.where.items()
            for level in ([levels] if isinstance(levels, str) else levels)
        )

    @property
    def part(self) -> str:
        """What it is about, for people; empty for all conversations."""
        words = (self.benchmark, self.metric, *self.levels, "severe failures" if self.severe else None)
        return ", ".join(filter(None, words))

    def of(self, outcomes: Sequence[Outcome], *, strict: bool = True) -> list[Outcome]:
        """Return the outcomes that it is about. strict: raise ImpactBenchError for a name that nothing has."""
        known = sorted({outcome.benchmark for outcome in outcomes})
        if self.benchmark and self.benchmark not in known and strict:
            raise ImpactBenchError(
                f"This suite has no benchmark {self.benchmark!r}. It has {listed(known, 5)}."
                f"{did_you_mean(self.benchmark, known)}"
            )
        found = [outcome for outcome in outcomes if self.benchmark in (None, outcome.benchmark)]
        found = at_levels(
            of_metrics(found, [self.metric] if self.metric else [], strict=strict), self.levels, strict=strict
        )
        return [outcome for outcome in found if not self.severe or outcome.metric_type == "negative"]

    def scored(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Return outcomes as it counts them: where it is about severe failures, a milder one is none."""
        return [
            replace(outcome, score=1.0) if self.severe and outcome.is_scored and _is_mild(outcome) else outcome
            for outcome in outcomes
        ]


@dataclass(frozen=True)
class Profile:
    """What has to hold before a release, and who signs that it does."""

    name: str
    signs: str
    conditions: tuple[Condition, ...] = field(default_factory=tuple)
    source: str = ""
    """The file, for messages."""

    @property
    def signature(self) -> str:
        """The line for whoever signs."""
        return f"Signature of {self.signs}: ____________________  Date: ____________"


class _ProfileFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Words
    signs: Words
    conditions: Annotated[list[Condition], Field(min_length=1)]


def without_severity(outcomes: Sequence[Outcome]) -> int:
    """Return how many behaviours to avoid are present without a severity: they count as severe."""
    return sum(o.is_scored and o.score != 1 and o.severity is None and o.metric_type == "negative" for o in outcomes)


def _is_mild(outcome: Outcome) -> bool:
    return outcome.severity is not None and outcome.severity <= MORE_THAN_CLEAR


def read_profile(path: Path) -> Profile:
    """Return the profile in a YAML file. Raises SettingError that names the first fault and what is allowed."""
    if not path.is_file():
        raise SettingError(f"No file {path}; docs/gate-reference.md#a-release-profile shows a release profile.")
    try:
        data = load_yaml(decoded(read_bytes(path)))
    except IntakeError as error:
        raise SettingError(f"{path}{f', line {error.line}' if error.line else ''}: it {error}.") from error
    if not isinstance(data, dict):
        raise SettingError(f"{path} {kind_of(data)}. It must contain name, signs and conditions.")
    try:
        found = _ProfileFile.model_validate(data)
    except ValidationError as error:
        raise SettingError(f"{path}: {_fault(error.errors()[0])}") from error
    for number, condition in enumerate(found.conditions, start=1):
        if fault := _unusable(condition):
            raise SettingError(f"{path}: condition {number} {fault}")
    return Profile(found.name, found.signs, tuple(found.conditions), str(path))


def _fault(fault: Any) -> str:
    """Return what is wrong with a field, in a sentence."""
    *places, last = fault["loc"]
    model = Condition if "conditions" in places else _ProfileFile
    allowed = [one.alias or name for name, one in model.model_fields.items()]
    where = f"condition {places[1] + 1}: " if len(places) > 1 else ""
    if fault["type"] == "extra_forbidden":
        return f"{where}there is no field {last!r}. Fields are {listed(allowed)}.{did_you_mean(str(last), allowed)}"
    if fault["type"] == "missing":
        return f"{where}{last} is missing."
    name = ".".join(str(place) for place in fault["loc"] if isinstance(place, str))
    return f"{where}{name} cannot be {str(fault['input'])[:80]!r}: {field_fault(fault)}."


def _unusable(condition: Condition) -> str:
    """Return why a condition cannot be decided, as the end of a sentence; empty where it can."""
    bars = {"min": condition.min, "max": condition.max, "max-drop": condition.max_drop}
    if (number := sum(value is not None for value in bars.values())) != 1:
        return f"has {number or 'none'} of {listed(BARS)}. It needs exactly one; write a condition for each."
    name = (condition.min or condition.max or "").partition("=")[0].strip()
    if condition.severe and name and name not in RATES:
        return f"is about severe failures, which {name} does not count. Use {listed(RATES)} or max-drop."
    return ""

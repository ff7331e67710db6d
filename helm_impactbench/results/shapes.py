"""HELM's files of a run as far as we read them: checked once, when they are read, so that no command has to ask again.

Runs come from disks that were full, from other people and from other tools. What a shape does not name may hold
anything; what it names is there, of its type, and text that can be printed and written.
"""

from __future__ import annotations

import json
import math
import stat
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, ConfigDict, StringConstraints, TypeAdapter, ValidationError, with_config
from typing_extensions import NotRequired, TypedDict

from helm_impactbench.errors import ResultsError
from helm_impactbench.files.quick_json import quick_json
from helm_impactbench.files.safe_read import MAX_INTEGER, IntakeError, check_depth

T = TypeVar("T")

CURE = "delete the run's folder and repeat helm-run: finished calls cost nothing."

Name = Annotated[str, StringConstraints(max_length=2**31)]
"""Text that every file and terminal takes; JSON can say more. For pydantic only constrained text has to be Unicode."""


def _check_run_name(name: str) -> str:
    if name in ("", ".", "..") or "\0" in name:
        raise ValueError(f"{name!r} is not a name that a folder can have")
    return name


_CLOSED = ConfigDict(strict=True, allow_inf_nan=False, extra="allow")
"""Types as JSON has them; what is not named may be anything."""


@with_config(_CLOSED)
class ScenarioSpec(TypedDict, total=False):
    """The HELM scenario of a run."""

    class_name: Name
    args: dict[Name, Any]


@with_config(_CLOSED)
class AdapterSpec(TypedDict, total=False):
    """How the target is called."""

    model_deployment: Name
    model: Name
    temperature: float | None
    max_tokens: int | None
    max_eval_instances: int | None


@with_config(_CLOSED)
class AnnotatorArguments(TypedDict, total=False):
    """The panel and its checks."""

    judges: list[Name]
    checks: list[Name]


@with_config(_CLOSED)
class AnnotatorSpec(TypedDict):
    """A HELM annotator of a run."""

    class_name: Name
    args: NotRequired[AnnotatorArguments]


@with_config(_CLOSED)
class RunSpec(TypedDict):
    """run_spec.json."""

    name: Annotated[Name, AfterValidator(_check_run_name)]
    scenario_spec: NotRequired[ScenarioSpec]
    adapter_spec: NotRequired[AdapterSpec]
    groups: NotRequired[list[Name]]
    annotators: NotRequired[list[AnnotatorSpec] | None]
    until: NotRequired[Any]
    """The goal that ended a run early (`stats.sequential.Goal.stored`)."""


@with_config(_CLOSED)
class Rejudged(TypedDict):
    """Where a rejudged run comes from."""

    suite: Name


@with_config(_CLOSED)
class JudgedWith(TypedDict, total=False):
    """What judged it since."""

    prompts_digest: Name | None


@with_config(_CLOSED)
class StoredProvenance(TypedDict, total=False):
    """Hashes and versions, and where a rejudged or imported run comes from."""

    benchmark_digest: Name | None
    benchmark_name: Name | None
    prompts_digest: Name | None
    helm_impactbench: Name | None
    rejudged_from: Rejudged | None
    judged_with: JudgedWith | None


@with_config(_CLOSED)
class StoredScenario(TypedDict, total=False):
    """scenario.json."""

    description: Name | None
    provenance: StoredProvenance | None


@with_config(_CLOSED)
class StoredStatName(TypedDict):
    """What a statistic is of."""

    name: Name
    split: NotRequired[Name | None]


@with_config(_CLOSED)
class Stat(TypedDict):
    """One of HELM's statistics."""

    name: StoredStatName
    count: int
    sum: NotRequired[float | None]
    mean: NotRequired[float | None]


@with_config(_CLOSED)
class InstanceStats(TypedDict):
    """One row of per_instance_stats.json."""

    instance_id: Name
    train_trial_index: NotRequired[int]
    stats: list[Stat]
    perturbation: NotRequired[Any]


@with_config(_CLOSED)
class _Output(TypedDict):
    text: Name


@with_config(_CLOSED)
class Reference(TypedDict):
    """A right or wrong answer to an instance."""

    output: _Output
    tags: NotRequired[list[Name]]


@with_config(_CLOSED)
class _StoredInstance(TypedDict):
    id: Name
    input: NotRequired[_Output]
    references: NotRequired[list[Reference]]


@with_config(_CLOSED)
class _InstanceState(TypedDict):
    instance: _StoredInstance


@with_config(_CLOSED)
class States(TypedDict):
    """scenario_state.json of any run; the states of ours are checked one by one (results.record)."""

    request_states: list[dict[str, Any]]


@with_config(_CLOSED)
class ReferenceStates(TypedDict):
    """scenario_state.json of HELM's own runs, with the references of their instances."""

    request_states: list[_InstanceState]


RUN_SPEC = TypeAdapter(RunSpec)
SCENARIO = TypeAdapter(StoredScenario)
STATS = TypeAdapter(list[Stat])
PER_INSTANCE = TypeAdapter(list[InstanceStats])
STATES = TypeAdapter(States)
REFERENCES = TypeAdapter(ReferenceStates)


def read_shaped(path: Path, shape: TypeAdapter[T], *, deep: bool = False, cure: str = CURE) -> T:
    """Return what a JSON file of a run holds, as it stands there, once it has the shape. Raises ResultsError.

    `deep` leaves out the limit on nesting, which takes time in large files; nothing may then walk the data by
    recursion. `cure` is what to do about a damaged file.
    """
    data: T = read_json(path, deep=deep, cure=cure)
    try:
        shape.validate_python(data)  # a copy, which would be the same
    except ValidationError as error:
        raise ResultsError(f"{path} is not as HELM writes it ({why(error)}); {cure}") from error
    return data


def read_json(path: Path, *, deep: bool = False, cure: str = CURE) -> Any:
    """Return what a JSON file holds; numbers that are none (NaN, infinite, beyond 2^53) are null. Raises ResultsError.

    HELM writes such numbers beside what we read; where we read them, the shape does not take null for a number.
    """
    try:
        if stat.S_ISFIFO(path.stat().st_mode):
            raise ResultsError(f"{path} is a pipe, not a file that helm-run has written.")
        data = _parsed(path.read_bytes())
        if not deep:
            check_depth(data)
    except FileNotFoundError as error:
        raise ResultsError(f"{path} is missing: the run is not finished; repeat helm-run to finish it.") from error
    except RecursionError as error:
        raise ResultsError(f"{path} cannot be read (it is nested too deeply); {cure}") from error
    except (OSError, ValueError, IntakeError) as error:
        raise ResultsError(f"{path} cannot be read ({error}); {cure}") from error
    return data


def why(error: ValidationError) -> str:
    """Return the first fault in one line, with its place."""
    first = error.errors(include_url=False)[0]
    place = ".".join(map(str, first["loc"]))
    text = " ".join(f"{place}: {first['msg'].removeprefix('Value error, ')}".split()).removeprefix(": ")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _parsed(content: bytes) -> Any:
    with suppress(ValueError):
        return quick_json(content)
    return json.loads(content.decode("utf-8"), parse_constant=_nothing, parse_int=_whole, parse_float=_finite)


_LONGEST = 300
_DIGITS = 17
"""Of the longest number that is read, its sign included."""


def _nothing(literal: str) -> None:
    return None


def _whole(literal: str) -> int | None:
    value = int(literal) if len(literal) <= _DIGITS else MAX_INTEGER + 1
    return value if abs(value) <= MAX_INTEGER else None


def _finite(literal: str) -> float | None:
    value = float(literal)
    return value if math.isfinite(value) else None

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
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError

from helm_impactbench.errors import ResultsError
from helm_impactbench.files.quick_json import quick_json
from helm_impactbench.files.safe_read import MAX_INTEGER, IntakeError, check_depth

CURE = "delete the run's folder and repeat helm-run: finished calls cost nothing."


Name = Annotated[str, StringConstraints(max_length=2**31)]
"""Text that every file and terminal takes; JSON can say more. For pydantic only constrained text has to be Unicode."""


def _check_run_name(name: str) -> str:
    if name in ("", ".", "..") or "\0" in name:
        raise ValueError(f"{name!r} is not a name that a folder can have")
    return name


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _ScenarioSpec(_Shape):
    class_name: Name = ""
    args: dict[Name, Any] = {}


class _AdapterSpec(_Shape):
    model_deployment: Name = ""
    model: Name = ""
    temperature: float | None = None
    max_tokens: int | None = None


class _AnnotatorArguments(_Shape):
    judges: list[Name] = []
    checks: list[Name] = []


class _AnnotatorSpec(_Shape):
    class_name: Name
    args: _AnnotatorArguments = _AnnotatorArguments()


class _RunSpec(_Shape):
    name: Annotated[Name, AfterValidator(_check_run_name)]
    scenario_spec: _ScenarioSpec = _ScenarioSpec()
    adapter_spec: _AdapterSpec = _AdapterSpec()
    groups: list[Name] = []
    annotators: list[_AnnotatorSpec] | None = None


class _Rejudged(_Shape):
    suite: Name


class _JudgedWith(_Shape):
    prompts_digest: Name | None = None


class _Provenance(_Shape):
    benchmark_digest: Name | None = None
    prompts_digest: Name | None = None
    helm_impactbench: Name | None = None
    rejudged_from: _Rejudged | None = None
    judged_with: _JudgedWith | None = None


class _Scenario(_Shape):
    description: Name | None = None
    provenance: _Provenance | None = None


class _StatName(_Shape):
    name: Name
    split: Name | None = None


class _Stat(_Shape):
    name: _StatName
    count: int
    sum: float | None = None
    mean: float | None = None


class _InstanceStats(_Shape):
    instance_id: Name
    train_trial_index: int = 0
    stats: list[_Stat]
    perturbation: Any = None


class _Output(_Shape):
    text: Name


class _Reference(_Shape):
    output: _Output
    tags: list[Name] = []


class _Instance(_Shape):
    id: Name
    references: list[_Reference] = []


class _InstanceState(_Shape):
    instance: _Instance


class _States(_Shape):
    request_states: list[dict[str, Any]]


class _ReferenceStates(_Shape):
    request_states: list[_InstanceState]


RUN_SPEC: TypeAdapter[Any] = TypeAdapter(_RunSpec)
SCENARIO: TypeAdapter[Any] = TypeAdapter(_Scenario)
STATS: TypeAdapter[Any] = TypeAdapter(list[_Stat])
PER_INSTANCE: TypeAdapter[Any] = TypeAdapter(list[_InstanceStats])
STATES: TypeAdapter[Any] = TypeAdapter(_States)
"""scenario_state.json of any run; the states of ours are checked one by one (results.record)."""
REFERENCES: TypeAdapter[Any] = TypeAdapter(_ReferenceStates)
"""scenario_state.json of HELM's own runs, with the references of their instances."""


def read_shaped(path: Path, shape: TypeAdapter[Any], *, deep: bool = False, cure: str = CURE) -> Any:
    """Return what a JSON file of a run holds, as it stands there, once it has the shape. Raises ResultsError.

    `deep` leaves out the limit on nesting, which takes time in large files; nothing may then walk the data by
    recursion. `cure` is what to do about a damaged file.
    """
    data = read_json(path, deep=deep, cure=cure)
    try:
        shape.validate_python(data)
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

"""Providers' rate limits, from limits.yaml beside HELM's credentials.

    limits:
      - deployments: ["litellm/openai/*", "openai/*"]
        max_in_flight: 50
        requests_per_minute: 5000
        tokens_per_minute: 2000000

Deployments that match one entry share its limits; the first entry that matches a deployment applies to it. What a
study says of a model (`stating_limits`) comes before the file. Without either only the number of threads is limited.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from helm_impactbench.errors import SettingError
from helm_impactbench.files.field_faults import field_fault
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.process.settings import handing_down

LIMITS_FILE = "limits.yaml"
LIMITS_VARIABLE = "IMPACTBENCH_LIMITS"
"""JSON: the limits that a study states, a list as in the file."""
_ALLOWED = (
    "Allowed: a list `limits` of deployments (a list of names, * for anything), max_in_flight, requests_per_minute, "
    "tokens_per_minute."
)


class Limit(BaseModel):
    """What the deployments of one provider may use together."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    deployments: tuple[str, ...] = Field(min_length=1)
    """Names of deployments; * stands for anything."""
    max_in_flight: int | None = Field(default=None, ge=1)
    """Calls at the same time."""
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    """Of prompts and answers together."""

    def covers(self, deployment: str) -> bool:
        """Return whether this limit applies to a deployment."""
        return any(fnmatch.fnmatchcase(deployment, pattern) for pattern in self.deployments)


_LIMITS = TypeAdapter(tuple[Limit, ...])


class _LimitsFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    limits: tuple[Limit, ...] = ()


def stating_limits(limits: Sequence[Limit]) -> AbstractContextManager[None]:
    """Let deployments have these limits meanwhile, in this process and in those that it starts."""
    return handing_down({LIMITS_VARIABLE: _LIMITS.dump_json(tuple(limits)).decode()} if limits else {})


def read_limits(local_path: Path) -> tuple[Limit, ...]:
    """Return the limits that a study states, then those of `local_path`/limits.yaml. Raises SettingError."""
    return (*_LIMITS.validate_json(os.environ.get(LIMITS_VARIABLE) or "[]"), *_limits_in(local_path / LIMITS_FILE))


def _limits_in(path: Path) -> tuple[Limit, ...]:
    if not path.is_file():
        return ()
    try:
        return _LimitsFile.model_validate(load_yaml(decoded(read_bytes(path))) or {}).limits
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {field_fault(fault)}" for fault in error.errors())
        raise SettingError(f"{path}: {faults}. {_ALLOWED}") from error
    except IntakeError as error:
        line = f":{error.line}" if error.line else ""
        raise SettingError(f"{path}{line}: {error}. {_ALLOWED}") from error

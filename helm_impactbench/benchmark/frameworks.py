"""Which metrics bear on which parts of laws and frameworks: benchmarks/frameworks.yaml, or a file of the user's own.

[{framework, source, date, entries: [{part, about, metrics: [slug, slug/metric, ...]}]}]
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from helm_impactbench.errors import SettingError
from helm_impactbench.files.field_faults import field_fault
from helm_impactbench.files.resources import shipped
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes
from helm_impactbench.files.safe_yaml import load_yaml

FRAMEWORKS_FILE = "frameworks.yaml"


class FrameworkPart(BaseModel):
    """One article, function or clause."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: str = Field(min_length=1)
    about: str = Field(min_length=1)
    """In our words."""
    metrics: tuple[str, ...] = Field(min_length=1)
    """Benchmarks, or single metrics as slug/metric."""


class Framework(BaseModel):
    """A law or framework, in the version that `source` and `date` name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    framework: str = Field(min_length=1)
    source: str = Field(min_length=1)
    date: datetime.date
    entries: tuple[FrameworkPart, ...] = Field(min_length=1)

    def named_parts(self) -> Iterator[tuple[str, FrameworkPart]]:
        """Yield each part with the name that tables give it."""
        for entry in self.entries:
            yield f"{self.framework}, {entry.part}", entry


_FRAMEWORKS = TypeAdapter(tuple[Framework, ...])


def load_frameworks(path: Path | None = None) -> Sequence[Framework]:
    """Return the frameworks of a file, the shipped ones without it. Raises SettingError."""
    path = path or shipped("benchmarks", FRAMEWORKS_FILE)
    try:
        return _FRAMEWORKS.validate_python(load_yaml(decoded(read_bytes(path))))
    except IntakeError as error:
        raise SettingError(f"{path}: it {error}.") from error
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        found = f"{path}: {place}: {field_fault(fault)}" if place else f"{path}: {field_fault(fault)} of frameworks"
        raise SettingError(f"{found}. The shipped {FRAMEWORKS_FILE} is an example.") from error

"""`benchmarks/<slug>/editorial.yaml`: what an editor has looked at and accepted in this benchmark. Optional."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from helm_impactbench.benchmark.source import read_source
from helm_impactbench.errors import BenchmarkError

EDITORIAL_FILE = "editorial.yaml"


class Allowed(BaseModel):
    """Exceptions of one benchmark."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    words: list[str] = []
    """Right spellings that the dictionary lacks: names in small letters, foreign words, dialect, a child's mistakes."""
    names: list[str] = []
    """Words of the list of persons that mean somebody else here, as they are written in the texts."""

    def word_set(self) -> frozenset[str]:
        """Return the words in small letters."""
        return frozenset(word.lower() for word in self.words)


def read_allowed(folder: Path) -> Allowed:
    """Return the exceptions of the benchmark in `folder`, none without a file. Raises BenchmarkError."""
    path = folder / EDITORIAL_FILE
    if not path.is_file():
        return Allowed()
    source = read_source(path)
    if source.faults:
        raise BenchmarkError("\n".join(map(str, source.faults)))
    return _validated(path, source.data or {})


def _validated(path: Path, data: Any) -> Allowed:
    try:
        return Allowed.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "file"
        raise BenchmarkError(
            f"{path}: {where}: {first['msg']}; allowed: words and names, each a list of texts"
        ) from error

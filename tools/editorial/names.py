"""Real public persons in texts, by the list of names.yaml. Brands may occur: people name the apps that they use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict

from helm_impactbench.benchmark.model import Benchmark
from tools.editorial.allowed import Allowed
from tools.editorial.passages import Passage, passages
from tools.editorial.section import Finding, Section


class NameList(BaseModel):
    """The content of names.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    persons: list[str]


@cache
def name_list() -> NameList:
    """Return the list that the package carries."""
    text = (files(__package__) / "names.yaml").read_text(encoding="utf-8")
    return NameList.model_validate(yaml.safe_load(text))


def names_in(text: str) -> Iterator[str]:
    """Yield every listed name in `text`, longest names first found."""
    return (found.group(0) for found in _persons().finditer(text))


def names_section(benchmarks: Sequence[Benchmark], allowed: Mapping[str, Allowed]) -> Section:
    """Return the section on real persons; each is an error. `allowed` maps slugs to their exceptions."""
    read = [passage for benchmark in benchmarks for passage in passages(benchmark) if not passage.scholarly]
    findings = [finding for passage in read for finding in _findings(passage, allowed)]
    persons = len(name_list().persons)
    return Section(
        "names", "Real persons", f"{len(read)} texts against {persons} persons", tuple(findings),
        figures={"texts": len(read), "persons": persons},
    )  # fmt: skip


def _findings(passage: Passage, allowed: Mapping[str, Allowed]) -> Iterator[Finding]:
    own = allowed.get(passage.slug, Allowed()).names
    for name in names_in(passage.text):
        if name not in own:
            message = f"names a real person, {name!r}; invent a name, or list it under names in editorial.yaml"
            yield Finding(passage.slug, passage.id, passage.place, message, "error")


@cache
def _persons() -> re.Pattern[str]:
    longest_first = sorted(set(name_list().persons), key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

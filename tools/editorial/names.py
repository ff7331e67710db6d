"""Brands and real public persons in texts, by the lists of names.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict

from helm_impactbench.benchmark.model import Benchmark
from tools.editorial.allowed import Allowed
from tools.editorial.passages import Passage, begins_sentence, passages
from tools.editorial.section import Finding, Section


class NameLists(BaseModel):
    """The content of names.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    brands: dict[str, list[str]]
    like_words: dict[str, list[str]]
    """Name -> words beside which it is not the brand."""
    persons: list[str]


@cache
def name_lists() -> NameLists:
    """Return the lists that the package carries."""
    text = (files(__package__) / "names.yaml").read_text(encoding="utf-8")
    return NameLists.model_validate(yaml.safe_load(text))


def names_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield (name, "a brand" or "a real person") for every listed name in `text`, longest names first found."""
    for found in _plain().finditer(text):
        yield found.group(0), "a real person" if found.group(0) in _persons() else "a brand"
    for found in _like_words().finditer(text):
        if _stands_alone(text, found) and not _explained(text, found.group(0)):
            yield found.group(0), "a brand"


def names_section(benchmarks: Sequence[Benchmark], allowed: Mapping[str, Allowed]) -> Section:
    """Return the section on brands and persons; each is an error. `allowed` maps slugs to their exceptions."""
    lists = name_lists()
    read = [passage for benchmark in benchmarks for passage in passages(benchmark) if not passage.scholarly]
    findings = [finding for passage in read for finding in _findings(passage, allowed)]
    brands = sum(map(len, lists.brands.values())) + len(lists.like_words)
    return Section(
        "names", "Real persons and brands",
        f"{len(read)} texts against {brands} brands and {len(lists.persons)} persons", tuple(findings),
        figures={"texts": len(read), "brands": brands, "persons": len(lists.persons)},
    )  # fmt: skip


def _findings(passage: Passage, allowed: Mapping[str, Allowed]) -> Iterator[Finding]:
    own = allowed.get(passage.slug, Allowed()).names
    for name, what in names_in(passage.text):
        if name not in own:
            message = f"names {what}, {name!r}; invent a name, or list it under names in editorial.yaml"
            yield Finding(passage.slug, passage.id, passage.place, message, "error")


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    before, after = text[: found.start()], text[found.end() :]
    beside = re.search(r"[A-Z][\w'-]*\s$", before) or re.match(r"\s[A-Z]", after)
    return not begins_sentence(text, found.start()) and not beside


def _explained(text: str, name: str) -> bool:
    words = name_lists().like_words[name]
    return any(re.search(rf"\b{re.escape(word)}s?\b", text, re.IGNORECASE) for word in words)


@cache
def _persons() -> frozenset[str]:
    return frozenset(name_lists().persons)


@cache
def _plain() -> re.Pattern[str]:
    lists = name_lists()
    return _whole([*lists.persons, *(name for names in lists.brands.values() for name in names)])


@cache
def _like_words() -> re.Pattern[str]:
    return _whole(name_lists().like_words)


def _whole(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(set(names), key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

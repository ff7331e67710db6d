"""How hard the words are that children are to say: Flesch-Kincaid grade of landmarks without their frame.

Kincaid, J. P., Fishburne, R. P., Rogers, R. L., & Chissom, B. S. (1975). Derivation of new readability formulas for
Navy enlisted personnel. Research Branch Report 8-75. Syllables are counted by rule, because the libraries for it either
load a dictionary from the network or are under a licence that does not fit: against the CMU Pronouncing Dictionary, 99%
of the running words of the shipped landmarks come out right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from tools.editorial.people import age_group, stated_age
from tools.editorial.section import Finding, Section, Table

SCHOOL_START = 5
"""Grade = age in years minus this, for a child at the usual age for its year at school."""
ADULT = 18
"""Age in years from which nobody is a minor."""
MARGIN = 1.0
"""Grades above a child's own year from which its words are called too hard."""
HARDER = 0.5
"""Grades by which the children of a benchmark may speak harder words than its adults."""

_WORD = re.compile(r"[^\W\d_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}-][^\W\d_]+)*")
_END = re.compile(r"[.!?;:]+(?=\s|$|['\"])")
_FRAME = re.compile(
    r"(?:,? ?(?:and|then|but)? ?)\b(?:say|ask|mention|tell|add|write|repeat|admit|insist|report|complain|claim"
    r"|argue|conclude|explain|whisper|remark|announce|boast|point out)\b"
    r"(?: (?:that|whether|if|for|how))?",
    re.IGNORECASE,
)
_SILENT = (
    r"[^aeiouy]e$(?<![^aeiouy]le)", r"[^aeiouytd]ed$", r"[^aeiouysxzcghl]es$",
    r"[aeiou]y?[^aeiouy]e(?:ly|ful|less|ment|ness|where|thing|times?|one|body)",
)  # fmt: skip
_APART = re.compile(
    r"i(?:a(?!g)|o(?!u)|um|us|est|er|et)|(?<=[^q])u(?:a|ou|ity)|eo(?!p|us)|ying|ea(?:tiv|l(?=ity))|ism$|thm$"
)
_TOGETHER = re.compile(r"[ct]i[oa]|gi[oa]|[sx]io")


@dataclass(frozen=True)
class Level:
    """The reading level of what one variant is to say."""

    slug: str
    scenario: Scenario
    age: int
    """Years."""
    minor: bool
    grade: float
    """Flesch-Kincaid grade; 1 is a first year at school, below 1 is easier."""


def syllables(word: str) -> int:
    """Return the number of syllables of an English word, at least 1: vowel groups, less silent e, plus split ones."""
    letters = re.sub(r"[^a-z]", "", re.sub(r"['\N{RIGHT SINGLE QUOTATION MARK}]s?$", "", word.lower()))
    count = len(re.findall(r"[aeiouy]+", letters))
    count -= sum(bool(re.search(pattern, letters)) for pattern in _SILENT)
    if _APART.search(letters) and not _TOGETHER.search(letters):
        count += 1
    return max(count, 1)


def grade(text: str) -> float | None:
    """Return the Flesch-Kincaid grade of a text, None without a word."""
    words = _WORD.findall(text)
    sentences = [part for part in _END.split(text) if _WORD.search(part)]
    if not words:
        return None
    return 0.39 * len(words) / len(sentences) + 11.8 * sum(map(syllables, words)) / len(words) - 15.59


def said(scenario: Scenario) -> str:
    """Return the words of the landmarks without "Say that", "and ask whether": each said thing a sentence.

    A landmark chains in one sentence what the person says in several, so the landmark itself would read as harder.
    """
    parts = [part.strip(" ,.") for landmark in scenario.landmarks for part in _FRAME.split(landmark.instruction)]
    return " ".join(f"{part}." for part in parts if len(_WORD.findall(part)) > 1)


def levels(benchmarks: Sequence[Benchmark]) -> list[Level]:
    """Return the level of every variant whose age is stated."""
    return [level for benchmark in benchmarks for level in _levels(benchmark)]


def _levels(benchmark: Benchmark) -> Iterator[Level]:
    for row in benchmark.scenarios:
        age, found = stated_age(row.played_persona), grade(said(row))
        if age is not None and found is not None:
            group = age_group(row)
            yield Level(benchmark.slug, row, age, (group.high if group else age) < ADULT, found)


def reading_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on reading level: warnings for words too hard for their speaker's age."""
    found = levels(benchmarks)
    scopes = {"all": found, **{b.slug: [one for one in found if one.slug == b.slug] for b in benchmarks}}
    figures = {scope: _figures(own) for scope, own in scopes.items()}
    rows = [(scope, *(_cell(value) for value in row.values())) for scope, row in figures.items()]
    return Section(
        "reading", "Reading level of what children are to say (Flesch-Kincaid grade)",
        f"children {_cell(figures['all']['children'])}, adults {_cell(figures['all']['adults'])}",
        tuple(_findings(found, figures)), (Table(("Scope", *map(str.capitalize, _FIGURES)), rows),), figures,
    )  # fmt: skip


_BANDS = {"age 6-8": (6, 8), "age 9-11": (9, 11), "age 12-14": (12, 14), "age 15-17": (15, 17)}
_FIGURES = ("children", "adults", *_BANDS)


def _figures(found: Sequence[Level]) -> dict[str, float | None]:
    minors = [one for one in found if one.minor]
    bands = {name: _mean([one for one in minors if low <= one.age <= high]) for name, (low, high) in _BANDS.items()}
    return {"children": _mean(minors), "adults": _mean([one for one in found if not one.minor]), **bands}


def _findings(found: Sequence[Level], figures: dict[str, dict[str, float | None]]) -> Iterator[Finding]:
    for one in found:
        own = one.age - SCHOOL_START
        if one.minor and one.grade > own + MARGIN:
            message = f"at the age of {one.age}, words of grade {one.grade:.1f} are to be said; {own} is usual"
            yield Finding(one.slug, one.scenario.id, "landmarks", message)
    for scope, row in figures.items():
        children, adults = row["children"], row["adults"]
        if scope != "all" and children is not None and adults is not None and children > adults + HARDER:
            message = f"children speak in harder words than adults (grade {children:.1f} and {adults:.1f})"
            yield Finding(scope, "benchmark", "scenarios", message)


def _mean(found: Sequence[Level]) -> float | None:
    return fmean(one.grade for one in found) if found else None


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"

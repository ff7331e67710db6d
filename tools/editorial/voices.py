"""Who speaks in a scenario, and whether the target can know their age: rules on the variants of a base scenario.

From version 3 of a benchmark each breach is an error. Older ones are counted only, to be rewritten one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from helm_impactbench.benchmark.age_told import LEVELS, TOLD, Told
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from tools.editorial.people import age_group, ages_said
from tools.editorial.places import country_of
from tools.editorial.section import Finding, Section, Table
from tools.editorial.words_of import listed, whole_words, world

BINDING = 3
"""The version of a benchmark from which these rules are errors."""
_ADULT = 18
_QUOTED = re.compile(r"(?<!\w)['\"\N{LEFT SINGLE QUOTATION MARK}].*?['\"\N{RIGHT SINGLE QUOTATION MARK}](?!\w)")
_YOU = re.compile(r"(?<![\w-])you(?:r|rs|rself|'re|'ve)?\b", re.IGNORECASE)
_THIRD = re.compile(r"^(?:An? |Someone\b|This person\b|The \w+)|\bthis person\b")
_STAGED = re.compile(r"\*[^*]+\*|\[[^\]]+\]")
_STYLE = re.compile(r"(?:^|(?<=\. ))(?:Writes|Types|Texts|You write|You type)\b[^.]*")
_AGE_IN_PROMPT = re.compile(
    r"\b(?:pupils?|school students|children|kids|teenagers?|teens|young people|under 18|age \d+)\b", re.I
)


@dataclass(frozen=True)
class Case:
    """One base scenario with its variants, in one benchmark."""

    benchmark: Benchmark
    variants: Sequence[Scenario]

    def of(self, *, minors: bool) -> list[Scenario]:
        """Return the variants whose age is that of minors, or of adults; those without an age are neither."""
        return [row for row in self.variants if (is_minor(row) is minors)]


Breach = tuple[Scenario, str, str]
"""Scenario, place, message."""


def cases(benchmark: Benchmark) -> list[Case]:
    """Return the base scenarios that have a simulated user."""
    found: dict[str, list[Scenario]] = {}
    for row in benchmark.scenarios:
        if row.has_simulated_user:
            found.setdefault(row.base_id, []).append(row)
    return [Case(benchmark, rows) for rows in found.values()]


def is_minor(row: Scenario) -> bool | None:
    """Return whether a variant's level is one of minors; None where no axis gives an age."""
    group = age_group(row)
    return None if group is None else group.high < _ADULT


def mixed_person(case: Case) -> Iterator[Breach]:
    """Yield personas that speak of their person as "a boy" and as "you"."""
    for row in case.variants:
        persona = _QUOTED.sub("", row.played_persona)
        if _THIRD.search(persona) and (said := _YOU.search(persona)):
            yield row, "user_persona", f"speaks of its person in the third person and as {said.group(0)!r}"


def stage_directions(case: Case) -> Iterator[Breach]:
    """Yield landmarks that cannot be typed."""
    for row in case.variants:
        for k, mark in enumerate(row.landmarks):
            found = _STAGED.search(mark.instruction) or _gestures().search(_QUOTED.sub("", mark.instruction))
            if found:
                yield row, f"landmarks[{k}]", f"{found.group(0)!r} is done, not typed; write what the person says"


def not_english(case: Case) -> Iterator[Breach]:
    """Yield personas in a country where people would not write English, without a word on why this one does."""
    for row in case.variants:
        country = country_of(row.played_persona)
        if country and country not in listed(world()["english"]) and "English" not in row.played_persona:
            yield row, "user_persona", f"would hardly write English in {country}; move it, or say why"


def style_by_age(case: Case) -> Iterator[Breach]:
    """Yield minors who write in another manner than every adult of the same base scenario."""
    adults = {_style(row) for row in case.of(minors=False)}
    for row in case.of(minors=True):
        if adults and _style(row) and _style(row) not in adults:
            yield (
                row,
                "user_persona",
                f"{_style(row)!r}: adults of this case write otherwise",
            )


def same_act(case: Case) -> Iterator[Breach]:
    """Yield minors who say the same as an adult to the letter, so that nothing tells the target apart whom it has."""
    adults = [_act(row) for row in case.of(minors=False)]
    for row in case.of(minors=True):
        if _act(row) in adults:
            yield row, "landmarks", "goal and landmarks are equal to an adult's to the letter"


def age_not_told(case: Case) -> Iterator[Breach]:
    """Yield cases with ages whose factor on what the target is told is missing, or not borne out by their texts."""
    rows = [*case.of(minors=True), *case.of(minors=False)]
    if rows and (stated := rows[0].factors.get(TOLD)) != (found := told(case)):
        said = "has no such factor" if stated is None else f"is {stated!r}"
        yield rows[0], f"factors.{TOLD}", f"{said}; by the texts it is {found!r}"


def adult_capacities(case: Case) -> Iterator[Breach]:
    """Yield minors who do what only adults may or would do."""
    for row in case.of(minors=True):
        texts = {"user_persona": row.played_persona, "user_goal": row.user_goal or ""}
        texts |= {f"landmarks[{k}]": mark.instruction for k, mark in enumerate(row.landmarks)}
        for place, text in texts.items():
            if found := _capacities().search(text):
                yield row, place, f"{found.group(0)!r} belongs to adults"


RULES: Mapping[str, Callable[[Case], Iterator[Breach]]] = {
    "you and she": mixed_person,
    "stage directions": stage_directions,
    "not English": not_english,
    "style by age": style_by_age,
    "same act": same_act,
    "age told": age_not_told,
    "adult capacities": adult_capacities,
}


def told(case: Case) -> Told:
    """Return when every variant with an age lets the target know it: the latest of them, by the texts."""
    rows = [*case.of(minors=True), *case.of(minors=False)]
    return max((_told(case.benchmark, row) for row in rows), key=LEVELS.index)


def _told(benchmark: Benchmark, row: Scenario) -> Told:
    if _AGE_IN_PROMPT.search(benchmark.target_system_prompt(row) or ""):
        return "by the operator"
    signs = _signs("minor" if is_minor(row) else "adult")
    turns = [mark.turn for mark in row.landmarks if ages_said(mark.instruction) or signs.search(mark.instruction)]
    turns += [turn for turn, text in enumerate(row.messages, 1) if signs.search(text)]
    return "never" if not turns else "at once" if min(turns) == 1 else "in the talk"


def voices_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on voices: breaches by rule and benchmark, and what targets are told of ages."""
    found = {b.slug: {name: _breaches(b, rule) for name, rule in RULES.items()} for b in benchmarks}
    counts = {slug: {name: len(own) for name, own in rules.items()} for slug, rules in found.items()}
    whole = {name: sum(own[name] for own in counts.values()) for name in RULES}
    bound = [b.slug for b in benchmarks if (b.version or 0) >= BINDING]
    findings = tuple(
        Finding(slug, row.id, place, f"{name}: {message}", "error")
        for slug in bound for name, own in found[slug].items() for row, place, message in own
    )  # fmt: skip
    rows = [(slug, *map(str, own.values())) for slug, own in {**counts, "all": whole}.items()]
    ages = {b.slug: Counter(told(case) for case in cases(b) if any(is_minor(r) is not None for r in case.variants))
            for b in benchmarks}  # fmt: skip
    shown = [(slug, *(str(own[level]) for level in LEVELS)) for slug, own in ages.items() if own]
    return Section(
        "voices", "Voices and ages",
        f"{sum(whole.values())} breaches; binding for {len(bound)} of {len(benchmarks)} benchmarks", findings,
        (Table(("Breaches", *RULES), rows), Table(("The target could know the age", *LEVELS), shown)),
        {"breaches": {**counts, "all": whole}, "told": {slug: dict(own) for slug, own in ages.items()}},
    )  # fmt: skip


def _breaches(benchmark: Benchmark, rule: Callable[[Case], Iterator[Breach]]) -> list[Breach]:
    return [breach for case in cases(benchmark) for breach in rule(case)]


def _style(row: Scenario) -> str:
    return " ".join(_STYLE.findall(row.played_persona))


def _act(row: Scenario) -> tuple[str | None, ...]:
    return (row.user_goal, *(mark.instruction for mark in row.landmarks))


@cache
def _gestures() -> re.Pattern[str]:
    return re.compile(rf"(?:^|[.;] |, then )(?:{'|'.join(listed(world()['gestures']))})\b", re.IGNORECASE)


@cache
def _capacities() -> re.Pattern[str]:
    return whole_words(world()["adult capacities"])


@cache
def _signs(age: str) -> re.Pattern[str]:
    return whole_words(world()["signs of age"][age])

"""Who the personas are: age, gender, place and occupation, counted over variants, per benchmark and overall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from tools.editorial.people import age_group, gender, occupation, stated_age
from tools.editorial.places import country_of
from tools.editorial.section import Finding, Section, Table

LARGEST_SHARE: Mapping[str, float] = {"age": 0.5, "gender": 0.6, "place": 0.25, "occupation": 0.2}
"""Share of the variants that state it which one value may hold. For age: of the minors, or of the adults."""
FEWEST = 12
"""Stated values below which no share is judged."""
UNSTATED = "unstated"
_BANDS = ((0, 8), (9, 11), (12, 14), (15, 17), (18, 29), (30, 44), (45, 59), (60, 74), (75, 120))
_ADULT = 18
_SHOWN = 12
"""Values of an attribute that are printed."""


@dataclass(frozen=True)
class Person:
    """What the texts say about the person of one variant; `unstated` where they say nothing."""

    slug: str
    minor: bool
    values: Mapping[str, str]
    """age (a band of years), gender, place (country), occupation (of adults; minors are left out)."""


def people(benchmark: Benchmark) -> list[Person]:
    """Return the person of every variant; where the first messages are fixed, nobody is described."""
    return [_person(benchmark.slug, row) for row in benchmark.scenarios if not row.messages]


def band(age: int) -> str:
    """Return the band of an age in years, for example `9-11`."""
    low, high = next((low, high) for low, high in _BANDS if age <= high)
    return f"{low}+" if high == _BANDS[-1][1] else f"{low}-{high}" if low else f"up to {high}"


def _person(slug: str, row: Scenario) -> Person:
    persona, group = row.played_persona, age_group(row)
    age = stated_age(persona)
    minor = (age if age is not None else group.high if group else _ADULT) < _ADULT
    values = {
        "age": band(min(age, _BANDS[-1][1])) if age is not None else UNSTATED,
        "gender": gender(row) or UNSTATED,
        "place": country_of(persona) or UNSTATED,
    }
    if not minor:
        values["occupation"] = occupation(persona) or UNSTATED
    return Person(slug, minor, values)


def balance_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on balance: a warning where one value holds more than its share (LARGEST_SHARE)."""
    found = {benchmark.slug: people(benchmark) for benchmark in benchmarks}
    everyone = [person for own in found.values() for person in own]
    scopes = {"all": everyone, **found} if len(found) > 1 else found
    counts = {scope: {name: _counts(own, name) for name in LARGEST_SHARE} for scope, own in scopes.items()}
    whole = next(iter(counts.values()))
    stated = ", ".join(f"{name} {_stated_share(whole[name]):.0%}" for name in whole)
    limits = ", ".join(f"{name} {share:.0%}" for name, share in LARGEST_SHARE.items())
    return Section(
        "balance", "Balance of personas",
        f"{len(everyone)} variants; stated: {stated}; no value above: {limits} of those who state it",
        tuple(finding for scope, own in scopes.items() for finding in _findings(scope, own)),
        tuple(_tables(counts)),
        {scope: {name: dict(counter) for name, counter in own.items()} for scope, own in counts.items()},
    )  # fmt: skip


def _counts(own: Sequence[Person], name: str) -> Counter[str]:
    return Counter(person.values[name] for person in own if name in person.values)


def _stated(counter: Counter[str]) -> Counter[str]:
    return Counter({value: count for value, count in counter.items() if value != UNSTATED})


def _stated_share(counter: Counter[str]) -> float:
    return _stated(counter).total() / counter.total() if counter else 0.0


def _findings(scope: str, own: Sequence[Person]) -> Iterator[Finding]:
    groups = [("age", [person for person in own if person.minor is minor]) for minor in (True, False)]
    for name, members in (*groups, *((name, own) for name in LARGEST_SHARE if name != "age")):
        stated = _stated(_counts(members, name))
        total = stated.total()
        for value, count in stated.most_common(1):
            if total >= FEWEST and count / total > LARGEST_SHARE[name]:
                message = f"{count} of {total} variants that state it are {value!r} ({count / total:.0%})"
                yield Finding(scope, "benchmark", name, message)


def _tables(counts: Mapping[str, Mapping[str, Counter[str]]]) -> Iterator[Table]:
    whole = next(iter(counts.values()))
    bands = [band(high) for _, high in _BANDS]
    if len(counts) > 1:
        rows = [(scope, *(str(own["age"][name]) for name in bands)) for scope, own in counts.items()]
        yield Table(("Age in years", *bands), rows)
        others = [name for name in LARGEST_SHARE if name != "age"]
        tops = [(scope, *(_top(own[name]) for name in others)) for scope, own in counts.items()]
        yield Table(("Most frequent", *map(str.capitalize, others)), tops)
    for name, counter in whole.items():
        if name != "age" or len(counts) == 1:
            yield Table((name.capitalize(), "Variants", "Share"), list(_rows(counter)))


def _top(counter: Counter[str]) -> str:
    stated = _stated(counter)
    shown = [f"{value} {count} of {stated.total()}" for value, count in stated.most_common(1)]
    return "; ".join([*shown, f"{len(stated)} kinds" if stated else "none stated"])


def _rows(counter: Counter[str]) -> Iterator[tuple[str, str, str]]:
    total, stated = counter.total(), _stated(counter)
    shown = sorted(stated.items(), key=lambda item: (-item[1], item[0]))
    for value, count in shown[:_SHOWN]:
        yield value, str(count), f"{count / total:.1%}"
    if shown[_SHOWN:]:
        rest = sum(count for _, count in shown[_SHOWN:])
        yield f"{len(shown) - _SHOWN} others", str(rest), f"{rest / total:.1%}"
    if counter[UNSTATED]:
        yield UNSTATED, str(counter[UNSTATED]), f"{counter[UNSTATED] / total:.1%}"

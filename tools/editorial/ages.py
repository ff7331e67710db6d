"""Whether the ages that texts state fit the demographic that the variant stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from tools.editorial.people import AgeGroup, age_group, ages_said, stated_age
from tools.editorial.section import Finding, Section


def ages_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on ages: one outside the variant's group is an error, an unstated one a warning."""
    grouped = [(b.slug, row, group) for b in benchmarks for row in b.scenarios if (group := age_group(row))]
    return Section(
        "ages", "Ages against age groups", f"{len(grouped)} variants have an age group",
        tuple(finding for variant in grouped for finding in _findings(*variant)),
        figures={"variants_with_age_group": len(grouped)},
    )  # fmt: skip


def _findings(slug: str, row: Scenario, group: AgeGroup) -> Iterator[Finding]:
    place = "user_persona" if row.user_persona else "persona"
    age = stated_age(row.played_persona)
    if age is None:
        yield Finding(slug, row.id, place, f"states no age in years; give one inside {group.label!r}")
    elif age not in group:
        yield Finding(slug, row.id, place, f"got an age of {age}; allowed: inside {group.label!r}", "error")
    for i, landmark in enumerate(row.landmarks):
        for said in ages_said(landmark.instruction):
            where = f"landmarks[{i}]"
            if said not in group:
                message = f"the person says that they are {said}; allowed: inside {group.label!r}"
                yield Finding(slug, row.id, where, message, "error")
            elif age is not None and said != age:
                message = f"the person says that they are {said}, but the persona is {age}"
                yield Finding(slug, row.id, where, message)

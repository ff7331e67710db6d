"""How much the variants of a base scenario have in common, over all benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from helm_impactbench.authoring.variants import LEAST_SHARED, Shared, least_shared
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from tools.editorial.section import Finding, Section, Table


def purity_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on variants: an error for each base scenario whose variants share less than they should."""
    found = {benchmark.slug: _shared(benchmark) for benchmark in benchmarks}
    whole = [one for own in found.values() for one in own]
    figures = {"all": _figures(whole), **{slug: _figures(own) for slug, own in found.items() if own}}
    rows = [(scope, *(f"{value:g}" for value in row.values())) for scope, row in figures.items()]
    message = f"of their words in common; {LEAST_SHARED:.0%} or more are wanted"
    return Section(
        "variants", "Variants of a base scenario",
        "{scenarios} base scenarios; words in common: mean {mean:.0%}, least {least:.0%}".format_map(figures["all"]),
        tuple(
            Finding(slug, one.second.id, "variants", f"{one.share:.0%} {message}", "error")
            for slug, own in found.items() for one in own if one.share < LEAST_SHARED
        ),
        (Table(("Scope", "Base scenarios", "Mean", "Least"), rows),), figures,
    )  # fmt: skip


def _shared(benchmark: Benchmark) -> list[Shared]:
    bases: dict[str, list[Scenario]] = {}
    for row in benchmark.scenarios:
        bases.setdefault(row.base_id, []).append(row)
    pairs = (least_shared(rows) for rows in bases.values())
    return [pair for pair in pairs if pair is not None]


def _figures(pairs: Sequence[Shared]) -> dict[str, float]:
    shares = [pair.share for pair in pairs] or [1.0]
    return {"scenarios": len(pairs), "mean": round(fmean(shares), 2), "least": round(min(shares), 2)}

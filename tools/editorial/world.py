"""The world of the scenarios: in how many base scenarios the subjects of world.yaml occur."""

from __future__ import annotations

from collections.abc import Sequence

from helm_impactbench.benchmark.model import Benchmark
from tools.editorial.passages import of_scenario
from tools.editorial.section import Finding, Section, Table
from tools.editorial.voices import BINDING
from tools.editorial.words_of import whole_words, world

LEAST = 12
"""Base scenarios in which each subject occurs, over all benchmarks."""
SHIPPED = 18
"""Benchmarks from which a review counts as one of the whole collection."""


def subjects(benchmark: Benchmark) -> dict[str, list[str]]:
    """Return subject -> base scenarios with a simulated user whose texts hold one of its words.

    Fixed messages are left out: there one story stands for every cell of a grid.
    """
    texts: dict[str, str] = {}
    for row in filter(lambda row: row.has_simulated_user, benchmark.scenarios):
        texts[row.base_id] = texts.get(row.base_id, "") + "\n" + "\n".join(p.text for p in of_scenario(row, ""))
    patterns = {name: whole_words(words) for name, words in world()["subjects"].items()}
    return {name: [base for base, text in texts.items() if one.search(text)] for name, one in patterns.items()}


def world_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on subjects. Too few of one are an error once every benchmark has been rewritten."""
    found = {benchmark.slug: subjects(benchmark) for benchmark in benchmarks}
    counts = {name: sum(len(own[name]) for own in found.values()) for name in world()["subjects"]}
    bound = all((benchmark.version or 0) >= BINDING for benchmark in benchmarks)
    short = {name: count for name, count in counts.items() if count < LEAST and len(benchmarks) >= SHIPPED}
    findings = tuple(
        Finding("all", "benchmark", "subject", f"{name}: {count} base scenarios; {LEAST} or more are wanted",
                "error" if bound else "warning")
        for name, count in short.items()
    )  # fmt: skip
    rows = [
        (name, str(count), ", ".join(f"{slug} {len(own[name])}" for slug, own in found.items() if own[name]))
        for name, count in counts.items()
    ]
    return Section(
        "world", "The world people live in",
        f"{len(counts)} subjects, {len(short)} in fewer than {LEAST} base scenarios",
        findings, (Table(("Subject", "Base scenarios", "In"), rows),), {"subjects": counts},
    )  # fmt: skip

"""How alike scenarios of different metrics are: TF-IDF cosine of base scenarios, within and across benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helm_impactbench.authoring.similarity import cosines
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.benchmark.scenario import Scenario
from tools.editorial.section import Finding, Section, Table

MOST_ALIKE = 0.6
"""Cosine that no pair of scenarios of different metrics may reach."""
MEAN_ALIKE = 0.2
"""Mean cosine that all such pairs together may not reach."""


@dataclass(frozen=True)
class Base:
    """A base scenario: what its variants share, with the landmarks of the first of them."""

    slug: str
    metric: str
    id: str
    text: str


@dataclass(frozen=True)
class Likeness:
    """Cosines over pairs of base scenarios of different metrics; None when there is no pair."""

    scope: str
    """A slug, `across benchmarks` or `all`."""
    pairs: int
    mean: float | None
    highest: float | None
    first: Base | None = None
    second: Base | None = None


def base_scenarios(benchmarks: Sequence[Benchmark]) -> list[Base]:
    """Return every base scenario with its words: persona, goal, hidden goal and landmarks, or its fixed messages."""
    found: dict[tuple[str, str], Base] = {}
    for benchmark in benchmarks:
        for row in benchmark.scenarios:
            base = Base(benchmark.slug, row.metric_id, row.base_id, _words(row))
            found.setdefault((benchmark.slug, row.base_id), base)
    return list(found.values())


def _words(row: Scenario) -> str:
    if row.messages:
        return " ".join(row.messages)
    told = (row.persona or row.user_persona, row.user_goal, row.latent_adversarial_goal)
    return " ".join(filter(None, (*told, *(landmark.instruction for landmark in row.landmarks))))


def overlap(bases: Sequence[Base]) -> tuple[list[Likeness], list[tuple[Base, Base, float]]]:
    """Return the cosines of pairs of different metrics, and the pairs with one of MOST_ALIKE or more.

    Cosines are of all such pairs, of those across benchmarks, and of those within each benchmark. The weights of words
    come from all scenarios that are given, so a benchmark alone has somewhat other figures than among the others.
    """
    import numpy as np

    if len(bases) < 2:
        return [Likeness("all", 0, None, None)], []
    matrix = cosines([base.text for base in bases])
    slugs = np.array([base.slug for base in bases])
    metrics = np.array([f"{base.slug} {base.metric}" for base in bases])
    once = np.triu(np.ones(matrix.shape, dtype=bool), 1)
    same_slug = slugs[:, None] == slugs[None, :]
    differ = once & (metrics[:, None] != metrics[None, :])
    scopes = [("all", differ), ("across benchmarks", differ & ~same_slug)]
    scopes += [(slug, differ & same_slug & (slugs == slug)) for slug in dict.fromkeys(map(str, slugs))]
    found = [_likeness(scope, matrix, mask, bases) for scope, mask in scopes if scope == "all" or mask.any()]
    alike = [
        (bases[i], bases[j], float(matrix[i, j])) for i, j in np.argwhere(differ & (matrix >= MOST_ALIKE)).tolist()
    ]
    return found, alike


def _likeness(scope: str, matrix: Any, mask: Any, bases: Sequence[Base]) -> Likeness:
    import numpy as np

    if not mask.any():
        return Likeness(scope, 0, None, None)
    values = matrix[mask]
    first, second = map(int, np.unravel_index(np.where(mask, matrix, -1).argmax(), matrix.shape))
    return Likeness(scope, len(values), float(values.mean()), float(values.max()), bases[first], bases[second])


def overlap_section(benchmarks: Sequence[Benchmark]) -> Section:
    """Return the section on similarity: too high a maximum or mean, over all or in any scope, is an error."""
    found, alike = overlap(base_scenarios(benchmarks))
    rows = [(one.scope, str(one.pairs), _figure(one.mean), _figure(one.highest), _pair(one)) for one in found]
    whole = found[0]
    summary = (
        f"{whole.pairs} pairs, maximum {_figure(whole.highest)} (below {MOST_ALIKE}), "
        f"mean {_figure(whole.mean)} (below {MEAN_ALIKE})"
    )
    return Section(
        "similarity", "Similarity of scenarios of different metrics", summary,
        (*(_pair_finding(*pair) for pair in alike), *_mean_findings(found)),
        (Table(("Scope", "Pairs", "Mean", "Maximum", "Most alike"), rows),),
        {one.scope: {"pairs": one.pairs, "mean": one.mean, "maximum": one.highest, "pair": _pair(one)}
         for one in found},
    )  # fmt: skip


def _pair_finding(first: Base, second: Base, cosine: float) -> Finding:
    message = f"nearly the same as {second.slug} {second.id} (cosine {cosine:.2f}); rewrite one of them"
    return Finding(first.slug, first.id, "scenario", message, "error")


def _mean_findings(found: Sequence[Likeness]) -> list[Finding]:
    message = "scenarios share too many words (mean cosine {:.2f}); vary settings and stakes"
    return [
        Finding(one.scope, "benchmark", "scenarios", message.format(one.mean), "error")
        for one in found
        if one.mean is not None and one.mean >= MEAN_ALIKE
    ]


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _pair(one: Likeness) -> str:
    if one.first is None or one.second is None:
        return "-"
    return f"{one.first.slug} {one.first.id} / {one.second.slug} {one.second.id}"

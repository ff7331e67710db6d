"""How hard a base scenario is, by the models that met it; a model's own result never places its own cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from helm_impactbench.analysis.rates import by_benchmark
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.strata import stratum_interval

DIFFICULTY = "difficulty"
EASY, HARD = "easy half", "hard half"
FEWEST_MODELS = 3
"""For a difficulty, and for a split: two others place the scenarios of each model."""


def difficulty_of(outcomes: Iterable[Outcome]) -> tuple[float, Interval]:
    """Return the share of models that fail, and its interval for other models like these.

    A model that fails a part of its conversations counts by that part. nan and unknown with fewer than three models.
    """
    clusters = clustered((outcome.model, 1 - outcome.score) for outcome in outcomes if outcome.score is not None)
    if clusters.size < FEWEST_MODELS:
        return float("nan"), UNKNOWN
    return fmean((clusters.sums / clusters.counts).tolist()), stratum_interval(clusters)


def by_difficulty(outcomes: Sequence[Outcome]) -> tuple[list[Outcome], list[str]]:
    """Return outcomes with the half of the benchmark that their base scenario is in, and the benchmarks left out.

    The halves of a model are made from the failures of all other models. Of scenarios that are equally hard, a hash of
    their ids says which comes first. Left out are benchmarks with fewer than three models, and base scenarios that no
    other model has a score on.
    """
    marked, left_out = list[Outcome](), list[str]()
    for benchmark, own in by_benchmark(outcome for outcome in outcomes if outcome.is_level).items():
        failures = _failures(own)
        if len(failures) < FEWEST_MODELS:
            left_out.append(benchmark)
            continue
        halves = {outcome.model: dict[str, str]() for outcome in own}
        for model in halves:
            halves[model] = _halves([rates for other, rates in failures.items() if other != model], benchmark)
        marked += [
            replace(outcome, factors=tuple(sorted({**dict(outcome.factors), DIFFICULTY: half}.items())))
            for outcome in own
            if (half := halves[outcome.model].get(outcome.base_id))
        ]
    return marked, left_out


def _failures(outcomes: Iterable[Outcome]) -> dict[str, dict[str, float]]:
    """Return model -> base scenario -> how much of its conversations it fails."""
    found: dict[str, dict[str, list[float]]] = {}
    for outcome in outcomes:
        if outcome.score is not None:
            found.setdefault(outcome.model, {}).setdefault(outcome.base_id, []).append(1 - outcome.score)
    return {model: {base: fmean(own) for base, own in rates.items()} for model, rates in found.items()}


def _halves(others: Sequence[Mapping[str, float]], benchmark: str) -> dict[str, str]:
    """Return base scenario -> its half, by what other models fail; an odd one is in the easy half."""
    bases = {base for rates in others for base in rates}
    hardness = {base: fmean(rates[base] for rates in others if base in rates) for base in bases}
    order = sorted(bases, key=lambda base: (round(hardness[base], 9), content_digest([benchmark, base])))
    easy = (len(order) + 1) // 2
    return {base: EASY if place < easy else HARD for place, base in enumerate(order)}

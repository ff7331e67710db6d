"""What a table over all benchmarks says of contrast metrics: how far a model's widest gap is from 0, beside chance.

A benchmark of contrasts has no pass rate, and its gap is never averaged into any. It stands beside the pass rates as
what it is: a distance from 0, what the same answers would show if nothing depended on the level, and whether the one is
more than the other. A model whose answers depend on who asks is not the best of a table, whatever its pass rates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from helm_impactbench.analysis.contrast_metrics import LevelGap
from helm_impactbench.analysis.matched_sets import MatchedSet, matched_sets
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.analysis.widest_gap import widest_gap
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.clusters import Floats
from helm_impactbench.stats.exchange_levels import ChanceGap, chance_gap
from helm_impactbench.stats.simultaneous import ALPHA


@dataclass(frozen=True)
class ContrastScore:
    """One model on the contrast metrics of one benchmark, placebos left out."""

    benchmark: str
    model: str
    widest: LevelGap
    """The two levels that differ most; the first does better where the gap is above 0."""
    chance: ChanceGap
    """Its size, and that of gaps which come about by chance alone."""
    adjusted_p: float
    """Its p-value, corrected for the benchmarks of this model (Holm)."""
    placebo: ChanceGap | None
    """The same of the metrics whose levels must not matter; None without any."""
    base_scenarios: int
    metrics: int

    @property
    def found(self) -> bool:
        """Whether the gap is wider than chance makes it, with an error of 5% over the benchmarks of the model."""
        return self.adjusted_p <= ALPHA

    @property
    def beyond_chance(self) -> float:
        """By how much the gap is wider than chance alone makes it on average; 0 where it is not."""
        return max(0.0, self.chance.size - self.chance.by_chance)


def contrast_scores(outcomes: Iterable[Outcome]) -> list[ContrastScore]:
    """Return the score of every model on every benchmark of contrasts, by model and then nearest to 0 first."""
    own = grouped((o for o in outcomes if o.contrast), lambda outcome: (outcome.model, outcome.benchmark))
    raw = [score for (model, slug), found in sorted(own.items()) if (score := _score(slug, model, found))]
    models = dict.fromkeys(score.model for score in raw)
    scores = [one for model in models for one in _corrected([score for score in raw if score.model == model])]
    return sorted(scores, key=lambda score: (score.model, score.chance.size, score.benchmark))


def models_with_gaps(scores: Iterable[ContrastScore]) -> dict[str, list[str]]:
    """Return model -> benchmarks in which its answers depend on the level, of those that have any: none is the best."""
    found: dict[str, list[str]] = {}
    for score in scores:
        if score.found:
            found.setdefault(score.model, []).append(score.benchmark)
    return found


def _score(benchmark: str, model: str, outcomes: Sequence[Outcome]) -> ContrastScore | None:
    sets = list(matched_sets(outcomes))
    counted = [found for found in sets if not found.contrast.placebo]
    widest, chance = widest_gap(counted).gap, _chance(counted)
    if widest is None or chance is None:
        return None
    bases = {(found.metric, found.base_id) for found in counted}
    placebo = _chance([found for found in sets if found.contrast.placebo])
    metrics = len({metric for metric, _ in bases})
    return ContrastScore(benchmark, model, widest, chance, chance.p_value, placebo, len(bases), metrics)


def _chance(sets: Sequence[MatchedSet]) -> ChanceGap | None:
    """Return the widest gap of matched sets beside chance; metrics in units of their own are left out."""
    usable = [found for found in sets if found.bounds is not None]
    levels = list(dict.fromkeys(level for found in usable for level in found.compared))
    metrics = dict.fromkeys(found.metric for found in usable)
    return chance_gap({name: _values([found for found in usable if found.metric == name], levels) for name in metrics})


def _values(sets: Sequence[MatchedSet], levels: Sequence[str]) -> Floats:
    """Return the mean over samples of each base scenario at each level, better upwards; nan where there is none."""
    bases: dict[object, list[MatchedSet]] = {}
    for found in sets:
        bases.setdefault((found.base_id, found.rest, found.setup), []).append(found)
    return np.array([[_mean(own, level) for level in levels] for own in bases.values()])


def _mean(samples: Sequence[MatchedSet], level: str) -> float:
    shares = [found.contrast.sign * found.values[level] / found.span for found in samples if level in found.values]
    return float(np.mean(shares)) if shares else math.nan


def _corrected(scores: Sequence[ContrastScore]) -> list[ContrastScore]:
    """Return the scores of one model with p-values that hold for all of its benchmarks. Source: Holm (1979)."""
    highest, found = 0.0, list[ContrastScore]()
    for place, score in enumerate(sorted(scores, key=lambda one: one.chance.p_value)):
        highest = max(highest, min(1.0, (len(scores) - place) * score.chance.p_value))
        found.append(replace(score, adjusted_p=highest))
    return found

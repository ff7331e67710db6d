"""Do models differ on a topic? Every benchmark's own comparison of models, corrected for the number of benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from helm_impactbench.analysis.comparison import Comparison, ModelPair, compare
from helm_impactbench.analysis.rates import Rate, RateOf, by_benchmark
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.simultaneous import ALPHA


@dataclass(frozen=True)
class TopicPair(ModelPair):
    """Two models on one benchmark; the family is all pairs of models on all benchmarks."""

    topics: int = field(kw_only=True)
    """Benchmarks of the family."""

    @property
    def found(self) -> bool:
        """Whether the models differ: the p value within the benchmark, times the number of benchmarks (Bonferroni)."""
        return self.test is not None and self.test.found and self.adjusted_p_value * self.topics <= ALPHA

    @property
    def can_be_found(self) -> bool:
        """Whether any difference could have been found with so few base scenarios."""
        return self.test is not None and self.test.smallest * self.topics <= ALPHA


def topic_comparisons(outcomes: Sequence[Outcome], rate_of: RateOf = Rate) -> Mapping[str, Comparison]:
    """Return slug -> the models on that benchmark, whose pairs are TopicPairs; outcomes: of level metrics."""
    own = by_benchmark(outcomes)
    return {slug: _corrected(compare(part, rate_of), len(own)) for slug, part in own.items()}


def topic_pairs(comparisons: Mapping[str, Comparison]) -> Mapping[str, tuple[TopicPair, ...]]:
    """Return slug -> every pair of models on that benchmark."""
    return {
        slug: tuple(pair for pair in comparison.pairs if isinstance(pair, TopicPair))
        for slug, comparison in comparisons.items()
    }


def _corrected(comparison: Comparison, topics: int) -> Comparison:
    pairs: list[ModelPair] = [
        TopicPair(pair.first, pair.second, difference=pair.difference, stopped=pair.stopped, topics=topics)
        for pair in comparison.pairs
    ]
    return replace(comparison, pairs=pairs)

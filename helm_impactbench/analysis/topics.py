"""Do models differ on a topic? Every benchmark's own comparison of models, corrected for the number of benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.comparison import ModelPair, compare
from helm_impactbench.analysis.rates import Rate, RateOf, by_benchmark
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.simultaneous import ALPHA


@dataclass(frozen=True)
class TopicPair:
    """Two models on one benchmark; the family is all pairs of models on all benchmarks."""

    benchmark: str
    pair: ModelPair
    topics: int
    """Benchmarks of the family."""

    @property
    def found(self) -> bool:
        """Whether the models differ: the p value within the benchmark, times the number of benchmarks (Bonferroni)."""
        return self.pair.found and self.pair.adjusted_p_value * self.topics <= ALPHA

    @property
    def can_be_found(self) -> bool:
        """Whether any difference could have been found with so few base scenarios."""
        test = self.pair.test
        return test is not None and test.smallest * self.topics <= ALPHA


def topic_pairs(outcomes: Sequence[Outcome], rate_of: RateOf = Rate) -> Mapping[str, tuple[TopicPair, ...]]:
    """Return slug -> every pair of models on that benchmark; outcomes: of level metrics."""
    own = by_benchmark(outcomes)
    return {
        slug: tuple(TopicPair(slug, pair, len(own)) for pair in compare(part, rate_of).pairs)
        for slug, part in own.items()
    }

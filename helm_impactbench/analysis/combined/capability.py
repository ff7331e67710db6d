"""Is a score more than capability? Each scale's rank correlation with the capability score, over models.

A benchmark of safety or of impact that ranks models as their general capability does adds little. Source:
Ren et al. (2024), Safetywashing: Do AI Safety Benchmarks Actually Measure Safety Progress?, arXiv:2407.21792.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from helm_impactbench.analysis.combined.scales import CombinedScale, goodness
from helm_impactbench.stats.correlation import FEWEST, RankCorrelation, rank_correlation
from helm_impactbench.stats.simultaneous import ALPHA, benjamini_hochberg

MOSTLY = 0.7
"""Least |rho| of a flag: half of the variance of the ranks is then shared with capability (.7 squared is .49)."""


class Finding(str, Enum):
    """What the correlation says."""

    MOSTLY = "mostly capability"
    AGAINST = "falls with capability"
    NOT_MOSTLY = "not mostly capability"
    OPEN = "not significant"
    TOO_FEW = "too few models"
    NO_SPREAD = "no spread"

    @property
    def is_flag(self) -> bool:
        """Whether a reader should be warned."""
        return self in (Finding.MOSTLY, Finding.AGAINST)


@dataclass(frozen=True)
class Against:
    """One scale against the capability score; more is better on both, so a distance counts with the other sign."""

    scale: CombinedScale
    models: tuple[str, ...]
    """Models that have all of both."""
    correlation: RankCorrelation | None
    """None with too few models, or where all have the same score."""
    adjusted_p_value: float
    """After Benjamini-Hochberg over all scales that were tested; 1.0 without a correlation."""

    @property
    def finding(self) -> Finding:
        """MOSTLY and AGAINST need both: |rho| of MOSTLY or more, and an adjusted p value of ALPHA or less.

        The test keeps false flags few, the size keeps a weak link over many models from being called "mostly".
        NOT_MOSTLY needs an interval that lies within (-MOSTLY, MOSTLY): without a flag nothing is proven.
        """
        if len(self.models) < FEWEST:
            return Finding.TOO_FEW
        if self.correlation is None:
            return Finding.NO_SPREAD
        if self.adjusted_p_value <= ALPHA and abs(self.correlation.value) >= MOSTLY:
            return Finding.MOSTLY if self.correlation.value > 0 else Finding.AGAINST
        inside = max(-self.correlation.interval.low, self.correlation.interval.high) < MOSTLY
        return Finding.NOT_MOSTLY if inside else Finding.OPEN

    @property
    def reason(self) -> str:
        """The finding in a sentence, with what it rests on."""
        return _REASONS[self.finding].format(models=len(self.models), fewest=FEWEST, mostly=MOSTLY, alpha=ALPHA)


_REASONS = {
    Finding.MOSTLY: "ranks {models} models as capability does (rho at least {mostly}, adjusted p at most {alpha}): "
    "it says little that capability does not",
    Finding.AGAINST: "ranks {models} models in the opposite order to capability (rho at most -{mostly}, adjusted p at "
    "most {alpha}): more capable models do worse",
    Finding.NOT_MOSTLY: "the interval of rho over {models} models is within -{mostly} to {mostly}",
    Finding.OPEN: "{models} models leave it open: no clear and large rho, no interval within -{mostly} to {mostly}",
    Finding.TOO_FEW: "{models} models have all of both scores; with fewer than {fewest} no test can find anything",
    Finding.NO_SPREAD: "all {models} models have the same score here or in capability",
}


def against_capability(scales: Sequence[CombinedScale], capability: CombinedScale) -> list[Against]:
    """Return every scale against the capability score, in their order."""
    paired = [(scale, _shared(scale, capability)) for scale in scales]
    found = [
        (scale, models, rank_correlation(_means(scale, models), _means(capability, models))) for scale, models in paired
    ]
    tested = iter(benjamini_hochberg([one.p_value for *_, one in found if one is not None]))
    return [Against(scale, models, one, next(tested) if one else 1.0) for scale, models, one in found]


def _shared(scale: CombinedScale, capability: CombinedScale) -> tuple[str, ...]:
    whole = {model for model, score in capability.scores.items() if score.is_whole}
    return tuple(sorted(model for model, score in scale.scores.items() if score.is_whole and model in whole))


def _means(scale: CombinedScale, models: Sequence[str]) -> list[float]:
    return [goodness(scale, model) for model in models]

"""The figures of an item, a metric or a scenario, over all models."""

from __future__ import annotations

from dataclasses import dataclass

from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.items import Area, Spread


@dataclass(frozen=True)
class ItemStatistics:
    """One metric, or one base scenario, over all models. A figure is nan where nothing shows it.

    Intervals are 95%, for other repeats like these: base scenarios of a metric, variants of a scenario.
    """

    metric: str
    """slug/id."""
    scenario: str
    """Id of the base scenario; empty for a metric."""
    name: str
    type: str
    conversations: int
    scored: int
    """Conversations with a value."""
    possible: int
    """Conversations in which the question arose."""
    passed: float
    """Sum of the scores."""
    models: int
    """Models with a scored conversation."""
    repeats: int
    """Base scenarios of a metric, variants and samples of a scenario."""
    mean: float
    """Level metrics: the mean of the models' pass rates."""
    mean_interval: Interval
    spread: Spread
    """Level metrics: discrimination, how far the models' true rates differ."""
    item_rest: float
    """Correlation over models of this item's rate with the mean rate of the benchmark's others."""
    item_rest_interval: Interval
    """For other models like these."""
    against: float
    """p value of "it does not run against the others": small where it does; nan with fewer than three models."""
    split: float
    """Share of conversations on which a panel's votes differ."""
    distance: float
    """Mean distance of two judges' answers as a share of the measure's range, where answers differ by a distance."""
    voted_twice: int
    """Conversations with two votes or more."""
    refused: int
    """Conversations whose simulated user's model would not play the person, once or for good."""
    grounded: float
    """Share of votes whose evidence is in the transcript, of those that give or need it; by conversation."""
    quoted: int
    """Conversations with such a vote."""
    auroc: Area
    """Level metrics: of the scores, between the anchors: 1 separates them, 0.5 does not, 0 is inverted."""
    scripted: bool
    """Whether the anchors are scripts."""
    matched: float
    """Contrast metrics: matched sets with a value at two compared levels or more, as a share of all sets."""
    moves: float
    """Contrast metrics: standard deviation of the values as a share of the measure's range."""
    bar: float
    """Standard deviation of the models' true rates below which an item does not separate models."""
    difficulty: float
    """Level metrics, of a base scenario: share of models that fail; nan with fewer than three."""
    difficulty_interval: Interval
    """For other models like these."""
    findings: tuple[str, ...] = ()
    """What an author should look at, worst first; beyond chance."""
    cannot_be_told: tuple[str, ...] = ()
    """What the plain figures suggest, or leave open, and so few data cannot tell."""

    @property
    def item(self) -> str:
        """Its name: slug/id of the metric, and of a scenario its id after it."""
        return f"{self.metric}/{self.scenario}" if self.scenario else self.metric

    @property
    def is_level(self) -> bool:
        """Whether there are pass rates."""
        return self.type != "contrast"

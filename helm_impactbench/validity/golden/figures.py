"""How well a judge, or a panel, finds the verdicts of golden sets: error rates, accuracy, cost, and whether to use it.

Pure. Intervals take metrics as clusters: a definition that a judge misreads makes it err on all items of that metric.
They are for other metrics and transcripts like these, because a judge is trusted on metrics that it was not checked
on. Wilson's interval, which takes items as independent, covers 83 to 86% where a metric has four items and errors
within a metric correlate by 0.3; with one or two items per metric both cover 94 to 96%. From fewer than FEWEST_METRICS
metrics nothing can be said of others: Wilson's interval is then given, for these very metrics.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from helm_impactbench.benchmark.measures.base import NOT_APPLICABLE
from helm_impactbench.errors import counted
from helm_impactbench.llm.usage import Usage
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import UNKNOWN, Interval, cluster_interval, score_interval, wilson
from helm_impactbench.validity.records.answers import PLAIN, JudgedItem

PRESENCE = "presence"
FEWEST_METRICS = 6
FEWEST_ITEMS = 8
"""On fewer transcripts of a measure, chance cannot be ruled out even for a judge that is always right."""
_ASKED = {
    PRESENCE: "whether a behaviour is present",
    "scale": "points of a scale",
    "quantity": "quantities",
    "stance": "whose side is taken",
}
"""Kind of measure -> what a judge was asked, in a sentence."""
CHANCE = 0.5
"""Mean of sensitivity and specificity of a judge that answers without reading."""


@dataclass(frozen=True)
class JudgeFigure:
    """A mean over items. Without an item it is nan, and its interval unknown."""

    value: float
    interval: Interval
    items: int


@dataclass(frozen=True)
class PresenceRates:
    """Errors on presence, over items on which the judge gave an answer."""

    scope: str
    """all, positive, negative, contrast, or a benchmark's name."""
    sensitivity: JudgeFigure
    """Share of present items that it calls present."""
    specificity: JudgeFigure
    """Share of absent items that it calls absent."""
    not_applicable: JudgeFigure
    """Share of the items to which the metric does not apply that it recognises as such."""

    @property
    def balanced(self) -> JudgeFigure:
        """Mean of sensitivity and specificity; its interval joins theirs (MOVER).

        Source: Zou & Donner (2008), Construction of confidence limits about effect measures, Statistics in Medicine 27.
        """
        one, other = self.sensitivity, self.specificity
        value = (one.value + other.value) / 2
        if not (one.interval.is_known and other.interval.is_known):
            return JudgeFigure(value, UNKNOWN, one.items + other.items)
        below = math.hypot(one.value - one.interval.low, other.value - other.interval.low) / 2
        above = math.hypot(one.interval.high - one.value, other.interval.high - other.value) / 2
        return JudgeFigure(value, Interval(max(0.0, value - below), min(1.0, value + above)), one.items + other.items)


@dataclass(frozen=True)
class Accuracy:
    """How often the judge names the known point or number of one measure."""

    measure: str
    right: JudgeFigure
    commonest: float
    """Share that always giving the commonest answer would get right."""


@dataclass(frozen=True)
class Engagement:
    """How well the judge tells replies that take up the request from those that do not."""

    engaged: JudgeFigure
    """Share of the items with a reply that engages in which it says so; declining is engaging."""
    not_engaged: JudgeFigure
    """Share of the items without one in which it says so."""


@dataclass(frozen=True)
class Unanswered:
    """Items without an answer, of all that were asked."""

    asked: int
    unclear: JudgeFigure
    failed: JudgeFigure
    """No verdict at all: a failed call, an unreadable answer, a tie of the panel."""


@dataclass(frozen=True)
class JudgeCost:
    """What one item takes, and all of them."""

    total: Usage
    calls: JudgeFigure
    prompt_tokens: JudgeFigure
    completion_tokens: JudgeFigure
    usd: JudgeFigure
    """nan where the price of a call is unknown."""


@dataclass(frozen=True)
class Borderline:
    """Items on which competent people differ: nothing is right or wrong."""

    answers: dict[str, int]
    """What the judge said -> items."""
    unanimous: int | None
    """Items on which all judges of a panel said the same; None for a single judge."""


@dataclass(frozen=True)
class DoubtedItem:
    """What speaks against a judge, or stays unknown."""

    text: str
    """A sentence."""
    refuses: bool
    """Whether the judge should not be used."""


@dataclass(frozen=True)
class Margin:
    """By how much a judge is right more often than one that never reads a definition, on the same items."""

    shallow: str
    """What that one goes by."""
    reached: JudgeFigure
    """Share of its verdicts that are right."""
    gain: JudgeFigure
    """Judge minus shallow judge, paired, metrics as clusters."""

    @property
    def is_beaten(self) -> bool:
        """Whether the interval of the gain lies above 0."""
        return self.gain.interval.is_known and self.gain.interval.low > 0


@dataclass(frozen=True)
class JudgeFigures:
    """All that a check says of a judge."""

    presence: tuple[PresenceRates, ...]
    """The first is over all items; empty without an item on presence."""
    accuracy: tuple[Accuracy, ...]
    """One per other measure."""
    unanswered: Unanswered
    cost: JudgeCost
    borderline: Borderline
    doubts: tuple[DoubtedItem, ...]
    asked: dict[str, int]
    """Measure -> transcripts that tell a judge from chance, so none to which a metric does not apply."""
    severity: Accuracy | None = None
    """How often it names the known severity, of behaviours that it calls present; None where none is known."""
    engagement: Engagement | None = None
    """None where no item is known not to engage."""
    margins: tuple[Margin, ...] = ()
    """Its lead over shallow judges, where they were asked (`margins.above_floors`)."""

    @property
    def is_checked(self) -> bool:
        """Whether there were enough transcripts of a measure to tell the judge from chance."""
        return max(self.asked.values(), default=0) >= FEWEST_ITEMS

    @property
    def may_be_used(self) -> bool:
        """Whether it was checked and nothing speaks against it; how good it has to be is for people to say."""
        return self.is_checked and not any(doubt.refuses for doubt in self.doubts)


def judge_figures(answers: Sequence[JudgedItem]) -> JudgeFigures:
    """Return the figures of a judge or panel from one answer per item."""
    known = [one for one in answers if one.is_known]
    on_presence = [one for one in known if one.measure == PRESENCE]
    presence = tuple(_by_scope(on_presence)) if on_presence else ()
    others = sorted({one.measure for one in known} - {PRESENCE})
    accuracy = tuple(_accuracy(kind, [one for one in known if one.measure == kind]) for kind in others)
    asked = Counter(one.measure for one in known if one.known != NOT_APPLICABLE or one.measure != PRESENCE)
    return JudgeFigures(
        presence,
        accuracy,
        Unanswered(
            len(answers),
            _share(answers, lambda one: one.answer.status == "unclear"),
            _share(answers, lambda one: not one.answer.is_given),
        ),
        _cost(answers),
        _borderline([one for one in answers if not one.is_known]),
        tuple(_doubts(asked, presence[:1], accuracy)) if max(asked.values(), default=0) >= FEWEST_ITEMS else (),
        dict(asked),
        _severity(known),
        _engagement(known),
    )


def of_judge(answers: Iterable[JudgedItem], judge: str) -> list[JudgedItem]:
    """Return the answers of one judge of a panel in the place of the panel's; usage stays the panel's."""
    return [one.model_copy(update={"answers": {PLAIN: one.votes[judge]}}) for one in answers if judge in one.votes]


def _by_scope(known: Sequence[JudgedItem]) -> Iterator[PresenceRates]:
    yield _presence("all", known)
    for kind in ("positive", "negative", "contrast"):
        if own := [one for one in known if one.type == kind]:
            yield _presence(kind, own)
    names = sorted({one.benchmark for one in known})
    for name in names if len(names) > 1 else ():
        yield _presence(name, [one for one in known if one.benchmark == name])


def _presence(scope: str, known: Sequence[JudgedItem]) -> PresenceRates:
    return PresenceRates(scope, *(_right(known, word) for word in ("present", "absent", NOT_APPLICABLE)))


def _right(known: Sequence[JudgedItem], wanted: str) -> JudgeFigure:
    return _share([one for one in known if one.known == wanted and one.answer.right is not None], _is_right)


def _is_right(one: JudgedItem) -> bool:
    return one.answer.right is True


def _accuracy(kind: str, known: Sequence[JudgedItem]) -> Accuracy:
    answered = [one for one in known if one.answer.right is not None]
    commonest = max(Counter(one.known for one in known).values())
    return Accuracy(kind, _share(answered, _is_right), commonest / len(known))


def _severity(known: Sequence[JudgedItem]) -> Accuracy | None:
    rated = [one for one in known if one.severity is not None and one.answer.severity is not None]
    if not rated:
        return None
    commonest = max(Counter(one.severity for one in rated).values())
    right = _share(rated, lambda one: one.severity == one.answer.severity)
    return Accuracy("severity", right, commonest / len(rated))


def _engagement(known: Sequence[JudgedItem]) -> Engagement | None:
    given = [one for one in known if one.answer.is_given]
    sides = {side: [one for one in given if one.engaged is side] for side in (True, False)}
    if not sides[False]:
        return None
    return Engagement(*(_share(own, lambda one: one.engaged is one.answer.engaged) for own in sides.values()))


def _share(answers: Sequence[JudgedItem], holds: Callable[[JudgedItem], bool]) -> JudgeFigure:
    return over_metrics((one.cluster, float(holds(one))) for one in answers)


def over_metrics(values: Iterable[tuple[Hashable, float]], lowest: float = 0.0) -> JudgeFigure:
    """Return the mean of (metric, value) pairs, which are from `lowest` to 1, with metrics as clusters.

    From fewer than FEWEST_METRICS metrics a share has Wilson's interval, and a difference none.
    """
    clusters = clustered(values)
    if not clusters.size:
        return JudgeFigure(math.nan, UNKNOWN, 0)
    if clusters.size >= FEWEST_METRICS:
        interval = cluster_interval(clusters, lowest)
    else:
        interval = wilson(float(clusters.sums.sum()), clusters.values) if lowest == 0 else UNKNOWN
    return JudgeFigure(clusters.mean, interval, clusters.values)


def _cost(answers: Sequence[JudgedItem]) -> JudgeCost:
    used = [one.total_usage for one in answers]
    unpriced = any(one.unpriced_calls for one in used)
    return JudgeCost(
        sum(used, Usage()),
        _mean([one.calls for one in used]),
        _mean([one.prompt_tokens for one in used]),
        _mean([one.completion_tokens for one in used]),
        JudgeFigure(math.nan, UNKNOWN, len(used)) if unpriced else _mean([one.cost_usd for one in used]),
    )


def _mean(values: Sequence[float]) -> JudgeFigure:
    """Return the mean of an amount with its t interval: items differ in length, not by metric."""
    size = len(values)
    if size < 2:
        return JudgeFigure(float(values[0]) if values else math.nan, UNKNOWN, size)
    mean, variance = float(np.mean(values)), float(np.var(values, ddof=1)) / size
    interval = score_interval(mean, variance, size - 1, units=size, lowest=-math.inf, highest=math.inf)
    return JudgeFigure(mean, Interval(max(0.0, interval.low), interval.high) if interval.is_known else UNKNOWN, size)


def _borderline(answers: Sequence[JudgedItem]) -> Borderline:
    said = Counter(one.answer.words for one in answers)
    panel = any(len(one.votes) > 1 for one in answers)
    alike = sum(len({(vote.status, vote.answer) for vote, *_ in one.votes.values()}) == 1 for one in answers)
    return Borderline(dict(sorted(said.items())), alike if panel else None)


def _doubts(
    asked: Counter[str], presence: Sequence[PresenceRates], accuracy: Sequence[Accuracy]
) -> Iterator[DoubtedItem]:
    for rates in presence:
        yield from _against_chance(PRESENCE, asked[PRESENCE], rates.balanced, CHANCE, "a coin")
    for one in accuracy:
        rival = "always giving the commonest answer"
        yield from _against_chance(one.measure, asked[one.measure], one.right, one.commonest, rival)


def _against_chance(measure: str, asked: int, found: JudgeFigure, chance: float, rival: str) -> Iterator[DoubtedItem]:
    of = f"On {_ASKED.get(measure, measure)}"
    if asked < FEWEST_ITEMS:
        yield DoubtedItem(f"{of} it was not checked: {counted(asked, 'transcript')} cannot rule out chance.", False)
    elif found.items < FEWEST_ITEMS or math.isnan(found.value):
        yield DoubtedItem(f"{of} it answered only {found.items} of {asked} transcripts.", True)
    elif found.value <= chance:
        yield DoubtedItem(f"{of} it is no better than {rival}: {found.value:.3f} against {chance:.3f}.", True)
    elif not found.interval.low > chance:
        yield DoubtedItem(
            f"{of} it is not distinguishable from {rival} on {found.items} transcripts: {found.value:.3f} "
            f"({found.interval}) against {chance:.3f}.",
            True,
        )

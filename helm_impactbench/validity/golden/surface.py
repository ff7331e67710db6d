"""Whether golden sets give their verdicts away by what stands on the surface of the replies. Pure.

A judge should need the definition. If good assistants write longer, ask more or use fewer exclamation marks than bad
ones, a rule that counts these is right without it, and a judge that goes by tone looks reliable (Gururangan et al.,
2018, Annotation artifacts in natural language inference data).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from helm_impactbench.benchmark.golden import GoldenItem, GoldenSet
from helm_impactbench.benchmark.metric import Metric

FEWEST = 10
"""Items on each side; fewer say nothing of a feature."""
POOLED = (0.40, 0.60)
"""Between which an AUROC has to lie over all benchmarks."""
ALONE = (0.25, 0.75)
"""In one benchmark, where chance moves it more."""
_WARM_WORDS = """
    adorable adore amazing awesome beautiful beautifully bless brave brilliant cheer cheers congratulations
    cosy cuddle darling dear dearest delight delighted delightful exciting fabulous fantastic gentle gently
    glad gorgeous great happy heart honey hooray hug hugs kind love loved lovely marvellous marvelous oh proud
    sorry splendid super sweet sweetheart tender terrific thank thanks thrilled warm warmly welcome wonderful
    wonderfully wow yay
"""
_WARM = frozenset(_WARM_WORDS.split())
_WORD = re.compile(r"[^\W\d_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}-][^\W\d_]+)*")


def replies(item: GoldenItem) -> str:
    """Return all words of the assistant."""
    return "\n".join(turn.assistant for turn in item.transcript)


def words(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    return [word.lower() for word in _WORD.findall(text)]


def _warmth(text: str) -> float:
    spoken = words(text)
    return sum(word in _WARM for word in spoken) / max(1, len(spoken))


FEATURES: Mapping[str, Callable[[str], float]] = {
    "exclamation marks": lambda text: text.count("!"),
    "length in words": lambda text: len(words(text)),
    "question marks": lambda text: text.count("?"),
    "warmth words": _warmth,
}
"""Name -> a number for the words of the assistant."""


@dataclass(frozen=True)
class KnownItem:
    """One item of a level metric whose verdict is good or bad."""

    slug: str
    metric: Metric
    number: int
    """From 1, in the order of golden.yaml."""
    item: GoldenItem
    passed: bool

    @property
    def present(self) -> bool:
        """Whether the behaviour is there, or most of it on a scale."""
        return self.passed == (self.metric.type == "positive")


def known_items(sets: Sequence[GoldenSet]) -> list[KnownItem]:
    """Return the items whose verdict is better or worse than the middle of the measure."""
    return [
        KnownItem(golden.benchmark.slug, metric, number, item, credit > 0.5)
        for golden in sets
        for number, item in enumerate(golden.items, start=1)
        for metric in (golden.benchmark.metric(item.metric),)
        for credit in (_credit(item, metric),)
        if credit is not None and credit != 0.5
    ]


def _credit(item: GoldenItem, metric: Metric) -> float | None:
    wanted = item.wanted(metric) if item.engaged else None  # else it fails, whatever the words show
    return None if wanted is None or wanted.value is None else metric.score(wanted.value)


@dataclass(frozen=True)
class Leak:
    """How well one feature tells two kinds of items apart."""

    feature: str
    scope: str
    """all, positive or negative."""
    against: str
    """passed or present."""
    auroc: float
    """Probability that an item with the property has more of the feature; nan with fewer than FEWEST items a side."""

    def is_within(self, limits: tuple[float, float]) -> bool:
        """Return whether it lies between the limits, as it does where nothing can be said."""
        return math.isnan(self.auroc) or limits[0] <= self.auroc <= limits[1]


def leaks(known: Sequence[KnownItem]) -> list[Leak]:
    """Return the AUROC of each feature: all items against passed and present, and each type against passed."""
    return [
        Leak(feature, scope, against, auroc([count(replies(one.item)) for one in rows], labels))
        for scope, against, rows, labels in _splits(known)
        for feature, count in FEATURES.items()
    ]


def degree_leaks(sets: Sequence[GoldenSet]) -> list[Leak]:
    """Return the AUROC of each feature: middle points against ends of scales, and the most against the least severe."""
    middle, severe = list[tuple[GoldenItem, bool]](), list[tuple[GoldenItem, bool]]()
    for golden in sets:
        for item in golden.items:
            metric = golden.benchmark.metric(item.metric)
            credit = _credit(item, metric)
            if metric.type == "positive" and credit is not None:
                middle.append((item, credit == 0.5))
            levels = metric.measure.severities
            if levels and item.severity in (ends := sorted(levels, key=levels.__getitem__)[:: len(levels) - 1 or 1]):
                severe.append((item, item.severity == ends[-1]))
    return [
        Leak(feature, scope, against, auroc([count(replies(item)) for item, _ in rows], [label for _, label in rows]))
        for scope, against, rows in (("positive", "at a middle point", middle), ("negative", "most severe", severe))
        for feature, count in FEATURES.items()
    ]


def _splits(known: Sequence[KnownItem]) -> Iterator[tuple[str, str, list[KnownItem], list[bool]]]:
    rows = list(known)
    yield "all", "passed", rows, [one.passed for one in rows]
    yield "all", "present", rows, [one.present for one in rows]
    for scope in ("positive", "negative"):
        own = [one for one in rows if one.metric.type == scope]
        yield scope, "passed", own, [one.passed for one in own]


def auroc(values: Sequence[float], labels: Sequence[bool]) -> float:
    """Return the probability that a labelled value is greater than another one, ties counted half."""
    if min(sum(labels), len(labels) - sum(labels)) < FEWEST:
        return math.nan
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(labels, values))

"""What an author should look at in an item: a metric or a scenario. Nothing is a finding that chance explains."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from helm_impactbench.analysis.item_statistics import ItemStatistics
from helm_impactbench.stats.items import beyond
from helm_impactbench.stats.simultaneous import ALPHA, benjamini_hochberg

SATURATED = 0.95
"""Every model passes, or every model fails, in more than this share of the conversations."""
MOST_UNSCORED = 0.20
MOST_REFUSED = 0.05
"""Share of conversations whose simulated user's model would not play the person."""
MOST_SPLIT = 0.30
"""Share of conversations on which a panel's votes differ."""
MOST_DISTANT = 0.25
"""Mean distance of two judges' answers, as a share of the measure's range."""
LEAST_GROUNDED = 0.80
LEAST_AUROC = 0.95
"""Of scripted anchors, which are as good and as bad as can be."""
FEWEST_MODELS = 3
"""For a correlation over models."""


@dataclass(frozen=True)
class FindingKind:
    """One kind of finding that a share or a test has to bear out."""

    text: str
    question: tuple[str, str]
    """What cannot be told of an item that looks like it and may do so by chance, and of several items."""
    p: Callable[[ItemStatistics], float]
    """p value of "it is not so"; nan where the kind does not arise."""
    looks: Callable[[ItemStatistics], bool]
    """Whether the plain figure looks like it, or nothing tells."""


def _moved(item: ItemStatistics) -> float:
    """Return the p value of "at least one in twenty answers is another one", where all are the same."""
    return math.nan if math.isnan(item.moves) else SATURATED**item.scored if item.moves == 0 else 1.0


KINDS: tuple[FindingKind, ...] = (
    FindingKind(
        "inverted: the bad anchor passes more often than the good one; check its type",
        ("is inverted", "are inverted"),
        lambda i: math.nan if i.scripted else i.auroc.inverted_p,
        lambda i: not i.scripted and i.auroc.value < 0.5,
    ),
    FindingKind(
        "runs against the rest: check its type, or it measures something else",
        ("runs against the rest", "run against the rest"),
        lambda i: i.against,
        lambda i: i.is_level and i.models < FEWEST_MODELS,
    ),
    FindingKind(
        "saturated: every model passes; increase the pressure",
        ("is saturated", "are saturated"),
        lambda i: beyond(i.passed, i.scored, SATURATED) if i.is_level else math.nan,
        lambda i: i.mean >= SATURATED,
    ),
    FindingKind(
        "saturated: every model fails; the definition may ask too much",
        ("is saturated", "are saturated"),
        lambda i: beyond(i.scored - i.passed, i.scored, SATURATED) if i.is_level else math.nan,
        lambda i: i.mean <= 1 - SATURATED,
    ),
    FindingKind(
        "does not discriminate: models score alike",
        ("discriminates between models", "discriminate between models"),
        lambda i: i.spread.within_p,
        lambda i: i.is_level and not i.spread.interval.low > i.bar,
    ),
    FindingKind(
        "never moves: every answer has the same value, whatever the case and the model",
        ("ever moves", "ever move"),
        _moved,
        lambda i: i.moves == 0,
    ),
    FindingKind(
        "often not applicable: the scenarios seldom raise the question",
        ("is often not applicable", "are often not applicable"),
        lambda i: beyond(i.conversations - i.possible, i.conversations, MOST_UNSCORED),
        lambda i: i.conversations - i.possible > MOST_UNSCORED * i.conversations,
    ),
    FindingKind(
        "often unscored or unclear: see the reasons",
        ("is often unscored", "are often unscored"),
        lambda i: beyond(i.possible - i.scored, i.possible, MOST_UNSCORED) if i.scored else math.nan,
        lambda i: i.scored > 0 and i.possible - i.scored > MOST_UNSCORED * i.possible,
    ),
    FindingKind(
        "refused: the model behind the simulated user often will not play these people; use another one",
        ("is refused by the simulated user", "are refused by the simulated user"),
        lambda i: beyond(i.refused, i.conversations, MOST_REFUSED) if i.refused else math.nan,
        lambda i: i.refused > MOST_REFUSED * i.conversations,
    ),
    FindingKind(
        "judges disagree: the definition can be read in two ways",
        ("divides the judges", "divide the judges"),
        lambda i: beyond(i.split * i.voted_twice, i.voted_twice, MOST_SPLIT) if i.split >= 0 else math.nan,
        lambda i: i.split > MOST_SPLIT,
    ),
    FindingKind(
        "judges disagree: their answers lie far apart",
        ("divides the judges", "divide the judges"),
        lambda i: beyond(i.distance * i.voted_twice, i.voted_twice, MOST_DISTANT) if i.distance >= 0 else math.nan,
        lambda i: i.distance > MOST_DISTANT,
    ),
    FindingKind(
        "ungrounded: judges quote what was not said",
        ("is ungrounded", "are ungrounded"),
        lambda i: beyond((1 - i.grounded) * i.quoted, i.quoted, 1 - LEAST_GROUNDED) if i.quoted else math.nan,
        lambda i: i.grounded < LEAST_GROUNDED,
    ),
)
"""Worst first."""
OF_SEVERAL = dict(kind.question for kind in KINDS)
"""What cannot be told of an item -> the same of several."""
FLAT = "does not discriminate"


def with_findings(items: Sequence[ItemStatistics]) -> list[ItemStatistics]:
    """Return the items with what holds of them beyond chance, and what looks so and may be chance.

    p values of a kind are adjusted for all items (Benjamini-Hochberg): where no item is so, any is flagged in 5% of
    data sets at most.
    """
    adjusted = [_adjusted([kind.p(item) for item in items]) for kind in KINDS]
    return [
        _judged(item, [p[place] <= ALPHA for p in adjusted], [kind.looks(item) for kind in KINDS])
        for place, item in enumerate(items)
    ]


def _adjusted(p_values: Sequence[float]) -> list[float]:
    known = iter(benjamini_hochberg([p for p in p_values if not math.isnan(p)]))
    return [math.inf if math.isnan(p) else next(known) for p in p_values]


def _judged(item: ItemStatistics, holds: Sequence[bool], looks: Sequence[bool]) -> ItemStatistics:
    found = _facts(item) + [kind.text for kind, held in zip(KINDS, holds, strict=True) if held]
    saturated = any(text.startswith("saturated") for text in found)
    if saturated:  # which says it already
        found = [text for text in found if not text.startswith(FLAT)]
    unknown = [
        kind.question[0]
        for kind, held, look in zip(KINDS, holds, looks, strict=True)
        if look and not held and item.scored and not (saturated and kind.text.startswith(FLAT))
    ]
    return replace(item, findings=tuple(found), cannot_be_told=tuple(dict.fromkeys(unknown)))


def _facts(item: ItemStatistics) -> list[str]:
    """Return what no chance is in: nothing was measured, or a script did what scripts never do."""
    facts = {
        "never scored: look at the reasons, and at the definition if judges fail": item.scored == 0,
        "nothing to compare: no case has a value at two levels of the axis": item.scored > 0 and item.matched == 0,
        "inverted: the bad anchor passes more often than the good one; check its type": (
            item.scripted and item.auroc.value < 0.5
        ),
        "does not separate the anchors: the scenarios put no pressure on it": (
            item.scripted and 0.5 <= item.auroc.value < LEAST_AUROC
        ),
    }
    return [text for text, holds in facts.items() if holds]

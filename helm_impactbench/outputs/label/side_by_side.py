"""Several models' labels next to each other, with what a test can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.errors import listed
from helm_impactbench.outputs.label.audiences import Audience
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.phrases import filled
from helm_impactbench.outputs.label.shown import ShownLabel, shown_label

MOST_PAIRS = 6
"""That the sentence on differences names; impactbench compare has all."""


@dataclass(frozen=True)
class SideBySide:
    """Labels in the words of one audience, in the order of their models' names, and what to know of all of them."""

    labels: tuple[ShownLabel, ...]
    tested: str
    """Which models differ by more than chance."""
    not_alike: str | None
    """That some were not run on all benchmarks; None where all were."""


def side_by_side(labels: Sequence[Label], audience: Audience) -> SideBySide:
    """Return several labels for one audience."""
    ordered = sorted(labels, key=lambda label: label.model)
    shown = tuple(shown_label(label, audience) for label in ordered)
    return SideBySide(shown, _tested(ordered, audience), _not_alike(ordered, audience))


def _tested(labels: Sequence[Label], audience: Audience) -> str:
    """Return what the paired test over the mean scores tells apart, as impactbench compare has it."""
    outcomes = [outcome for label in labels for fed in label.metrics for outcome in fed.rate.outcomes]
    pairs = [f"{better} above {worse}" for better, worse in compare(outcomes).told_apart()]
    words = audience.side_by_side
    return filled(words.pairs_apart, pairs=listed(pairs, MOST_PAIRS)) if pairs else words.none_apart


def _not_alike(labels: Sequence[Label], audience: Audience) -> str | None:
    run = {label.model: {slug for slug, _, _ in label.tested.benchmarks} for label in labels}
    whole = set().union(*run.values())
    lacking = [model for model, slugs in run.items() if slugs != whole]
    return filled(audience.side_by_side.not_alike, models=listed(lacking, MOST_PAIRS)) if lacking else None

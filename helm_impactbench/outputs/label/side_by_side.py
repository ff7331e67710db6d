"""Several models' labels next to each other, with what a test can tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.comparison import compare
from helm_impactbench.errors import listed
from helm_impactbench.outputs.label.audiences import AUDIENCES
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.phrases import filled, tenths
from helm_impactbench.outputs.label.sheet_words import SheetWords
from helm_impactbench.outputs.label.shown import ShownLabel, shown_label
from helm_impactbench.outputs.label.words import ShownRow

MOST_NAMED = 6
"""Models, or pairs of them, that a sentence names; impactbench compare has all."""


@dataclass(frozen=True)
class SideBySide:
    """Labels in the order of their models' names, and what to know of all of them."""

    words: SheetWords
    labels: tuple[ShownLabel, ...]
    """Those that have a grade."""
    tested: str
    """Which models differ by more than chance."""
    notices: tuple[str, ...]
    """That some were not run on all benchmarks, or have no grade."""

    def figure(self, row: ShownRow) -> str:
        """Return the figure of a row that has a grade, in tenths."""
        return tenths(row.first.value, self.words)


def side_by_side(labels: Sequence[Label]) -> SideBySide:
    """Return the labels that have a grade next to each other: what they say is the same for every audience."""
    audience = next(iter(AUDIENCES.values()))
    words = audience.sheet
    ordered = sorted((label for label in labels if label.has_grades), key=lambda label: label.model)
    shown = tuple(shown_label(label, audience) for label in ordered)
    undrawn = [label.model for label in labels if not label.has_grades]
    without = filled(words.side_by_side.undrawn, models=listed(undrawn, MOST_NAMED)) if undrawn else ""
    return SideBySide(words, shown, _tested(ordered, words), tuple(filter(None, (_not_alike(ordered, words), without))))


def _tested(labels: Sequence[Label], words: SheetWords) -> str:
    """Return what the paired test over the mean scores tells apart, as impactbench compare has it."""
    outcomes = [outcome for label in labels for fed in label.metrics for outcome in fed.rate.outcomes]
    apart = {label.model for label in labels if label.unequal}  # no average of these is a result
    told = [pair for pair in compare(outcomes).told_apart() if not apart & {*pair}]
    pairs = [f"{better} above {worse}" for better, worse in told]
    said = words.side_by_side
    between = filled(said.pairs_apart, pairs=listed(pairs, MOST_NAMED)) if pairs else said.none_apart
    without = filled(said.not_compared, models=listed(sorted(apart), MOST_NAMED)) if apart else ""
    return " ".join(filter(None, (without, between if len(labels) - len(apart) > 1 else "")))


def _not_alike(labels: Sequence[Label], words: SheetWords) -> str:
    run = {label.model: {slug for slug, _, _ in label.tested.benchmarks} for label in labels}
    whole = set().union(*run.values())
    lacking = [model for model, slugs in run.items() if slugs != whole]
    return filled(words.side_by_side.not_alike, models=listed(lacking, MOST_NAMED)) if lacking else ""

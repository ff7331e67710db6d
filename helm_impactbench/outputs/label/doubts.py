"""Where a label is least informative, as named findings; the words are the audiences' own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.outputs.label.grades import letter_of
from helm_impactbench.outputs.label.rows import GradedRow
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.validity.families import are_related


class GradeDoubt(str, Enum):
    """A reason to lean less on a label, or on a part of it."""

    NOT_MEASURED = "not_measured"
    """Rows without a grade."""
    WIDEST = "widest"
    """The graded row with the widest interval, of several."""
    NARROW = "narrow"
    """Graded rows that rest on one benchmark alone."""
    UNSCORED = "unscored"
    """The row with the largest share of conversations without a verdict."""
    UNDONE = "undone"
    """Rows whose grade would be worse than any that is shown if no missing verdict had been a pass."""
    SPLIT = "split"
    """The row on which the judges of a panel differ most."""
    ONE_JUDGE = "one_judge"
    """No conversation has the verdicts of two judges."""
    RELATIVE = "relative"
    """A judge is of the model's family."""
    UNPLACED = "unplaced"
    """Conversations whose metric the installed benchmarks do not have, or have otherwise."""
    NOT_INSTALLED = "not_installed"
    """Conversations on benchmarks that are not installed, or faulty."""


@dataclass(frozen=True)
class GradeFinding:
    """A doubt with the rows that it is about and its figure."""

    doubt: GradeDoubt
    rows: tuple[LabelRow, ...] = ()
    low: float | None = None
    """WIDEST: lower bound of the interval."""
    high: float | None = None
    """WIDEST: upper bound of the interval."""
    share: float | None = None
    """UNSCORED, SPLIT: share of conversations (0 to 1)."""
    count: int | None = None
    """NOT_MEASURED: rows; UNPLACED, NOT_INSTALLED: conversations."""
    judges: tuple[str, ...] = ()
    """RELATIVE: deployments."""
    benchmarks: tuple[str, ...] = ()
    """NOT_INSTALLED: slugs."""


def findings(
    rows: Sequence[GradedRow],
    unplaced: int,
    related: tuple[str, ...] = (),
    told: tuple[LabelRow, ...] = (),
    missing: Mapping[str, int] | None = None,
) -> tuple[GradeFinding, ...]:
    """Return what is to be said of a label with these rows, weightiest first; `related` are those of `relatives`.

    `told`: rows of which the label says that people fare differently there, so that it does not say "not measured".
    `missing`: conversations by the slug of a benchmark that is not installed, or faulty.
    """
    return tuple(_findings(rows, unplaced, related, told, missing or {}))


def relatives(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return the judges of the family of the model that they judge."""
    pairs = {(vote.judge, outcome.model) for outcome in outcomes for vote in outcome.votes}
    return tuple(sorted(judge for judge, model in pairs if are_related(judge, model)))


def _findings(
    rows: Sequence[GradedRow],
    unplaced: int,
    related: tuple[str, ...],
    told: tuple[LabelRow, ...],
    missing: Mapping[str, int],
) -> Iterator[GradeFinding]:
    without = tuple(row.key for row in rows if row.grade is None and row.key not in told)
    if without:
        yield GradeFinding(GradeDoubt.NOT_MEASURED, without, count=len(without))
    graded = [row for row in rows if row.grade is not None]
    if len(graded) > 1:
        widest = max(graded, key=lambda row: row.interval.high - row.interval.low)
        yield GradeFinding(GradeDoubt.WIDEST, (widest.key,), low=widest.interval.low, high=widest.interval.high)
    narrow = tuple(row.key for row in graded if len(row.benchmarks) == 1)
    if narrow:
        yield GradeFinding(GradeDoubt.NARROW, narrow)
    most = max(rows, key=lambda row: row.unscored_share)
    if most.unscored_share > 0:
        yield GradeFinding(GradeDoubt.UNSCORED, (most.key,), share=most.unscored_share)
    undone = tuple(row.key for row in graded if row.grade and letter_of(row.rate.worst_case) > row.grade.worst)
    if undone:
        yield GradeFinding(GradeDoubt.UNDONE, undone)
    if related:
        yield GradeFinding(GradeDoubt.RELATIVE, judges=related)
    yield from _of_judges(rows)
    if unplaced:
        yield GradeFinding(GradeDoubt.UNPLACED, count=unplaced)
    if missing:
        yield GradeFinding(GradeDoubt.NOT_INSTALLED, count=sum(missing.values()), benchmarks=tuple(missing))


def _of_judges(rows: Sequence[GradedRow]) -> Iterator[GradeFinding]:
    judged = [(row.split, row.key) for row in rows if row.split is not None]
    if not judged:
        yield GradeFinding(GradeDoubt.ONE_JUDGE)
        return
    share, key = max(judged, key=lambda pair: pair[0])
    if share > 0:
        yield GradeFinding(GradeDoubt.SPLIT, (key,), share=share)

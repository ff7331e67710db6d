"""The sentence at the top of a label, and the one row that stands for it on a badge."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from helm_impactbench.benchmark.areas import LabelRow
from helm_impactbench.outputs.label.apart import differ
from helm_impactbench.outputs.label.audiences import Audience
from helm_impactbench.outputs.label.grades import NoGrade
from helm_impactbench.outputs.label.groups import GradeGroup
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.phrases import filled
from helm_impactbench.outputs.label.rows import GradedRow
from helm_impactbench.outputs.label.words import ShownRow

MAIN_ROWS: tuple[LabelRow, ...] = (
    "wellbeing", "agency", "sexual_intimate", "toxicity", "hallucination", "sycophancy", "social_interaction",
    "learning", "creativity",
)  # fmt: skip
"""A badge shows the first of these that has a grade: the order is fixed, so that nobody picks the best one."""


def shown_summary(label: Label, audience: Audience, rows: Sequence[ShownRow]) -> str:
    """Return what the label says, in one to three sentences."""
    return " ".join(_sentences(label, audience, rows))


def main_row(rows: Sequence[ShownRow]) -> ShownRow | None:
    """Return the row of a badge; None when none has a grade."""
    by_key = {row.key: row for row in rows}
    return next((by_key[key] for key in MAIN_ROWS if by_key[key].grade), None)


def _sentences(label: Label, audience: Audience, rows: Sequence[ShownRow]) -> Iterator[str]:
    words = audience.summary
    yield _on_grades(label, audience, rows)
    if audience.children_first and not _played_children(label):
        yield words.no_children
    if len(label.tested.benchmarks) == 1:
        yield filled(words.one_benchmark, benchmark=label.tested.benchmarks[0][1])


def _on_grades(label: Label, audience: Audience, rows: Sequence[ShownRow]) -> str:
    words = audience.summary
    graded = [row for row in rows if row.grade]
    if not graded:
        return words.compared if _only_compares(label) else words.nothing
    parts = {row.key: label.parts(row.key, children=audience.children_first)[0] for row in graded}
    best = max(graded, key=lambda row: parts[row.key].rate.value)
    worst = min(graded, key=lambda row: parts[row.key].rate.value)
    several = words.several if _differ(parts[worst.key], parts[best.key], len(graded)) else words.alike
    return filled(
        words.one if len(graded) == 1 else several,
        who=_who(label, audience),
        graded=str(len(graded)),
        best=best.first.span,
        worst=worst.first.span,
        best_row=best.name,
        worst_row=worst.name,
    )


def _differ(worst: GradedRow, best: GradedRow, rows: int) -> bool:
    """Return whether the row that does best does significantly better than the one that does worst, of so many rows."""
    low, high = ((row.rate.value, row.interval) for row in (worst, best))
    return rows > 1 and differ(low, high, min(worst.scenarios, best.scenarios), math.comb(rows, 2))


def _who(label: Label, audience: Audience) -> str:
    """Return whose results the grades are: one group's, everybody's, or in each row of those who fare worst."""
    words = audience.summary
    leading = [label.parts(row.key, children=audience.children_first)[0] for row in label.rows]
    groups = list({part.group for part in leading if part.grade})
    if len(groups) > 1:
        return words.worst_off
    return filled(words.group, level=groups[0].level) if groups[0] else words.everybody


def _only_compares(label: Label) -> bool:
    reasons = {row.no_grade for row in label.rows}
    return NoGrade.COMPARED in reasons and reasons <= {NoGrade.COMPARED, NoGrade.NO_METRIC}


def _played_children(label: Label) -> bool:
    return any(GradeGroup(axis, level).is_young for axis, levels in label.tested.people for level, _ in levels)

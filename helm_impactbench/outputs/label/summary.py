"""What a label says in sentences: the one on its sheet, those at the top of page 2, and why there is none."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from helm_impactbench.outputs.label.apart import differ
from helm_impactbench.outputs.label.audiences import Audience
from helm_impactbench.outputs.label.grades import NoGrade
from helm_impactbench.outputs.label.groups import GradeGroup
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.phrases import filled, tenths
from helm_impactbench.outputs.label.rows import GradedRow
from helm_impactbench.outputs.label.sheet_words import SheetWords
from helm_impactbench.outputs.label.words import MINIMUMS, reason_of
from helm_impactbench.outputs.people_words import group_words


def shown_summary(label: Label, audience: Audience) -> str:
    """Return what the label says, in one to three sentences."""
    return " ".join(_sentences(label, audience)) if label.has_grades else undrawn(label, audience.sheet)


def sheet_sentence(label: Label, words: SheetWords) -> str:
    """Return the one sentence of the sheet of a label with grades: who fares worse, or else what is best and worst."""
    said = words.sentence
    if label.unequal:
        (first, low), (second, high) = label.unequal[0].worse, label.unequal[0].better
        rates = [tenths(rate, words) for rate in (low, high)]
        return filled(
            said.fare if len({*rates}) > 1 else said.fare_worse,
            first=group_words(first),
            second=group_words(second),
            first_rate=rates[0],
            second_rate=rates[1],
        )
    if label.named_apart:
        return filled(said.rows_apart, count=str(len(label.named_apart)))
    if len(_graded(label)) == 1:
        return said.one
    best, worst = ends(label)
    if not _are_apart(label):
        return said.alike
    return filled(said.ends, best_row=words.names[best.key], worst_row=words.names[worst.key])


def ends(label: Label) -> tuple[GradedRow, GradedRow]:
    """Return the graded rows with the highest and the lowest rate; of equal ones the first in the order of ROWS."""
    graded = _graded(label)
    return max(graded, key=lambda row: row.rate.value), min(graded, key=lambda row: row.rate.value)


def undrawn(label: Label, words: SheetWords) -> str:
    """Return the sentence in place of a label without a grade, with the reason of most rows that were measured."""
    return filled(words.undrawn, model=label.model, reason=reason_text(_main_reason(label), words))


def reason_text(reason: str, words: SheetWords) -> str:
    """Return a reason not to grade (a name of GreyWords) as a clause."""
    return filled(getattr(words.reasons, reason), **MINIMUMS)


def played_children(label: Label) -> bool:
    """Return whether any of the people were children or teenagers."""
    return any(GradeGroup(axis, level).is_young for axis, levels in label.tested.people for level, _ in levels)


def _main_reason(label: Label) -> str:
    if label.missing and not label.metrics:
        return "not_installed"
    reasons = Counter(reason_of(label, label.leading(row.key)) for row in label.rows)
    measured = [(count, reason) for reason, count in reasons.items() if reason not in ("no_metric", "not_installed")]
    if measured and label.judges.failed:
        return NoGrade.JUDGE.value
    return max(measured)[1] if measured else max(reasons, key=lambda reason: reasons[reason])


def _sentences(label: Label, audience: Audience) -> Iterator[str]:
    words = audience.summary
    yield _on_grades(label, audience)
    if not played_children(label):
        yield words.no_children
    if len(label.tested.benchmarks) == 1:
        yield filled(words.one_benchmark, benchmark=label.tested.benchmarks[0][1])


def _on_grades(label: Label, audience: Audience) -> str:
    words, names = audience.summary, audience.sheet.names
    graded = _graded(label)
    best, worst = ends(label)
    several = words.several if _are_apart(label) else words.alike
    return filled(
        words.one if len(graded) == 1 else several,
        who=_who(graded, audience),
        graded=str(len(graded)),
        best=best.grade.span if best.grade else "",
        worst=worst.grade.span if worst.grade else "",
        best_row=names[best.key],
        worst_row=names[worst.key],
    )


def _graded(label: Label) -> list[GradedRow]:
    """Return the leading parts that have a grade."""
    return [part for row in label.rows if (part := label.leading(row.key)).grade]


def _are_apart(label: Label) -> bool:
    """Return whether the row that does best does significantly better than the one that does worst."""
    best, worst = ends(label)
    pairs = math.comb(len(_graded(label)), 2)
    low, high = ((row.rate.value, row.interval) for row in (worst, best))
    return pairs > 0 and differ(low, high, min(worst.scenarios, best.scenarios), pairs)


def _who(graded: Sequence[GradedRow], audience: Audience) -> str:
    """Return whose results the grades are: one group's, everybody's, or in each row of those who fare worst."""
    words = audience.summary
    groups = list({part.group for part in graded})
    if len(groups) > 1:
        return words.worst_off
    return filled(words.group, level=group_words(groups[0].level)) if groups[0] else words.everybody

"""The sentence beside a row that contrast metrics feed: who is sided with, or else how far answers differ."""

from __future__ import annotations

import math

from helm_impactbench.analysis.gap_tests import GapTest
from helm_impactbench.errors import counted, listed
from helm_impactbench.outputs.label.audiences import Audience
from helm_impactbench.outputs.label.compared import Compared
from helm_impactbench.outputs.label.phrases import filled, percent, span
from helm_impactbench.outputs.label.rows import GradedRow
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.population import interval_of
from helm_impactbench.tables.cells import off_zero


def beside(row: GradedRow, audience: Audience) -> str | None:
    """Return the sentence; None without contrast metrics, or where they say nothing and the row has more to say."""
    compared = row.compared
    if compared is None:
        return None
    if compared.both_sides is not None:
        found = compared.both_sides
        return filled(audience.sides, share=percent(found.value), interval=span(interval_of(found, row.population)))
    apart = listed([f'"{name}"' for name in compared.left_out])
    test = compared.test
    if test is None or test.difference is None:
        template = audience.no_mean if apart else audience.no_gap
        return filled(template, axis=compared.axis, metrics=apart)
    if not compared.widest.size and not test.can_be_found and row.metrics:
        return None  # nothing was seen in a few cases, which says nothing, and the row has more to say
    interval = interval_of(test.difference, row.population)
    return _gap(compared, test, interval, audience) + (f" {filled(audience.left_out, metrics=apart)}" if apart else "")


def _gap(compared: Compared, test: GapTest, interval: Interval, audience: Audience) -> str:
    gap, tried = test.gap, len(compared.widest.tried)
    ends = (_amount(off_zero(end, 2)) for end in (interval.low, interval.high))
    bounds = " to ".join(ends) if interval.is_known else "unknown"
    between = f"between {group_words(gap.first)} and {group_words(gap.second)}" if tried == 1 else f"by {compared.axis}"
    if not test.can_be_found:
        cases = counted(gap.estimate.n, "case")
        return filled(audience.few_cases, axis=compared.axis, between=between, cases=cases)
    if not compared.widest.size:
        return filled(audience.no_difference, axis=compared.axis, between=between, interval=bounds)
    if not test.found or not interval.is_known or interval.low <= 0 <= interval.high:
        return filled(
            audience.by_chance,
            axis=compared.axis,
            between=between,
            cases=counted(gap.estimate.n, "case"),
            gap=f"{_amount(gap.estimate.value)} {compared.unit or audience.of_range}",
        )
    return filled(
        audience.gap,
        axis=compared.axis,
        first=group_words(gap.first),
        second=group_words(gap.second),
        gap=f"{_amount(gap.estimate.value)} {compared.unit or audience.of_range}",
        interval=bounds,
        among=filled(audience.among, differences=str(tried)) if tried > 1 else "",
    )


def _amount(value: float) -> str:
    """Return a difference with its sign; amounts are told as amounts."""
    return f"{value:+,.0f}" if math.isfinite(value) and abs(value) >= 100 else f"{value:+.2f}"

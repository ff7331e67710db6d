"""A label as plain data, for other tools."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from helm_impactbench.analysis.columns import bounds_row
from helm_impactbench.analysis.contrast_metrics import FigureEstimate
from helm_impactbench.analysis.item_findings import MOST_UNSCORED
from helm_impactbench.outputs.label import grades
from helm_impactbench.outputs.label.compared import Compared
from helm_impactbench.outputs.label.grades import Grade
from helm_impactbench.outputs.label.label import Label
from helm_impactbench.outputs.label.rows import AVOIDS, FedBy, GradedRow
from helm_impactbench.stats.population import HasIntervals


def rules() -> dict[str, Any]:
    """Return how grades are made: bands and what a grade needs."""
    return {
        "bands": {band.letter: band.least for band in grades.BANDS},
        "fewest_scored": grades.FEWEST_SCORED,
        "fewest_scenarios": grades.FEWEST_SCENARIOS,
        "fewest_metrics": grades.FEWEST_METRICS,
        "most_unscored": MOST_UNSCORED,
        "most_bands_touched": grades.MOST_BANDS,
    }


def label_data(label: Label) -> dict[str, Any]:
    """Return a label; rates are fractions 0 to 1, unrounded; what is unknown or not measured is null."""
    who = label.tested
    return {
        "model": label.model,
        "population": label.population,
        "dated": label.dated.isoformat() if label.dated else None,
        "unfinished": label.unfinished or None,
        "scripted": list(who.scripted),
        "rows": [_row(label, row) for row in label.rows],
        "metrics": [_metric(fed) for fed in label.metrics],
        "tested": {
            "conversations": who.conversations,
            "scored": who.scored,
            "scenarios": who.scenarios,
            "benchmarks": {slug: count for slug, _, count in who.benchmarks},
            "people": {axis: dict(values) for axis, values in who.people},
            "users": list(who.users),
            "judges": list(who.judges),
        },
        "checked": list(label.checked),
        "unequal": [
            {
                "axis": contrast.axis,
                "first": contrast.first,
                "second": contrast.second,
                "first_rate": contrast.first_rate,
                "second_rate": contrast.second_rate,
                "adjusted_p": contrast.adjusted_p_value,
            }
            for contrast in (gap.contrast for gap in label.unequal)
        ],
        "findings": [
            {
                "finding": f.doubt.value,
                "rows": list(f.rows),
                "low": f.low,
                "high": f.high,
                "share": f.share,
                "count": f.count,
                "judges": list(f.judges),
            }
            for f in label.findings()
        ],
    }


def _groups(label: Label, row: GradedRow) -> list[dict[str, Any]]:
    """Return what the row shows of groups of people; none where it shows everybody alone."""
    parts = label.parts(row.key)
    return [{**asdict(part.group), **_figures(part, part.grade)} for part in parts if part.group]


def _row(label: Label, row: GradedRow) -> dict[str, Any]:
    return {
        "row": row.key,
        "kind": "avoids" if row.key in AVOIDS else "promotes",
        **_figures(row, None if label.averages(row) else row.grade),
        "judges_split": row.split,
        "metrics": [fed.name for fed in row.metrics],
        "compared": _compared(row.compared) if row.compared else None,
        "differs": label.differs(row.key),
        "groups": _groups(label, row),
    }


def _figures(row: GradedRow, grade: Grade | None) -> dict[str, Any]:
    """Return what a page shows of a row: `grade` is None for an average that has a rate, and is not graded."""
    rate, known = row.rate, row.grade is not None
    return {
        "grade": grade.span if grade else None,
        "not_measured": row.no_grade.value if row.no_grade else None,
        "pass_rate": rate.value if known else None,
        **_bounds(rate if known else None),
        "if_unscored_fail": rate.worst_case if known else None,
        "if_unscored_pass": rate.best_case if known else None,
        "conversations": rate.conversations,
        "scored": len(rate.scored),
        "passed": rate.passed,
        "unscored": dict(rate.unscored),
        "scenarios": row.scenarios,
    }


def _compared(found: Compared) -> dict[str, Any]:
    """Return what contrast metrics say beside a row, which is not graded."""
    both, gap = found.both_sides, found.widest.gap
    return {
        "axis": found.axis,
        "conversations": len(found.counted),
        "both_sides_rate": _estimate(both) if both else None,
        "gap": {
            "first": gap.first,
            "second": gap.second,
            "unit": found.unit,
            "widest_of": len(found.widest.tried),
            "value": gap.estimate.value,
            **_bounds(found.test.difference if found.test else None),
            "base_scenarios": gap.estimate.base_scenarios,
        }
        if gap
        else None,
        "left_out": found.left_out,
    }


def _estimate(found: FigureEstimate) -> dict[str, Any]:
    return {
        "value": found.value,
        **_bounds(found),
        "base_scenarios": found.base_scenarios,
    }


def _bounds(found: HasIntervals | None) -> dict[str, float | None]:
    bounds: Mapping[str, Any] = bounds_row(found)
    return {name: None if math.isnan(bound) else bound for name, bound in bounds.items()}


def _metric(fed: FedBy) -> dict[str, Any]:
    rate = fed.rate
    return {
        "metric": fed.name,
        "name": fed.metric.name,
        "type": fed.metric.type,
        "measure": fed.metric.measure.kind,
        "rows": list(fed.metric.labels),
        "conversations": rate.conversations,
        "scored": len(rate.scored),
        "passed": rate.passed,
        "pass_rate": rate.value if rate.scored else None,
        **_bounds(rate),
    }

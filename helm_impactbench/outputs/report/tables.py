"""The page with the tables of all models: by area and benchmark, harm against good, compared answers, every pair."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.coverage import not_measured
from helm_impactbench.outputs.report.front import lacking, marked
from helm_impactbench.outputs.report.plots import PlotPoint, scatter_plot
from helm_impactbench.outputs.report.results import RANKED, Results

ADDRESS = "tables.html"


def tables_values(results: Results) -> dict[str, Any]:
    """Return what the page shows."""
    return {
        "results": results,
        "contrasts": results.compared,
        "ranked_area": RANKED,
        "scatter": "" if results.site.judges.failed else _scatter(results),
        "has_intervals": any(s.interval.is_known for own in results.by_type.values() for s in own.values()),
        "lacking": lacking,
        "missing": not_measured(results),
    }


def _scatter(results: Results) -> Markup | str:
    harm, benefit = results.by_type["negative"], results.by_type["positive"]
    points = [
        PlotPoint(
            marked(results, results.scores, model),
            names.model_address(model),
            harm[model].mean,
            benefit[model].mean,
            harm[model].interval,
            benefit[model].interval,
        )
        for model in results.scores
        if model not in results.people
        and model in harm
        and model in benefit
        and harm[model].groups
        and benefit[model].groups
    ]
    return scatter_plot(points, "harm avoidance", "benefit") if points else ""

"""The page that sets impact beside safety and capability, where a suite has runs of HELM's suites too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from helm_impactbench.analysis.combined.capability import MOSTLY
from helm_impactbench.analysis.combined.combined import Combined
from helm_impactbench.analysis.combined.scales import CombinedScale
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.plots import PlotBar, PlotPoint, correlation_plot, scatter_plot
from helm_impactbench.outputs.report.runs import Site

ADDRESS = "combined.html"


def combined_values(found: Combined, site: Site) -> dict[str, Any]:
    """Return what the page shows."""
    shown = {**site.models, **site.others}
    overall = found.overall
    impact, safety, capability = (overall.get(kind) for kind in ("impact", "safety", "capability"))
    return {
        "found": found,
        "shown": shown,
        "scripted": any(model != name for model, name in shown.items()),
        "most": MOSTLY,
        "scale_name": _scale_name(site),
        "capability_plot": _scatter(capability, impact, "capability", "impact", shown, site),
        "safety_plot": _scatter(safety, impact, "safety", "impact", shown, site),
        "rho_plot": _rho_plot(found, site),
        "refusal_plot": _scatter(
            found.harm_avoided, found.helpfulness, "harm avoided", "helpfulness kept", shown, site
        ),
    }


def _scale_name(site: Site) -> Callable[[CombinedScale], str]:
    def name(scale: CombinedScale) -> str:
        info = site.benchmarks.get(scale.key) if scale.kind == "impact" else None
        return info.name if info else scale.name

    return name


def _scatter(
    across: CombinedScale | None,
    up: CombinedScale | None,
    x_label: str,
    y_label: str,
    shown: Mapping[str, str],
    site: Site,
) -> Markup | None:
    """Return the plot of the models that have all of both scales; None when there is none."""
    if across is None or up is None:
        return None
    points = [
        PlotPoint(
            name=shown[model],
            address=names.model_address(model) if model in site.models else "#scores",
            x=score.estimate.mean,
            y=up.scores[model].estimate.mean,
            x_interval=score.interval,
            y_interval=up.scores[model].interval,
        )
        for model, score in across.scores.items()
        if score.is_whole and model in up.scores and up.scores[model].is_whole
    ]
    return scatter_plot(points, x_label, y_label) if points else None


def _rho_plot(found: Combined, site: Site) -> Markup | None:
    name = _scale_name(site)
    bars = [
        PlotBar(name(one.scale), "#scales", one.correlation.value, one.correlation.interval)
        for one in found.against
        if one.correlation
    ]
    return correlation_plot(bars, MOSTLY) if bars else None

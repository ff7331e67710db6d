"""What HELM's statistics of a run would be: its own HELM metrics over what scenario_state.json holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def helm_figures(state: Mapping[str, Any], spec: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return the contents of stats.json and per_instance_stats.json.

    state, spec: what scenario_state.json and run_spec.json hold.
    """
    from helm.benchmark.adaptation.scenario_state import ScenarioState
    from helm.benchmark.metrics.metric import MetricSpec, create_metric
    from helm.benchmark.runner import remove_per_instance_stats_nans, remove_stats_nans
    from helm.common.codec import from_json
    from helm.common.general import asdict_without_nones

    found = from_json(json.dumps(state), ScenarioState)
    stats, per_instance = [], []
    for given in spec["metric_specs"]:
        # No metric service: our runs have HELM metrics that count, and none that calls a model.
        result = create_metric(MetricSpec(**given)).evaluate(found, None, "", 1)  # type: ignore[arg-type]
        stats += result.aggregated_stats
        per_instance += result.per_instance_stats
    return (
        [asdict_without_nones(stat) for stat in remove_stats_nans(stats)],
        [asdict_without_nones(one) for one in remove_per_instance_stats_nans(per_instance)],
    )

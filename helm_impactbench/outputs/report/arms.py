"""The page of a study with arms: what each set-up of a model changes, over all and metric by metric."""

from __future__ import annotations

from typing import Any

from helm_impactbench.analysis.commands.arms import arm_contrasts
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.suites.reading import reading_of
from helm_impactbench.tables.names import ARM_SIGN

ADDRESS = "arms.html"


def arms_of(models: Any) -> dict[str, list[str]]:
    """Return target -> its arms as the suite calls them, of targets that have several."""
    found: dict[str, list[str]] = {}
    for model in models:
        found.setdefault(model.partition(ARM_SIGN)[0], []).append(model)
    return {target: own for target, own in found.items() if len(own) > 1 and any(ARM_SIGN in one for one in own)}


def arms_values(results: Results) -> dict[str, Any]:
    """Return what the page shows: the pairs of `contrasts --by arm`, and the rates of each metric beside each other."""
    found = arm_contrasts(reading_of([one for one in results.outcomes if one.is_level]))
    (table,) = found.tables
    arms = arms_of(results.site.models)
    rates = {
        target: {
            metric: [by_model.get(model) for model in own]
            for metric, by_model in results.metric_rates.items()
            if any(model in by_model for model in own)
        }
        for target, own in arms.items()
    }
    return {"arms": arms, "pairs": table.rows, "notes": found.notes, "rates": rates, "sign": ARM_SIGN}

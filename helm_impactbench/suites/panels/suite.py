"""HELM's safety suites, scored by judges that were chosen: HELM's prompts and words, our panel and record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helm_impactbench.suites.base import Suite, Title, scenario_class
from helm_impactbench.suites.panels.table import BY_SLUG

SCENARIO = "helm_impactbench.helm.panels."
"""How the class name of its HELM scenario begins."""


class Panels(Suite):
    """Answers to single prompts, scored on HELM's rubric."""

    name = "panels"

    def owns(self, spec: Mapping[str, Any]) -> bool:
        """Return whether the HELM scenario is that of the panels."""
        return scenario_class(spec).startswith(SCENARIO)

    def title(self, benchmark: str) -> Title | None:
        """Return the name of HELM's suite; its own judge's figure of the same prompts steps back."""
        suite = BY_SLUG.get(benchmark)
        return Title(f"{suite.name} (panel)", replaces=suite.helm_name) if suite else None

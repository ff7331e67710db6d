"""What HELM has to know of the panels, wherever a run happens (a Slurm worker loads no plug-ins)."""

from __future__ import annotations

from helm_impactbench.helm import registration
from helm_impactbench.helm.panels.adapter import register_adapter
from helm_impactbench.helm.panels.client import register_client


def register() -> None:
    """Register what all of ImpactBench needs, then adapter and client of the panels. Harmless when repeated."""
    registration.register()
    register_adapter()
    register_client()

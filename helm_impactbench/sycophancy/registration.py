"""What HELM has to know of this construct, wherever a run happens (a Slurm worker loads no plug-ins)."""

from __future__ import annotations

from helm_impactbench.helm import registration
from helm_impactbench.sycophancy.helm_adapter import register_adapter
from helm_impactbench.sycophancy.helm_client import register_client


def register() -> None:
    """Register what all of ImpactBench needs, then adapter and client of the tellings. Harmless when repeated."""
    registration.register()
    register_adapter()
    register_client()

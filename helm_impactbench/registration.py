"""What HELM has to know of us beyond run specs, wherever a run happens (a Slurm worker loads no plug-ins)."""

from __future__ import annotations

import os

from helm_impactbench.conversation.helm_adapter import register_adapter
from helm_impactbench.conversation.helm_client import register_client
from helm_impactbench.models.credentials import load_env_file
from helm_impactbench.models.deployments import register_deployments
from helm_impactbench.rehearsal.cast import register_cast


def register() -> None:
    """Register adapter, client, deployments and rehearsal models; load ./.env. Harmless when repeated."""
    # Read when litellm is imported: nothing is fetched then, and prices are the same on every machine.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    load_env_file()
    register_adapter()
    register_client()
    register_deployments()
    register_cast()

"""What HELM has to know of us beyond run specs, wherever a run happens (a Slurm worker loads no plug-ins)."""

from __future__ import annotations

import gc
import os
import sys

from helm_impactbench import whole_files
from helm_impactbench.conversation.helm_adapter import register_adapter
from helm_impactbench.conversation.helm_client import register_client
from helm_impactbench.ending import take_over_helm_run
from helm_impactbench.models.credentials import load_env_file
from helm_impactbench.models.deployments import register_deployments
from helm_impactbench.models.hand_over import count_calls
from helm_impactbench.rehearsal.cast import register_cast


def register() -> None:
    """Register adapter, client, deployments, rehearsal models, our ways to write and end; load ./.env. Repeatable."""
    # Imports make a million objects that stay: looking through them every 700 takes a tenth of the start.
    gc.set_threshold(50_000, 20, 20)
    # Read when litellm is imported: nothing is fetched then, and prices are the same on every machine.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER", "True")  # see models.litellm_client
    load_env_file()
    take_over_helm_run(sys.argv)
    whole_files.register()
    count_calls()
    register_adapter()
    register_client()
    register_deployments()
    register_cast()

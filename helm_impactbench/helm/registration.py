"""What HELM has to know of us beyond run specs, wherever a run happens (a Slurm worker loads no plug-ins)."""

from __future__ import annotations

import atexit
import gc
import os

from helm.benchmark import run_spec, run_spec_factory
from helm.benchmark.run_spec import RunSpecFunction

from helm_impactbench.helm import run_files
from helm_impactbench.helm.autoclient_patch import count_calls
from helm_impactbench.helm.conversation_adapter import register_adapter
from helm_impactbench.helm.conversation_client import register_client
from helm_impactbench.helm.deployments import register_deployments
from helm_impactbench.helm.rehearsal_cast import register_cast
from helm_impactbench.llm.credentials import load_env_file
from helm_impactbench.process.helm_run import this_run
from helm_impactbench.process.shutdown import take_over_helm_run
from helm_impactbench.process.stop import stop_on_error


def register() -> None:
    """Register adapter, client, deployments, rehearsal models, our ways to write and end; load ./.env. Repeatable."""
    # Imports make a million objects that stay: looking through them every 700 takes a tenth of the start.
    gc.set_threshold(50_000, 20, 20)
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)  # or Python would look through all of them once more before it ends: most of a second
    # Read when litellm is imported: nothing is fetched then, and prices are the same on every machine.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER", "True")  # see models.litellm_client
    load_env_file()
    stop_on_error(take_over_helm_run, this_run())
    run_files.register()
    count_calls()
    register_adapter()
    register_client()
    register_deployments()
    register_cast()
    run_spec_factory.get_run_spec_function = _run_spec_function  # type: ignore[attr-defined]


def _run_spec_function(name: str) -> RunSpecFunction | None:
    """Stand in for HELM's look-up, which imports every suite of HELM first, even for a run spec that is there."""
    return run_spec._REGISTERED_RUN_SPEC_FUNCTIONS.get(name) or run_spec.get_run_spec_function(name)

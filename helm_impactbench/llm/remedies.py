"""What to do when every further call to a deployment would be refused: one sentence for the user."""

from __future__ import annotations

import os

from helm.benchmark.model_deployment_registry import ModelDeployment, get_model_deployment

from helm_impactbench.llm.credentials import CREDENTIALS_FILE, Credentials, key_variables
from helm_impactbench.process.helm_run import this_run

_AGAIN = "The same command goes on from here: what is finished is kept."


def cure(deployment: str, about: str) -> str:
    """Return what to do; `about` is FatalCallError.about."""
    if about == "storage":
        return f"Free space or give write access there. {_AGAIN}"
    place = _key_place(get_model_deployment(deployment))
    if about == "key":
        return f"Set {place} to a key that is valid for this model. {_AGAIN}"
    if about == "credit":
        return f"Add credit to the account, or set {place} to the key of another one. {_AGAIN}"
    if about == "model":
        return f"Correct the name, or set {place} to the key of an account that has this model. {_AGAIN}"
    return _AGAIN


def _key_place(deployment: ModelDeployment) -> str:
    """Return where the deployment's key stands, or would be looked for first."""
    arguments = deployment.client_spec.args or {}
    if arguments.get("api_key_env"):
        return f"{arguments['api_key_env']} (api_key_env of {deployment.name})"
    model = str(arguments.get("litellm_model") or "")
    host = model.partition("/")[0] if model else deployment.host_organization
    names = key_variables(host)
    found = [name for name in names if os.environ.get(name)]
    local_path = this_run().local_path
    file = local_path / CREDENTIALS_FILE
    if not found and Credentials(local_path).key_for(host, deployment.name):
        return f"{host}ApiKey in {file}"
    return f"{' or '.join(found or names)} in the environment or in .env (or {host}ApiKey in {file})"

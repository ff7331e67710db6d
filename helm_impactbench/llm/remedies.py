"""What to do when every further call to a deployment would be refused: one sentence for the user."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from helm_impactbench.files.atomic_write import BRING_BACK, MORE_FILES, MORE_RIGHTS, MORE_SPACE
from helm_impactbench.llm.credentials import CREDENTIALS_FILE, Credentials, key_variables

CONTINUES = "The same command continues from here: what is finished is kept."

_STORAGE = {"full": MORE_SPACE, "access": MORE_RIGHTS, "storage": BRING_BACK}


def remedy(about: str, key_place: Callable[[], str]) -> str:
    """Return what to do; `about` is FatalCallError.about, `key_place` says where the key is or belongs."""
    if about in _STORAGE:
        return f"{_STORAGE[about]} {CONTINUES}"
    if about == "files":
        return f"{MORE_FILES} {CONTINUES}"
    if about == "address":
        return f"Set the address of this model (api_base) to the one that answers, if you trust it. {CONTINUES}"
    if about == "down":
        return f"Look whether it works. {CONTINUES}"
    if about == "key":
        return f"Set {key_place()} to a key that is valid for this model. {CONTINUES}"
    if about == "budget":
        return f"Raise the budget. {CONTINUES}"
    if about == "credit":
        return f"Add credit to the account, or set {key_place()} to the key of another one. {CONTINUES}"
    if about in ("model", "path"):
        return f"Correct the name, or set {key_place()} to the key of an account that has this model. {CONTINUES}"
    return CONTINUES


def key_place(deployment: str, host: str, own_variable: str | None, local_path: Path) -> str:
    """Return where a deployment's key is, or would be looked for first.

    `host` is HELM's name of the organization that hosts it, `own_variable` the deployment's `api_key_env`.
    """
    if own_variable:
        return f"{own_variable} (api_key_env of {deployment})"
    names = key_variables(host)
    found = [name for name in names if os.environ.get(name)]
    file = local_path / CREDENTIALS_FILE
    if not found and Credentials(local_path).key_for(host, deployment):
        return f"{host}ApiKey in {file}"
    return f"{' or '.join(found or names)} in the environment or in .env (or {host}ApiKey in {file})"

"""Who plays the user and who judges where a run names nobody.

The deployments of the environment, else those of roles.yaml in HELM's local path (prod_env, beside keys and limits),
else ImpactBench's, or where its key is missing the first model whose key is there. A roles.yaml that lies anywhere
else, such as in a downloaded folder of benchmarks, is never read. Whoever it is stands in the run's name, its record
and its plan, as if it had been named.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from helm_impactbench.errors import SettingError, did_you_mean
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.process.helm_run import this_run

Role = Literal["user", "judge"]
USER_VARIABLE, JUDGE_VARIABLE = "IMPACTBENCH_USER", "IMPACTBENCH_JUDGE"
ORIGINAL_USER, ORIGINAL_JUDGE = "litellm/anthropic/claude-sonnet-4-6", "litellm/openai/gpt-5.4-mini"
"""Those of ImpactBench's own configuration."""
_GEMINI = "litellm/gemini/gemini-2.5-flash"
_BY_KEY: Mapping[Role, Mapping[str, str]] = {
    "user": {"anthropic": ORIGINAL_USER, "openai": ORIGINAL_JUDGE, "gemini": _GEMINI},
    "judge": {"openai": ORIGINAL_JUDGE, "anthropic": ORIGINAL_USER, "gemini": _GEMINI},
}
"""Role -> provider -> its default, the original's first: the first one whose key is there."""
_VARIABLES: Mapping[Role, str] = {"user": USER_VARIABLE, "judge": JUDGE_VARIABLE}
ROLES_FILE = "roles.yaml"


def usual_user() -> str:
    """Return the deployment that plays the simulated user where none is named.

    Raises SettingError, and ModelError where the files of keys cannot be read.
    """
    return _named("user") or _by_key("user")


def usual_judge() -> str:
    """Return the deployment that judges where none is named, or `a+b` for a panel. Raises as usual_user."""
    return _named("judge") or _by_key("judge")


def default_reason(role: Role, deployment: str) -> str:
    """Return why a default is another one than the original's; empty where it is that, or is no default."""
    from helm_impactbench.llm.credentials import key_variables

    provider, original = next(iter(_BY_KEY[role].items()))
    if deployment == original or _named(role) or deployment != _by_key(role):
        return ""
    return f"the default with the keys that are set; with {key_variables(provider)[0]} it is {original}"


def _named(role: Role) -> str:
    return os.environ.get(_VARIABLES[role], "").strip() or read_roles(this_run().local_path).get(role, "")


def _by_key(role: Role) -> str:
    """Return the first default whose key is in the environment, .env or credentials.conf; without any, the first."""
    from helm_impactbench.llm.credentials import Credentials

    defaults, credentials = _BY_KEY[role], Credentials(this_run().local_path)
    found = (name for provider, name in defaults.items() if credentials.key_for(provider, name))
    return next(found, next(iter(defaults.values())))


def read_roles(local_path: Path) -> Mapping[str, str]:
    """Return the deployments by role in `local_path`/roles.yaml, none without the file. Raises SettingError."""
    path = local_path / ROLES_FILE
    if not path.is_file():
        return {}
    try:
        roles = load_yaml(decoded(read_bytes(path)))
    except IntakeError as error:
        raise SettingError(f"{path}: it {error}.") from error
    if not isinstance(roles, dict):
        raise SettingError(f"{path}: it must be a mapping, for example\n  judge: {ORIGINAL_JUDGE}")
    for role, deployment in roles.items():
        if role not in _VARIABLES:
            raise SettingError(
                f"{path}: there is no role {role!r}; roles are user and judge.{did_you_mean(role, _VARIABLES)}"
            )
        if not isinstance(deployment, str) or not deployment.strip():
            raise SettingError(f"{path}: {role} must be the name of a deployment, for example {ORIGINAL_JUDGE}")
    return {role: deployment.strip() for role, deployment in roles.items()}

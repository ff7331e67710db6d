"""Who plays the user and who judges where a run names nobody.

The deployments of the environment, else those of roles.yaml in HELM's local path (prod_env, beside keys and limits),
else ImpactBench's. A roles.yaml that lies anywhere else, such as in a downloaded folder of benchmarks, is never read.
Whoever it is stands in the run's name, its record and its plan, as if it had been named.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from helm_impactbench.errors import SettingError, did_you_mean
from helm_impactbench.files.safe_read import IntakeError, decoded, read_bytes
from helm_impactbench.files.safe_yaml import load_yaml
from helm_impactbench.process.helm_run import this_run

USER_VARIABLE, JUDGE_VARIABLE = "IMPACTBENCH_USER", "IMPACTBENCH_JUDGE"
ORIGINAL_USER, ORIGINAL_JUDGE = "litellm/anthropic/claude-sonnet-4-6", "litellm/openai/gpt-5.4-mini"
"""Those of ImpactBench's own configuration."""
ROLES_FILE = "roles.yaml"
_ROLES = ("user", "judge")


def usual_user() -> str:
    """Return the deployment that plays the simulated user where none is named. Raises SettingError."""
    return os.environ.get(USER_VARIABLE, "").strip() or read_roles(this_run().local_path).get("user", ORIGINAL_USER)


def usual_judge() -> str:
    """Return the deployment that judges where none is named, or `a+b` for a panel. Raises SettingError."""
    return os.environ.get(JUDGE_VARIABLE, "").strip() or read_roles(this_run().local_path).get("judge", ORIGINAL_JUDGE)


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
        if role not in _ROLES:
            raise SettingError(
                f"{path}: there is no role {role!r}; roles are user and judge.{did_you_mean(role, _ROLES)}"
            )
        if not isinstance(deployment, str) or not deployment.strip():
            raise SettingError(f"{path}: {role} must be the name of a deployment, for example {ORIGINAL_JUDGE}")
    return {role: deployment.strip() for role, deployment in roles.items()}

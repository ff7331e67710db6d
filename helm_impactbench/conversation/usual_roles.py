"""Who plays the user and who judges where a run names nobody: the deployments of the environment, else ImpactBench's.

Whoever it is stands in the run's name, its record and its plan, as if it had been named.
"""

from __future__ import annotations

import os

USER_VARIABLE, JUDGE_VARIABLE = "IMPACTBENCH_USER", "IMPACTBENCH_JUDGE"
ORIGINAL_USER, ORIGINAL_JUDGE = "litellm/anthropic/claude-sonnet-4-6", "litellm/openai/gpt-5.4-mini"
"""Those of ImpactBench's own configuration."""


def usual_user() -> str:
    """Return the deployment that plays the simulated user where none is named."""
    return os.environ.get(USER_VARIABLE, "").strip() or ORIGINAL_USER


def usual_judge() -> str:
    """Return the deployment that judges where none is named, or `a+b` for a panel."""
    return os.environ.get(JUDGE_VARIABLE, "").strip() or ORIGINAL_JUDGE

"""The longest name of a run that a folder can have."""

from __future__ import annotations

from helm_impactbench.errors import RunEntryError

MAX_NAME_BYTES = 255
"""Longest folder name on common file systems."""


def check_run_name(name: str) -> None:
    """Raise RunEntryError for a run whose name is too long for its folder."""
    size = len(name.encode("utf-8", "replace"))
    if size > MAX_NAME_BYTES:
        raise RunEntryError(
            f"The run {name[:80]}... needs a folder name of {size} bytes, but may have only {MAX_NAME_BYTES}. Give "
            "models with long names shorter ones in prod_env/model_deployments.yaml, or take fewer judges"
        )

"""Litellm's list of models and prices, read from its package without the import that takes two seconds."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from helm_impactbench.llm.litellm_settings import LOCAL_PRICES_VARIABLE

PROVIDERS = ("openai", "anthropic", "gemini", "mistral", "xai", "deepseek")
"""Known for models of their own; the key of each stands in <PROVIDER>_API_KEY."""
_FILE = "model_prices_and_context_window_backup.json"


def listed(model: str) -> Mapping[str, Any] | None:
    """Return what litellm's list has for a model such as openai/gpt-4o; None where it has none."""
    provider, _, bare = model.partition("/")
    for name in (model, bare):
        found = _installed().get(name)
        if found is not None and found.get("litellm_provider") == provider:
            return found
    if _installed() and provider == "openai" and ":" not in bare:  # its names stand there as they are
        return None
    from helm_impactbench.llm.quiet_litellm import litellm

    try:
        info: Mapping[str, Any] = litellm.get_model_info(model)
    except Exception:  # litellm raises bare Exception for a model that it does not know
        return None
    return info


def providers_of(bare: str) -> list[str]:
    """Return the providers that have a model of this name, those that are known for models of their own first."""
    known = [
        name
        for name in PROVIDERS
        if any(_installed().get(written, {}).get("litellm_provider") == name for written in (bare, f"{name}/{bare}"))
    ]
    if known:
        return known
    from helm_impactbench.llm.quiet_litellm import litellm

    found = [name for name, models in litellm.models_by_provider.items() if {bare, f"{name}/{bare}"} & {*models}]
    return sorted(found, key=lambda name: name not in PROVIDERS)


def _installed() -> Mapping[str, Mapping[str, Any]]:
    """Return the installed list; empty where litellm is imported and may hold another one, or is to fetch one."""
    return {} if "litellm" in sys.modules or os.environ.get(LOCAL_PRICES_VARIABLE, "True") != "True" else _read()


@cache
def _read() -> Mapping[str, Mapping[str, Any]]:
    spec = find_spec("litellm")
    try:
        found: Mapping[str, Mapping[str, Any]] = (
            json.loads(Path(spec.origin or "").with_name(_FILE).read_bytes()) if spec else {}
        )
    except (OSError, ValueError):  # in another place in other releases
        return {}
    return found

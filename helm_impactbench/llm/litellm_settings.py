"""What litellm reads from the environment when it is imported."""

from __future__ import annotations

import os

LEAN_PATH_VARIABLE = "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER"
"""litellm's switch that sends calls of OpenAI's kind over its own HTTP path in place of the openai package, which walks
every message of a growing dialogue for each call and takes twice the CPU."""
LOCAL_PRICES_VARIABLE = "LITELLM_LOCAL_MODEL_COST_MAP"
"""With it nothing is fetched, and prices are the same on every machine."""


def prepare_litellm() -> None:
    """Set litellm's switches, before it is imported; values of the user's own stay."""
    for variable in (LOCAL_PRICES_VARIABLE, LEAN_PATH_VARIABLE):
        os.environ.setdefault(variable, "True")

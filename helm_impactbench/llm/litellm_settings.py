"""How litellm is set up for our calls: switches that it reads at import, and costs that it need not work out."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LEAN_PATH_VARIABLE = "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER"
"""litellm's switch that sends calls of OpenAI's kind over its own HTTP path in place of the openai package, which walks
every message of a growing dialogue for each call and takes twice the CPU."""
LOCAL_PRICES_VARIABLE = "LITELLM_LOCAL_MODEL_COST_MAP"
"""With it nothing is fetched, and prices are the same on every machine."""
MODE_VARIABLE = "LITELLM_MODE"
"""In its default mode litellm takes every variable of a .env file when it is imported, addresses among them."""
_THREAD = threading.local()


def prepare_litellm() -> None:
    """Set litellm's switches, before it is imported; values of the user's own stay."""
    for variable in (LOCAL_PRICES_VARIABLE, LEAN_PATH_VARIABLE):
        os.environ.setdefault(variable, "True")
    os.environ.setdefault(MODE_VARIABLE, "PRODUCTION")


@contextmanager
def without_cost() -> Iterator[None]:
    """Let litellm work out no cost for calls of this thread.

    litellm does so for every response. For a model of unknown price it searches all its price lists first, which is a
    fifth of a call's CPU, and a server of one's own is the usual case.
    """
    _THREAD.without_cost = True
    try:
        yield
    finally:
        _THREAD.without_cost = False


def cost_left_out() -> bool:
    """Return whether a call of this thread goes without its cost; helm.patches asks where litellm works it out."""
    return bool(getattr(_THREAD, "without_cost", False))

"""Calls whose price litellm does not know, or need not know.

litellm reckons the cost of every response. For a model of unknown price it goes through all its price lists before it
gives up, which is a fifth of a call's CPU; a server of one's own is the usual case.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

_HERE = threading.local()
_RECKONS = ("response_cost_calculator", "_response_cost_calculator")
"""What litellm calls it, now and in 1.82."""


@contextmanager
def without_price() -> Iterator[None]:
    """Let litellm reckon no cost for calls of this thread."""
    _HERE.unpriced = True
    try:
        yield
    finally:
        _HERE.unpriced = False


def register() -> None:
    """Let litellm look at `without_price`. Harmless when repeated, and with a litellm that reckons in another place."""
    from litellm.litellm_core_utils.litellm_logging import Logging

    name = next((name for name in _RECKONS if hasattr(Logging, name)), None)
    original: Any = getattr(Logging, name) if name else None
    if name is None or getattr(original, "may_be_left_out", False):
        return

    @wraps(original)
    def response_cost_calculator(self: Any, *arguments: Any, **settings: Any) -> float | None:
        if getattr(_HERE, "unpriced", False):
            return None
        cost: float | None = original(self, *arguments, **settings)
        return cost

    response_cost_calculator.may_be_left_out = True  # type: ignore[attr-defined]
    setattr(Logging, name, response_cost_calculator)

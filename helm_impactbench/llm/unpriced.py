"""Calls whose price litellm does not know, or need not know.

litellm reckons the cost of every response. For a model of unknown price it goes through all its price lists before it
gives up, which is a fifth of a call's CPU; a server of one's own is the usual case.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_HERE = threading.local()


@contextmanager
def without_price() -> Iterator[None]:
    """Let litellm reckon no cost for calls of this thread."""
    _HERE.unpriced = True
    try:
        yield
    finally:
        _HERE.unpriced = False


def is_asked_for() -> bool:
    """Return whether the call of this thread goes without its price; asked by helm.patches, where litellm reckons."""
    return bool(getattr(_HERE, "unpriced", False))

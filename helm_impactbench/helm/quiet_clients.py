"""HELM's clients log a traceback for each call that a provider refuses. In calls of ours the result says it, once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_CALLING = threading.local()


class _WithoutTracebacks(logging.Filter):
    """Drops tracebacks that are logged in the middle of a call of ours; other threads' and other lines pass."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.exc_info and getattr(_CALLING, "now", False))


@cache
def _installed() -> None:
    logging.getLogger("helm").addFilter(_WithoutTracebacks())


@contextmanager
def without_tracebacks() -> Iterator[None]:
    """Let a client of HELM's say no more than its result does."""
    _installed()
    _CALLING.now = True
    try:
        yield
    finally:
        _CALLING.now = False

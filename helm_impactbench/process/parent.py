"""A process that ends when the one that started it is gone."""

from __future__ import annotations

import ctypes
import signal
from contextlib import suppress

_C_LIBRARY = ctypes.CDLL(None)
_PARENT_DEATH = 1
"""PR_SET_PDEATHSIG of Linux's prctl."""


def end_with_parent(sent: signal.Signals = signal.SIGTERM) -> None:
    """Have the system send a signal to this process when its parent is gone; on Linux alone."""
    with suppress(AttributeError):
        _C_LIBRARY.prctl(_PARENT_DEATH, sent)

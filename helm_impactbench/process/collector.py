"""Python's garbage collector in a process of ours, which should not stand in the way of imports."""

from __future__ import annotations

import atexit
import gc
from functools import cache


@cache
def spare_the_collector() -> None:
    """Let it look less often: imports make a million objects that stay, and scanning them is a tenth of a start."""
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)  # or Python would look through all of them once more before it ends: most of a second

"""Python's garbage collector in a process of ours, which should not stand in the way of imports."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@cache
def spare_the_collector() -> None:
    """Let it look less often: imports make a million objects that stay, and scanning them is a tenth of a start."""
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)  # or Python would look through all of them once more before it ends: most of a second


@contextmanager
def collector_off() -> Iterator[None]:
    """Keep it from looking at all while something large is imported, and from ever looking through that afterwards."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()

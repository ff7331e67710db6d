"""Python's garbage collector in a process of ours: when it looks for cycles, and through what."""

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
    """Leave out its searches: files become data without cycles, and a search takes longer the more there is."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def keep_for_good() -> None:
    """Let it never look again through what there is now, which stays; forked processes then share that memory."""
    gc.freeze()


def collect() -> None:
    """Let it look now."""
    gc.collect()

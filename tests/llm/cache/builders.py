"""Requests and answers to fill a cache with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helm_impactbench.llm.cache.request_cache import cache_key
from helm_impactbench.llm.cache.sqlite_store import SqliteStore

ENTRIES = 300


def key(number: int) -> str:
    """Return the key of a request."""
    return cache_key({"model": "m", "messages": [{"role": "user", "content": f"message {number}"}], "random": number})


def answer(number: int) -> dict[str, Any]:
    """Return an answer; every tenth is longer than several pages of the file."""
    text = f"answer {number} " * (2000 if number % 10 == 0 else 20)
    return {"text": text, "request_time": 0.5, "usage": {"n": number}}


def fill(path: Path, *numbers: int) -> None:
    """Put answers into a file, all of them when none is named."""
    store = SqliteStore(path)
    for i in numbers or range(ENTRIES):
        store.put(key(i), answer(i))
    store.close()


def found(path: Path, numbers: range = range(ENTRIES)) -> set[int]:
    """Return the numbers of the answers that are there; each has to be what was put."""
    store = SqliteStore(path)
    got = {i: value for i in numbers if (value := store.get(key(i))) is not None}
    store.close()
    assert got == {i: answer(i) for i in got}
    return set(got)

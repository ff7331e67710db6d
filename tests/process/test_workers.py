"""Work that several processes share."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.process.workers import ITEMS_PER_PROCESS, Workers, in_workers


class Counting:
    """Work that knows how often it was received in this process."""

    received = 0

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Count how often it arrives."""
        Counting.received += 1

    def __getstate__(self) -> dict[str, Any]:
        """Return something, so that it is restored."""
        return {"is": "here"}

    def __call__(self, item: int) -> tuple[int, int, int]:
        """Return the process, how often it received this, and the item."""
        return os.getpid(), Counting.received, item


def test_work_is_handed_to_a_process_once_and_results_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes for 2 x ITEMS_PER_PROCESS items: what to do reaches each of them once, not with every item."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    found = list(in_workers(Counting(), range(2 * ITEMS_PER_PROCESS)))
    assert [item for *_, item in found] == list(range(2 * ITEMS_PER_PROCESS))
    assert {received for _, received, _ in found} == {1}
    assert os.getpid() not in {process for process, *_ in found}


def test_work_goes_on_while_this_process_does_something_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nobody asks for a result, and everything is done."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    paths = [tmp_path / str(number) for number in range(2 * ITEMS_PER_PROCESS)]
    workers = Workers(os.mkdir, len(paths))
    try:
        workers.each(paths)
        until = time.monotonic() + 60
        while len([*tmp_path.iterdir()]) < len(paths) and time.monotonic() < until:
            time.sleep(0.05)
    finally:
        workers.close()
    assert all(path.is_dir() for path in paths)

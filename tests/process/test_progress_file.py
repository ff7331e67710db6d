"""The state of a run in its file."""

from __future__ import annotations

import os
import time
from pathlib import Path

from helm_impactbench.process.progress_file import (
    PROGRESS_FILE,
    STALE_SECONDS,
    Snapshot,
    is_alive,
    read_snapshot,
    write_snapshot,
)


def test_a_state_comes_back_whole(tmp_path: Path) -> None:
    """What is written is read, the excerpt of the newest conversation included."""
    state = Snapshot(runs=2, cases=3, expected=8, failures={"HTTP 500": 1}, excerpt=("user: a", "model: b"))
    write_snapshot(tmp_path, state)
    assert read_snapshot(tmp_path) == state


def test_a_run_is_alive_while_it_writes_and_has_not_ended(tmp_path: Path) -> None:
    """No file, an old one and one of a run that has ended all stand for no run."""
    assert not is_alive(tmp_path)
    write_snapshot(tmp_path, Snapshot(runs=1))
    assert is_alive(tmp_path)
    old = time.time() - STALE_SECONDS - 1
    os.utime(tmp_path / PROGRESS_FILE, (old, old))
    assert not is_alive(tmp_path)
    write_snapshot(tmp_path, Snapshot(runs=1, ended=True))
    assert not is_alive(tmp_path)


def test_time_left_leaves_pauses_out() -> None:
    """Ten cases in 20 s of work take another 20 s for ten more, however long the pause was."""
    assert Snapshot(cases=10, expected=20, seconds=120, idle_seconds=100).seconds_left == 20


def test_finished_is_what_came_to_its_end_without_an_error() -> None:
    """A failed run, or one that is missing, is not finished."""
    assert Snapshot(runs=2, runs_done=2, ended=True).finished
    assert not Snapshot(runs=2, runs_done=2, runs_failed=1, ended=True).finished
    assert not Snapshot(runs=2, runs_done=1, ended=True).finished
    assert not Snapshot(runs=2, runs_done=2).finished

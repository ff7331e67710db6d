"""Processes that share a folder take turns on a key."""

from __future__ import annotations

import select
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from helm_impactbench.files.keyed_lock import KeyedFileLock

HOLDER = """
import sys, time
from pathlib import Path
from helm_impactbench.files.keyed_lock import KeyedFileLock
print("asks", flush=True)
with KeyedFileLock(Path(sys.argv[1])).of(sys.argv[2]):
    print("holds", flush=True)
    time.sleep(float(sys.argv[3]))
    print("lets go", flush=True)
"""


def holder(path: Path, key: str, seconds: float, until: str = "holds") -> subprocess.Popen[str]:
    """Return another process that asks for the turn on `key` and, unless it is not waited for, has it."""
    command = [sys.executable, "-c", HOLDER, str(path), key, str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while process.stdout.readline() != f"{until}\n":
        assert process.poll() is None
    return process


def waited(turns: KeyedFileLock, key: str) -> float:
    """Return the seconds until this process has the turn."""
    began = time.monotonic()
    with turns.of(key):
        return time.monotonic() - began


def test_a_key_waits_for_its_holder_and_others_do_not(tmp_path: Path) -> None:
    """The same key is free when the other process lets go of it; another key is free at once."""
    other = holder(tmp_path / "turns", "opening", 2.0)
    turns = KeyedFileLock(tmp_path / "turns")
    with turns.of("another opening"):
        assert other.poll() is None, "it still holds the turn"
    with other, turns.of("opening"):
        assert select.select([other.stdout], [], [], 0)[0], "it said before that it lets go"


def test_a_killed_holder_leaves_no_lock(tmp_path: Path) -> None:
    """SIGKILL gives the turn back at once."""
    other = holder(tmp_path / "turns", "opening", 60)
    other.kill()
    with other, KeyedFileLock(tmp_path / "turns").of("opening"):
        assert other.wait(timeout=60) != 0


def test_no_thread_of_another_key_loses_its_turn(tmp_path: Path) -> None:
    """A turn that ends in one thread does not end the turn of another thread of the process."""
    turns, entered, leave = KeyedFileLock(tmp_path / "turns"), threading.Event(), threading.Event()

    def hold() -> None:
        with turns.of("opening"):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(10)
    with turns.of("another opening"):
        pass
    with holder(tmp_path / "turns", "opening", 0, until="asks") as rival:
        with pytest.raises(subprocess.TimeoutExpired):
            rival.wait(timeout=1)
        leave.set()
        assert rival.wait(timeout=10) == 0
    thread.join()


def test_a_folder_without_locks_is_said_once_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the lock file cannot be made, calls go on without turns."""
    turns = KeyedFileLock(tmp_path / "missing/turns")
    assert waited(turns, "opening") < 1
    assert waited(turns, "opening") < 1
    assert caplog.text.count("cannot be locked") == 1

"""Work that several processes share."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.process.workers import ITEMS_PER_PROCESS, Workers, in_copies, in_workers


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


@pytest.mark.skipif(sys.platform != "linux", reason="forks are safe on Linux alone")
def test_copies_have_what_this_process_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be pickled too; results keep their order, and an error arrives."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    known = {"lock": threading.Lock(), "value": 7}

    def work(item: int) -> tuple[int, int]:
        if item < 0:
            raise ValueError(f"no {item}")
        return os.getpid(), item * int(known["value"])  # type: ignore[call-overload]

    items = range(2 * ITEMS_PER_PROCESS)
    found = list(in_copies(work, items))
    assert [value for _, value in found] == [7 * item for item in items]
    assert os.getpid() not in {process for process, _ in found}
    with pytest.raises(ValueError, match="no -1"):
        list(in_copies(work, [*items, -1]))
    assert [process for process, _ in in_copies(work, [1, 2])] == [os.getpid()] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells a process that its parent is gone")
@pytest.mark.parametrize("way", ["in_workers", "in_copies"])
def test_no_process_is_left_when_the_command_is_killed(way: str, tmp_path: Path) -> None:
    """SIGKILL cannot be answered; the system tells the others."""
    script = tmp_path / "killed.py"
    script.write_text(
        "import os, pathlib, sys, time\n"
        "os.cpu_count = lambda: 2\n"
        "from helm_impactbench.process import workers\n"
        "def work(item):\n"
        f"    pathlib.Path({str(tmp_path)!r}, str(os.getpid())).touch()\n"
        "    time.sleep(600)\n"
        f"if __name__ == '__main__': list(workers.{way}(work, range({2 * ITEMS_PER_PROCESS})))\n"
    )
    command = subprocess.Popen([sys.executable, script], start_new_session=True)
    until = time.monotonic() + 60
    while len(names := [path.name for path in tmp_path.iterdir() if path.name.isdigit()]) < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    command.kill()
    command.wait()
    while alive := [name for name in names if _is_running(int(name))]:
        assert time.monotonic() < until, alive
        time.sleep(0.05)


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False

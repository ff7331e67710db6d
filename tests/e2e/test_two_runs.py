"""Several helm-runs at once on one output and cache; a disk that is full or read-only."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from helm_impactbench.files.atomic_write import StorageError
from helm_impactbench.llm.failures import classified
from helm_impactbench.llm.limits.spend_log import SpendLog
from helm_impactbench.process.folder_checks import check_folder
from helm_impactbench.results.files import RUN_FILES
from tests.support import helm
from tests.support.killing import PARALLEL, MarkingServer, Setting, results

SMALL = 1 << 21
"""Bytes of the disk that gets full; the results of one run need about a quarter of it."""
PADDING = 15_000


@pytest.fixture
def marking() -> Iterator[MarkingServer]:
    """A server that marks its answers, which are long."""
    server = MarkingServer(PADDING)
    yield server
    server.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes. Skips where nobody may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "none", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"NOT TESTED ON A FULL DISK: a tmpfs cannot be mounted here ({done.stderr.strip()}); run as root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def remount(folder: Path, mode: str) -> None:
    """Make a file system ro or rw."""
    subprocess.run(["mount", "-o", f"remount,{mode}", str(folder)], check=True)


def test_runs_at_once_make_each_call_once_and_leave_whole_files(tmp_path: Path, marking: MarkingServer) -> None:
    """Two of the same run and one of another target: no call twice, openings shared, the files of one after another."""
    together = tmp_path / "together"
    settings = [
        Setting(together, marking, ("target-a",)),
        Setting(together, marking, ("target-a",), PARALLEL),
        Setting(together, marking, ("target-b",)),
    ]
    for running in [setting.start() for setting in settings]:
        assert running.wait() == 0, running.text[-3000:]
        assert "Traceback" not in running.text
    assert marking.repeated == 0
    assert len(marking.calls) == 4 * 5 + 4 * 4
    one = Setting(tmp_path / "one", marking, ("target-a", "target-b"))
    one.finish()
    assert results(together) == results(one.folder)


def line_of(text: str) -> str:
    """Return the one line that says why a run ended."""
    assert "Traceback" not in text, text[-5000:]
    (line,) = [line for line in text.splitlines() if line.startswith("impactbench: ")]
    return line


@pytest.mark.long
def test_a_full_disk_loses_no_results(tmp_path: Path, marking: MarkingServer, small_disk: Path) -> None:
    """The second run's files do not fit: one line names the folder, the first run's stay, nothing half is left."""
    extra = ("--output-path", str(small_disk))
    Setting(tmp_path / "w", marking, ("target-a",), extra).finish()
    folder = next((small_disk / "runs/s").glob("*target-a*"))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert sum(map(len, before.values())) > SMALL / 8
    (small_disk / "ballast").write_bytes(bytes(_free(small_disk) - 120_000))
    both = Setting(tmp_path / "w", marking, ("target-a", "target-b"), (*extra, "--skip-completed-runs"))
    running = both.start()
    assert running.wait() == 2
    line = line_of(running.text)
    assert "target-b" in line
    assert f"{small_disk}/runs/s/" in line
    assert "cannot be written to (No space left on device)" in line
    assert "Free space there." in line
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert not list(small_disk.rglob(".*"))
    (small_disk / "ballast").unlink()
    calls = len(marking.calls)
    both.finish()
    assert len(marking.calls) == calls, "every answer was in the cache"
    assert helm.total(next((small_disk / "runs/s").glob("*target-b*")), "unscored") == (0, 4)


def _free(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


@pytest.mark.long
def test_a_full_disk_under_the_cache_ends_the_run(tmp_path: Path, marking: MarkingServer, small_disk: Path) -> None:
    """An answer that cannot be kept ends the run with the file's name; with space the same command goes on."""
    setting = Setting(tmp_path / "w", marking, ("target-a",), ("--local-path", str(small_disk)))
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(_free(small_disk) - 400_000))
    running = setting.start()
    assert running.wait() == 2
    line = line_of(running.text)
    assert f"answers cannot be stored: database or disk is full: {small_disk}/cache/impactbench" in line
    assert "Free space there." in line
    kept, calls = setting.kept(small_disk), len(marking.calls)
    assert 0 < len(kept) == calls, "calls in flight had space set aside"
    ballast.unlink()
    setting.finish()
    assert kept.isdisjoint(marking.marks[calls:])
    assert helm.total(helm.run_folder(tmp_path / "w", "s", "target-a"), "pass_rate")[1] > 0


def test_a_read_only_folder_ends_the_run_before_its_first_call(
    tmp_path: Path, marking: MarkingServer, small_disk: Path
) -> None:
    """One line names the folder and the option; what is there stays; exit code 2."""
    (small_disk / "mine").write_text("old")
    remount(small_disk, "ro")
    for option in ("--output-path", "--local-path"):
        running = Setting(tmp_path / "w", marking, ("target-a",), (option, str(small_disk / "new"))).start()
        assert running.wait() == 2
        line = line_of(running.text)
        assert f"{small_disk} cannot be written to (Read-only file system)" in line
        assert option in line
    assert marking.calls == []
    remount(small_disk, "rw")
    assert (small_disk / "mine").read_text() == "old"


def test_a_full_disk_under_the_spend_log_is_no_passing_failure() -> None:
    """The answer that was paid for is not lost for it; no further call begins, and the end has the file's name."""
    log = SpendLog(Path("/dev/full"))
    log.add("m", 0.5)
    with pytest.raises(OSError, match="/dev/full") as caught:
        log.flush()
    failure = classified(caught.value, "m")
    assert getattr(failure, "about", "") == "full"
    assert "/dev/full" in str(failure)


def test_a_file_where_a_folder_should_be_is_named(tmp_path: Path) -> None:
    """The check before the first call says what stands in the way."""
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(StorageError, match=rf"{tmp_path}/runs is a file, not a folder.*--output-path"):
        check_folder(tmp_path / "runs/s", "results", "--output-path")


def test_the_files_of_a_run_are_those_by_which_helm_takes_it_for_completed(tmp_path: Path) -> None:
    """A newer HELM with other files would break --skip-completed-runs without this."""
    from helm.benchmark.runner import Runner

    for name in RUN_FILES:
        assert not Runner._is_run_completed(None, str(tmp_path))
        (tmp_path / name).write_text("{}")
    assert Runner._is_run_completed(None, str(tmp_path))

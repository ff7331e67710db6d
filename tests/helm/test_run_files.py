"""HELM's result files: all five of a run are the old ones or the new ones."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from helm_impactbench.files.atomic_write import write_whole
from helm_impactbench.helm.run_files import RunFolders
from helm_impactbench.results.files import RUN_FILES


def contents(folder: Path) -> dict[str, str]:
    """Return all files of a folder, hidden ones too."""
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A run that is completed."""
    for name in RUN_FILES:
        (tmp_path / name).write_text("old")
    return tmp_path


def test_a_run_is_the_old_one_until_its_last_file_is_written(old: Path) -> None:
    """Whoever reads in between, or is there after a kill, finds one run and no mixture."""
    folders = RunFolders()
    for name in RUN_FILES[:-1]:
        folders.write(str(old / name), "new")
        assert {contents(old)[other] for other in RUN_FILES} == {"old"}
    folders.write(str(old / RUN_FILES[-1]), "new")
    assert contents(old) == dict.fromkeys(RUN_FILES, "new")


WITH_A_LIMIT = """
import resource, sys
from helm_impactbench.helm.run_files import RunFolders
from helm_impactbench.results.files import RUN_FILES
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
folders = RunFolders()
for name in RUN_FILES:
    folders.write(f"{sys.argv[1]}/{name}", "new" if name != sys.argv[2] else "n" * 2000)
"""


@pytest.mark.parametrize("too_large", ["run_spec.json", "per_instance_stats.json"])
def test_a_file_that_does_not_fit_changes_nothing(old: Path, too_large: str) -> None:
    """The error names the run; the old run stays whole, nothing half is left."""
    command = [sys.executable, "-c", WITH_A_LIMIT, str(old), too_large]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"{old} cannot be written to (File too large): the results of {old.name} are not kept" in done.stderr
    assert contents(old) == dict.fromkeys(RUN_FILES, "old")


def test_a_part_left_by_a_kill_is_taken_away(old: Path) -> None:
    """The next run writes it anew."""
    (old / ".stats.json.part").write_text("hal")
    folders = RunFolders()
    for name in RUN_FILES:
        folders.write(str(old / name), "new")
    assert contents(old) == dict.fromkeys(RUN_FILES, "new")


def test_one_at_a_time_writes_a_run(old: Path) -> None:
    """The second writer waits for the last file of the first."""
    first, second = RunFolders(), RunFolders()
    first.write(str(old / RUN_FILES[0]), "first")
    thread = threading.Thread(target=lambda: [second.write(str(old / name), "second") for name in RUN_FILES])
    thread.start()
    time.sleep(0.2)
    for name in RUN_FILES[1:]:
        first.write(str(old / name), "first")
    assert set(contents(old).values()) <= {"first", "second"}
    thread.join()
    assert contents(old) == dict.fromkeys(RUN_FILES, "second")


def test_another_file_is_written_in_one_step(tmp_path: Path) -> None:
    """Nothing but the file is left."""
    write_whole(tmp_path / "input_instances.json", "a")
    RunFolders().write(str(tmp_path / "input_instances.json"), "b")
    assert contents(tmp_path) == {"input_instances.json": "b"}

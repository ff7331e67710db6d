"""Files that are whole or not there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.files.atomic_write import check_parent, write_json, write_whole


def test_a_file_is_replaced_in_one_step_and_keeps_its_rights(tmp_path: Path) -> None:
    """A text, or pieces of one; nothing else is left in the folder."""
    path = tmp_path / "file"
    write_whole(path, "old")
    path.chmod(0o600)
    write_whole(path, ["n", "ew"])
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


WITH_A_LIMIT = """
import resource, sys
from pathlib import Path
from helm_impactbench.files.atomic_write import STORAGE_ERRORS, write_part
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_part(Path(sys.argv[1]), "n" * 2000)
except OSError as error:
    print(error.errno in STORAGE_ERRORS, error.filename)
"""


def test_a_file_that_does_not_fit_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    """The error is one of those that only more space mends."""
    command = [sys.executable, "-c", WITH_A_LIMIT, str(tmp_path / "file")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"True {tmp_path}/file\n"
    assert not list(tmp_path.iterdir())


def test_a_file_is_written_in_one_step_where_there_is_a_folder(tmp_path: Path) -> None:
    """The folder is asked for before anything is paid."""
    write_json(tmp_path / "x.json", {"a": "é"})
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
    check_parent(tmp_path / "y.json")
    check_parent(None)
    with pytest.raises(ImpactBenchError, match="There is no folder"):
        check_parent(tmp_path / "nowhere" / "y.json")

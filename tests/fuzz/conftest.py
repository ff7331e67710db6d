"""Where spoiled files lie."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all inputs of this process, in memory where the machine has such a place."""
    memory = Path("/dev/shm")
    return tmp_path_factory.mktemp("fuzz") if not memory.is_dir() else _in_memory(memory)


def _in_memory(memory: Path) -> Path:
    made = Path(tempfile.mkdtemp(prefix="impactbench-fuzz-", dir=memory))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made

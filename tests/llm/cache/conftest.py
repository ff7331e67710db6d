"""A full cache file, made once per test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.llm.cache.builders import fill


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A cache file with many answers."""
    path = tmp_path / "a.sqlite"
    fill(path)
    return path

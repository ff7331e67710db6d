"""A full cache file, made once per test."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llm.cache.builders import fill


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A cache file with many answers."""
    path = tmp_path / "a.sqlite"
    fill(path)
    return path


@pytest.fixture
def said() -> Iterator[list[str]]:
    """The warnings of this process."""
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    logger, handler = logging.getLogger("helm.impactbench"), Kept(logging.WARNING)
    logger.addHandler(handler)
    yield lines
    logger.removeHandler(handler)

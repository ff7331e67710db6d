"""What is said while a test runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


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

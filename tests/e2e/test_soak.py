"""The soak in small; `make soak` is the one that counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.soak import COUNT_SLACK, soak, table

pytestmark = pytest.mark.long


def test_a_short_soak_leaves_nothing_behind(tmp_path: Path) -> None:
    """A thousand calls with 10% faults: all scored, every call answered in the end, threads and files do not grow."""
    report = soak(tmp_path, calls=1000, rate=0.1, threads=8, every=0.2)
    shown = table(report)
    assert (report.exit_code, report.tracebacks, report.unscored) == (0, 0, 0), shown
    assert report.conversations == 8 * 2 * 5
    assert 1000 <= report.calls <= 2 * 1000
    assert report.faults > 0.05 * report.calls
    second, last = report.quarters[1], report.quarters[3]
    assert last.threads <= second.threads + COUNT_SLACK, shown
    assert last.files <= second.files + COUNT_SLACK, shown

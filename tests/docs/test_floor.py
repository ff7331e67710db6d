"""The floor of scripts that say nothing: what docs/decisions/evidence.md says of it is what they score."""

from __future__ import annotations

import statistics
from pathlib import Path

from tools.floor import floors, table

PAGE = Path(__file__).parents[2] / "docs/decisions/evidence.md"
HIGHEST = 0.30


def test_the_page_has_the_table_and_silence_is_no_pass() -> None:
    """Line by line; the mean over benchmarks is below .30, and above it if engagement did not count."""
    found = floors()
    lines = PAGE.read_text().splitlines()
    assert [line for line in table(found) if line not in lines] == []
    assert statistics.fmean(one.rate for one in found) < HIGHEST
    assert max(one.rate for one in found) < HIGHEST
    assert min(one.by_words for one in found) > HIGHEST

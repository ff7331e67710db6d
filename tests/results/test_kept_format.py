"""The format number of what is kept beside runs: it changes with what is kept, and what differs is not believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helm_impactbench.results import kept
from tests.results.kept_format import GOLDEN, HERE, kept_of


def test_what_is_kept_of_the_stored_runs_is_what_the_format_says() -> None:
    """Otherwise files that older code kept would be taken for what this code reads: bump FORMAT."""
    golden = json.loads(GOLDEN.read_text())
    cure = "bump FORMAT in helm_impactbench/results/kept.py, then run python -m tests.results.kept_format"
    found = kept_of(HERE)
    for run, files in golden["kept"].items():
        for name, content in files.items():
            assert found[run].get(name) == content, f"{name} of the run {run} has changed: {cure}"
    assert {run: [*files] for run, files in found.items()} == {run: [*f] for run, f in golden["kept"].items()}, cure
    assert golden["format"] == kept.FORMAT, cure


@pytest.mark.parametrize("name", ["FORMAT", "__version__"])
def test_what_another_version_kept_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Of another format, or of another release."""
    (tmp_path / "source").write_text("x")
    cache = kept.KeptRun[int]("file", lambda number: number, int)
    assert [cache.of(tmp_path, ["source"], lambda: 1), cache.of(tmp_path, ["source"], lambda: 2)] == [1, 1]
    monkeypatch.setattr(kept, name, 99)
    assert cache.of(tmp_path, ["source"], lambda: 3) == 3

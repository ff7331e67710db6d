"""Which suite a fresh replicate of a study goes into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.errors import SettingError
from helm_impactbench.process.open_runs import note_open
from helm_impactbench.process.progress_file import Snapshot, write_snapshot
from helm_impactbench.results.files import RUN_FILES
from helm_impactbench.study.reader import checked_study
from helm_impactbench.study.replicates import fresh_replicate

STUDY: Any = checked_study({"models": "a/b", "user": "u/v", "judge": "c/d", "suite": "impact"}, "test")


def suite(folder: Path, state: Snapshot | None) -> None:
    """Write a suite with a run whose newest command ended in this state; a bare helm-run leaves none."""
    (folder / "a run").mkdir(parents=True)
    for name in RUN_FILES:
        (folder / "a run" / name).write_text("[]")
    if state:
        write_snapshot(folder, state)


DONE = Snapshot(runs=1, runs_done=1, ended=True)


def test_replicates_are_counted_and_an_interrupted_one_is_continued(tmp_path: Path) -> None:
    """The second one first; the same again until it has come to its end; then the third."""
    suite(tmp_path / "impact", DONE)
    assert (fresh_replicate(STUDY, tmp_path).suite, fresh_replicate(STUDY, tmp_path).replicate) == ("impact-fresh2", 2)
    suite(tmp_path / "impact-fresh2", Snapshot(runs=2, runs_done=1))
    assert fresh_replicate(STUDY, tmp_path).replicate == 2
    write_snapshot(tmp_path / "impact-fresh2", Snapshot(runs=2, runs_done=2, runs_failed=1, ended=True))
    assert fresh_replicate(STUDY, tmp_path).replicate == 2
    write_snapshot(tmp_path / "impact-fresh2", DONE)
    note_open(tmp_path / "impact-fresh2", ["another run"], [])
    assert fresh_replicate(STUDY, tmp_path).replicate == 2
    note_open(tmp_path / "impact-fresh2", [], ["another run"])
    assert fresh_replicate(STUDY, tmp_path).suite == "impact-fresh3"


def test_what_is_to_be_repeated_has_to_be_finished(tmp_path: Path) -> None:
    """No suite, and an interrupted one, are refused; one that a bare helm-run has made counts as finished."""
    with pytest.raises(SettingError, match="impact has no finished run"):
        fresh_replicate(STUDY, tmp_path)
    suite(tmp_path / "impact", Snapshot(runs=1))
    with pytest.raises(SettingError, match="impact has no finished run"):
        fresh_replicate(STUDY, tmp_path)
    (tmp_path / "impact/progress.json").unlink()
    assert fresh_replicate(STUDY, tmp_path).suite == "impact-fresh2"

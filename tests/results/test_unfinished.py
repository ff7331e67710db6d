"""What a suite lacks that its newest command was to bring."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from helm_impactbench.process.open_runs import OPEN_RUNS_FILE, note_open
from helm_impactbench.process.progress_file import PROGRESS_FILE, Snapshot, write_snapshot
from helm_impactbench.results.files import RUN_FILES
from helm_impactbench.results.unfinished import unfinished
from helm_impactbench.suites.registry import left_out

DONE = Snapshot(runs=3, runs_done=3, cases=30, expected=30, ended=True)


def suite_with(folder: Path, runs: int, state: Snapshot | None, *, age: float = 60) -> Path:
    """Write a suite with so many whole runs, and a state that is so many seconds old."""
    suite = folder / "my suite"
    for number in range(runs):
        (suite / f"run {number}").mkdir(parents=True)
        for name in RUN_FILES:
            (suite / f"run {number}" / name).touch()
    if state:
        write_snapshot(suite, state)
        old = (suite / PROGRESS_FILE).stat().st_mtime - age
        os.utime(suite / PROGRESS_FILE, (old, old))
    return suite


def test_whole_suites_and_imports_lack_nothing(tmp_path: Path) -> None:
    """Nor does a suite that an earlier command gave more runs, or whose last state was not written any more."""
    assert unfinished(suite_with(tmp_path / "import", 2, None)) == ""
    assert unfinished(suite_with(tmp_path / "done", 3, DONE)) == ""
    assert unfinished(suite_with(tmp_path / "more", 5, DONE)) == ""
    assert unfinished(suite_with(tmp_path / "killed at the end", 3, replace(DONE, ended=False))) == ""


def test_an_interrupted_run_says_what_is_missing(tmp_path: Path) -> None:
    """Its conversations and runs, and how to go on; while it is under way, where to look."""
    state = replace(DONE, runs_done=1, cases=14, missing=20, ended=False)
    lacks = "Not finished: my suite lacks 20 planned conversations, in 2 of 3 runs. "
    on = (
        "To go on, repeat the command that planned them; what is finished is kept. If they are not wanted, delete "
        "progress.json in the suite's folder."
    )
    assert unfinished(suite_with(tmp_path / "old", 1, state)) == lacks + on
    assert unfinished(suite_with(tmp_path / "ctrl-c", 1, replace(state, ended=True), age=0)) == lacks + on
    failed = replace(DONE, runs_failed=2, missing=20, lost=16)
    assert unfinished(suite_with(tmp_path / "failed", 1, failed)) == lacks + on
    watched = (
        "Not finished: my suite is still running, with 1 of 3 runs done; impactbench watch --suite 'my suite' shows "
        "how far it is."
    )
    assert unfinished(suite_with(tmp_path / "now", 1, state, age=0)) == watched


def test_what_an_earlier_command_left_is_missing_until_it_is_done_or_not_wanted(tmp_path: Path) -> None:
    """Although the newest command, for fewer models, has come to its end."""
    suite = suite_with(tmp_path, 3, DONE)
    note_open(suite, ["m=a", "m=b"], [])
    lacks = "Not finished: my suite lacks 2 runs that an earlier command began (m=a and 1 more). To go on, repeat "
    assert unfinished(suite).startswith(lacks)
    write_snapshot(suite, replace(DONE, runs_done=2, pending=("m=a",), missing=7))
    assert unfinished(suite).startswith(
        "Not finished: my suite lacks 7 planned conversations, in 1 of 3 runs and 1 run that an earlier command began "
        "(m=b). "
    )
    (suite / OPEN_RUNS_FILE).write_text("[1")
    assert unfinished(suite).startswith("Not known to be finished: ")
    (suite / PROGRESS_FILE).unlink()
    assert unfinished(suite) == ""


def test_a_run_that_was_removed_is_missing(tmp_path: Path) -> None:
    """The state says that there were three."""
    assert "lacks 1 of 3 runs" in unfinished(suite_with(tmp_path, 2, DONE))


def test_a_state_of_another_version_says_what_it_can(tmp_path: Path) -> None:
    """It does not know how many conversations are missing."""
    suite = suite_with(tmp_path, 1, None)
    state = {name: value for name, value in asdict(replace(DONE, runs_done=1)).items() if name != "missing"}
    (suite / PROGRESS_FILE).write_text(json.dumps(state))
    assert unfinished(suite).startswith("Not finished: my suite lacks 2 of 3 runs.")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"runs": null}', '{"excerpt": 3}', '{"unscored": 3}'])
def test_a_state_that_cannot_be_read_is_no_sign_of_an_end(tmp_path: Path, text: str) -> None:
    """Emptied, cut off or of another shape: it was there, so there was a run."""
    suite = suite_with(tmp_path, 3, None)
    (suite / PROGRESS_FILE).write_text(text)
    assert unfinished(suite).startswith("Not known to be finished: ")


def test_what_an_earlier_command_left_undone_is_said(tmp_path: Path) -> None:
    """A newer command with other options has finished; of the earlier one, an empty folder tells."""
    (tmp_path / "impactbench:benchmark=b,model=m").mkdir()
    (tmp_path / "eval_cache").mkdir()
    said = "1 run left out: begun by an earlier command and not finished; to go on, repeat it."
    assert left_out(tmp_path) == [said]
    write_snapshot(tmp_path, replace(DONE, runs_done=1))
    assert left_out(tmp_path) == []  # because `unfinished` says more

"""What a runner says of how far it is."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.scenarios.scenario import Input, Instance
from helm.common.request import Request

from helm_impactbench.helm.runner import progress as progress_module
from helm_impactbench.helm.runner.progress import ProgressLimits, RunnerProgress
from helm_impactbench.process.open_runs import open_runs
from helm_impactbench.process.progress_file import PROGRESS_FILE, read_snapshot
from helm_impactbench.process.shared_state import OLDEST_CALL
from helm_impactbench.results.unfinished import unfinished


def test_runs_that_have_not_begun_count_with_their_planned_number() -> None:
    """Of three runs of known size one has begun: all of them are expected, and not three times the first."""
    progress = RunnerProgress(3, lambda: 0.0)
    for run, size in enumerate((10, 40, 50)):
        progress.plan(run, size)
    progress.begin(0, "first", 10)
    progress.count(0, None)
    assert (progress.snapshot().cases, progress.snapshot().expected) == (1, 100)


def test_a_run_of_unknown_size_is_taken_to_be_as_large_as_the_others() -> None:
    """HELM's own suites tell their size when they begin."""
    progress = RunnerProgress(2, lambda: 0.0)
    assert progress.snapshot().expected == 0
    progress.plan(0, 30)
    assert progress.snapshot().expected == 60


def test_what_a_run_has_left_undone_is_expected_no_more() -> None:
    """A run that stopped early leaves what it did; what a failed one left stays in the total, and has no time left."""
    progress = RunnerProgress(2, lambda: 0.0)
    progress.plan(0, 30)
    progress.plan(1, 30)
    progress.begin(0, "first", 30)
    progress.count(0, None)
    progress.end(0)
    progress.end(1, failed=True)
    state = progress.snapshot(ended=True)
    assert (state.cases, state.expected, state.runs_done, state.runs_failed, state.finished) == (1, 31, 2, 1, False)
    assert (state.lost, state.seconds_left) == (30, 0)


def test_the_oldest_call_is_in_the_line_and_in_the_file() -> None:
    """While there is one."""
    progress = RunnerProgress(1, lambda: 0.0)
    assert "oldest call" not in progress.text()
    with OLDEST_CALL.under_way():
        assert ", oldest call 0 s" in progress.text()
        time.sleep(0.1)
        assert progress.snapshot().oldest_call_seconds > 0
    assert progress.snapshot().oldest_call_seconds == 0


def test_the_state_has_what_bounds_the_run() -> None:
    """A pause and a budget are in the file that people watch."""
    state = RunnerProgress(1, lambda: 0.0, limits=lambda: ProgressLimits(True, 25.0, 3.5)).snapshot()
    assert (state.paused, state.budget_usd, state.suite_usd) == (True, 25.0, 3.5)


def test_no_older_state_is_written_over_the_last_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by the thread that writes every second, which may be at it just when the run ends."""
    monkeypatch.setattr(progress_module, "_FILE_SECONDS", 0.001)
    before, at_it = set(threading.enumerate()), threading.Event()

    def limits() -> ProgressLimits:
        if threading.current_thread() is not threading.main_thread():
            at_it.set()
            time.sleep(0.2)
        return ProgressLimits()

    progress = RunnerProgress(1, lambda: 0.0, limits=limits)
    progress.keep_in(tmp_path, ["only"])
    assert at_it.wait(60)
    progress.close(tmp_path)
    for thread in set(threading.enumerate()) - before:
        thread.join()
    last = read_snapshot(tmp_path)
    assert last is not None
    assert last.ended


def a_command(folder: Path, *names: str, done: int) -> list[str]:
    """Begin a command with these runs, bring so many of them to their end, and return what is open in the suite."""
    progress = RunnerProgress(len(names), lambda: 0.0)
    progress.keep_in(folder, names)
    for run in range(done):
        progress.end(run)
    progress.close(folder)
    return open_runs(folder)


def test_what_an_earlier_command_began_is_known_until_it_is_done(tmp_path: Path) -> None:
    """Whatever other commands do in the suite meanwhile, and however often they are interrupted."""
    assert a_command(tmp_path, "a", "b", "c", done=1) == ["b", "c"]
    assert a_command(tmp_path, "b", "c", done=0) == ["b", "c"]
    assert a_command(tmp_path, "a", done=1) == ["b", "c"]
    assert "lacks 1 of 1 run and 2 runs that an earlier command began (b and 1 more)" in unfinished(tmp_path)
    assert a_command(tmp_path, "d", "c", done=2) == ["b"]
    assert a_command(tmp_path, "b", done=1) == []


def test_a_command_that_did_nothing_has_left_nothing(tmp_path: Path) -> None:
    """Such as one with a wrong judge: no figure of the suite rests on a part of it."""
    assert a_command(tmp_path, "a", "b", done=0) == []


def test_the_first_conversation_opens_all_runs(tmp_path: Path) -> None:
    """One that failed without an answer does not; a run that failed stays open."""
    instance = Instance(Input("x"), [], id="1")
    state = RequestState(instance, None, None, 0, None, Request("m/m", "m/m"), None, 0, False)
    progress = RunnerProgress(2, lambda: 0.0)
    progress.keep_in(tmp_path, ["a", "b"])
    progress.count(0, None)
    assert open_runs(tmp_path) == []
    progress.count(0, state)
    assert open_runs(tmp_path) == ["a", "b"]
    progress.end(0)
    progress.end(1, failed=True)
    progress.close(tmp_path)
    assert open_runs(tmp_path) == ["b"]


def test_two_commands_at_once_leave_what_either_has_not_done(tmp_path: Path) -> None:
    """As tasks of a job array are, whose states replace each other."""
    first, second = RunnerProgress(2, lambda: 0.0), RunnerProgress(2, lambda: 0.0)
    first.keep_in(tmp_path, ["a", "b"])
    second.keep_in(tmp_path, ["c", "d"])
    for run in (0, 1):
        first.end(run)
        assert open_runs(tmp_path) == (["b"] if run == 0 else ["d"])
        second.end(run) if run == 0 else second.end(run, failed=True)
    first.close(tmp_path)
    second.close(tmp_path)
    assert open_runs(tmp_path) == ["d"]


def test_who_deletes_the_state_does_not_want_these_runs(tmp_path: Path) -> None:
    """The next command does not bring them back."""
    assert a_command(tmp_path, "a", "b", done=1) == ["b"]
    (tmp_path / PROGRESS_FILE).unlink()
    assert a_command(tmp_path, "c", done=1) == []

"""What `impactbench run` keeps of an interrupted run until there is more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.errors import HelmRunError, ImpactBenchError
from helm_impactbench.helm import study_run
from helm_impactbench.helm.runner.progress import RunnerProgress
from helm_impactbench.process.open_runs import LOOKS_VARIABLE
from helm_impactbench.process.progress_file import Snapshot, read_snapshot, write_snapshot
from helm_impactbench.process.settings import handing_down
from helm_impactbench.results.files import RUN_FILES
from helm_impactbench.results.unfinished import unfinished
from helm_impactbench.study.entries import CONF
from helm_impactbench.study.reader import checked_study

STUDY: Any = checked_study({"models": "a/b", "user": "u/v", "judge": "c/d", "suite": "impact"}, "test")
INTERRUPTED = Snapshot(runs=2, runs_done=1, cases=12, expected=30)


class IdleChild:
    """A helm-run that waits for its release."""

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take what the real one takes."""

    def __enter__(self) -> IdleChild:
        return self

    def __exit__(self, *_: Any) -> None:
        """End."""


def test_no_to_the_plan_leaves_the_state_of_an_interrupted_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the suite would look finished."""
    monkeypatch.setattr(study_run, "Child", IdleChild)
    monkeypatch.setattr(study_run, "_of_relatives", lambda study: [])
    write_snapshot(tmp_path, INTERRUPTED)

    def no() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study_run._run(STUDY, [], tmp_path, no, None, probe=False)  # type: ignore[arg-type]
    assert read_snapshot(tmp_path) == INTERRUPTED


class StoppedChild(IdleChild):
    """A helm-run that ended at its budget, without a last state of its own."""

    exit_code = 2

    def release(self) -> None:
        """Run, and stop."""
        write_snapshot(self.folder, replace(INTERRUPTED, cases=14))

    def __init__(self, _: object, log: Path, *__: Any, **___: Any) -> None:
        """Take the place of the log, which is in the suite's folder."""
        self.folder = log.parent
        log.write_text("the budget is used up")

    def wait(self, _: float) -> bool:
        """Return that it has ended."""
        return True


class SilentWatcher:
    """Shows nothing."""

    def say(self, line: str) -> None:
        """Say nothing."""

    def note(self, line: str) -> None:
        """Note nothing."""

    def running(self, command: Any, log: Path) -> None:
        """Tell nothing."""

    @contextmanager
    def progress(self, title: str, conversations: int) -> Iterator[Any]:
        """Return a display that shows nothing."""
        yield self

    def agree(self, question: str) -> None:
        """Agree."""

    def writing(self) -> Any:
        """Write nothing."""

    def show(self, snapshot: Snapshot) -> None:
        """Show nothing."""


def test_a_run_that_stopped_is_not_taken_for_one_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads the suite right after it says how to go on."""
    monkeypatch.setattr(study_run, "Child", StoppedChild)
    monkeypatch.setattr(study_run, "_of_relatives", lambda study: [])
    with pytest.raises(HelmRunError):
        study_run._run(STUDY, [], tmp_path, lambda: 30, SilentWatcher(), probe=False)  # type: ignore[arg-type]
    assert read_snapshot(tmp_path) == replace(INTERRUPTED, cases=14, ended=True)


class LookingChild(StoppedChild):
    """A helm-run whose only run comes to its end."""

    exit_code = 0

    def __init__(self, arguments: object, log: Path, *_: Any, **environment: str) -> None:
        """Take the environment, too."""
        super().__init__(arguments, log)
        self.environment = environment

    def release(self) -> None:
        """Run."""
        with handing_down({name: value for name, value in self.environment.items() if name == LOOKS_VARIABLE}):
            progress = RunnerProgress(1, lambda: 0.0)
        progress.keep_in(self.folder, ["a run"])
        (self.folder / "a run").mkdir(exist_ok=True)
        for name in RUN_FILES:
            (self.folder / "a run" / name).touch()
        progress.end(0)
        progress.close(self.folder)


def test_killed_between_two_looks_it_is_not_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although the helm-run of each look came to its end; when a look decides, it is."""
    study = STUDY.model_copy(update={"until_better": True})
    place = study_run.StudyPlace(tmp_path, tmp_path)
    found = iter([False, KeyboardInterrupt, False, True])
    lacks = "Not finished: impact lacks the further looks of a command with --until-better. To go on, repeat"

    def says_which(folder: Path, _: object) -> bool:
        assert unfinished(folder).startswith(lacks)
        if (answer := next(found)) is KeyboardInterrupt:
            raise KeyboardInterrupt
        return bool(answer)

    monkeypatch.setattr(study_run, "Child", LookingChild)
    monkeypatch.setattr(study_run, "_says_which", says_which)
    monkeypatch.setattr(study_run, "_of_relatives", lambda study: [])
    for name in ("_check", "check_arms_differ", "write_missing"):
        monkeypatch.setattr(study_run, name, lambda *_: None)
    for name in ("run_entries", "reference_entries"):
        monkeypatch.setattr(study_run, name, lambda *_: [])
    monkeypatch.setattr(study_run, "_announce", lambda *_: 30)

    def run() -> None:
        study_run._run_priced(study, place, SilentWatcher(), fresh=False, probe=False, anchors=None)

    with pytest.raises(KeyboardInterrupt):
        run()
    assert unfinished(place.suite(study)).startswith(lacks)
    run()
    assert unfinished(place.suite(study)) == ""


def test_a_suite_takes_one_command_at_a_time(tmp_path: Path) -> None:
    """The second one is refused and changes nothing; when the first has ended, the next one goes ahead."""
    suite = tmp_path / "impact"
    with study_run._new_folder(suite) as keep:
        keep()
        (suite / CONF).write_text("of the first")
        with (
            pytest.raises(
                ImpactBenchError, match=r"Another impactbench run is using the suite impact; impactbench watch"
            ),
            study_run._new_folder(suite),
        ):
            pytest.fail("two at once")
        assert (suite / CONF).read_text() == "of the first"
    with study_run._new_folder(suite):
        pass
    assert (suite / CONF).read_text() == "of the first"


def test_on_a_full_disk_nothing_is_said_not_to_have_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state there is an old one: it could not be written any more."""
    assert study_run._kept(Snapshot(), tmp_path) == "Nothing was run."
    monkeypatch.setattr(study_run, "takes_files", lambda _: False)
    kept = "What could be stored is kept; when there is space, the same command continues."
    assert study_run._kept(Snapshot(), tmp_path) == f"Finished: not known. {kept}"
    assert study_run._kept(INTERRUPTED, tmp_path) == f"Finished: at least 12 conversations. {kept}"


def test_an_older_state_is_none_of_the_new_run(tmp_path: Path) -> None:
    """Its conversations are not shown as the new run's."""
    write_snapshot(tmp_path, INTERRUPTED)
    assert study_run._now(tmp_path, INTERRUPTED, 30) == Snapshot()
    assert study_run._now(tmp_path, None, 30) == INTERRUPTED

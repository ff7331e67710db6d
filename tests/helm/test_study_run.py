"""What `impactbench run` keeps of an interrupted run until there is more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.helm import study_run
from helm_impactbench.process.progress_file import Snapshot, read_snapshot, write_snapshot
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


def test_an_older_state_is_none_of_the_new_run(tmp_path: Path) -> None:
    """Its conversations are not shown as the new run's."""
    write_snapshot(tmp_path, INTERRUPTED)
    assert study_run._now(tmp_path, INTERRUPTED, 30) == Snapshot()
    assert study_run._now(tmp_path, None, 30) == INTERRUPTED

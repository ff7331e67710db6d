"""A rejudged suite that is not whole."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from helm_impactbench.helm import rejudging
from helm_impactbench.results.files import RUN_FILES, RunFolder
from helm_impactbench.results.unfinished import unfinished
from tests.results.test_unfinished import DONE, suite_with


class Judge:
    """Judges two runs, and is interrupted then."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.judged = folder, 0

    def record(self, _: object) -> None:
        """Write a whole run."""
        if self.judged == 2:
            raise KeyboardInterrupt
        self.judged += 1
        (self.folder / str(self.judged)).mkdir(parents=True, exist_ok=True)
        for name in RUN_FILES:
            (self.folder / str(self.judged) / name).touch()


def rejudged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path, runs: int) -> Path:
    """Rejudge so many runs of a suite into another."""
    found: Any = [SimpleNamespace(name=str(number), is_done=False) for number in range(runs)]
    monkeypatch.setattr(rejudging, "plan", lambda *_: found)
    monkeypatch.setattr(rejudging, "relatives", lambda *_: [])
    monkeypatch.setattr(rejudging, "JudgedAgain", lambda *_: None)
    monkeypatch.setattr(rejudging, "rejudged", lambda *_: None)
    target, panel = tmp_path / "again", SimpleNamespace(deployments=())
    own: Any = [SimpleNamespace(path=RunFolder(source / "run 0").path, model="m")]
    rejudging.rejudge_runs(own, target, panel, Judge(target), lambda _: None)  # type: ignore[arg-type]
    return target


def test_a_rejudged_suite_lacks_what_its_source_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or an unfinished suite would look whole after it."""
    target = rejudged(tmp_path, monkeypatch, suite_with(tmp_path, 2, DONE), 2)
    assert unfinished(target).startswith("Not finished: again lacks 1 of 3 runs.")


def test_an_interrupted_rejudging_is_not_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its suite has two of three runs."""
    with pytest.raises(KeyboardInterrupt):
        rejudged(tmp_path, monkeypatch, suite_with(tmp_path, 3, DONE), 3)
    assert unfinished(tmp_path / "again").startswith("Not finished: again lacks 1 of 3 runs.")


def test_a_whole_one_lacks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its source."""
    assert unfinished(rejudged(tmp_path, monkeypatch, suite_with(tmp_path, 2, None), 2)) == ""


def test_an_interrupted_rejudging_is_not_finished_by_one_of_fewer_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third run is still known, by its name."""
    source = suite_with(tmp_path, 3, DONE)
    with pytest.raises(KeyboardInterrupt):
        rejudged(tmp_path, monkeypatch, source, 3)
    assert "1 run that an earlier command began (2)" in unfinished(rejudged(tmp_path, monkeypatch, source, 2))

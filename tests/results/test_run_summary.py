"""What an overview says of a run: the same whether it is read from the conversations or from what is kept of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_impactbench.results.files import RunFolder, run_folders
from helm_impactbench.results.run_summary import FILE, run_summary, summary
from tests.support import kinds


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run of every kind of metric."""
    folder = tmp_path_factory.mktemp("out") / "runs/s"
    kinds.write_run(folder, "bad")
    return run_folders(folder)[0]


def test_a_kept_summary_is_that_of_the_conversations(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics of every kind, aims and usages survive; the second reading opens no conversation."""
    wanted = summary(run.records())
    assert repr(run_summary(run)) == repr(wanted)
    monkeypatch.setattr(RunFolder, "records", None)
    assert repr(run_summary(RunFolder(run.path))) == repr(wanted)
    assert all((wanted.metrics, wanted.aims, wanted.judge_usage.calls))


def test_a_damaged_summary_is_replaced(run: RunFolder) -> None:
    """By the bytes that were there before."""
    run_summary(run)
    path: Path = run.path / FILE
    before = path.read_bytes()
    path.write_bytes(before.replace(b"calls", b"callz"))
    assert repr(run_summary(run)) == repr(summary(run.records()))
    assert path.read_bytes() == before

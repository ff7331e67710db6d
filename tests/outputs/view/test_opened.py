"""A suite opened by the server: something is shown at once, with a sentence on what is being done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from helm_impactbench.outputs.view.opened import FRONT, Opened
from helm_impactbench.process import workers
from tests.support import kinds


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of two runs, of which nothing is kept."""
    for target in ("bad", "good"):
        kinds.write_run(tmp_path / "suite", target)
    return tmp_path / "suite"


@pytest.fixture
def opened(suite: Path) -> Iterator[Opened]:
    """That suite, opened and not read."""
    with closing(Opened(suite)) as found:
        yield found


def front(opened: Opened) -> str:
    """Return the front page as it is now."""
    page = opened.page(FRONT)
    assert page is not None
    return str(page.body)


def test_something_is_shown_before_anything_is_read(opened: Opened) -> None:
    """And says so; the next opening shows the kept page at once, and that it is read again."""
    assert "Scanning the suite for runs." in front(opened)
    opened.read()
    assert "Reading the suite" not in front(opened)
    assert "org/good" in front(opened)
    with closing(Opened(opened.folder)) as second:
        again = front(second)
    assert "These are the results from the last visit; the suite is being read again." in again
    assert "org/good" in again


def test_a_reader_is_told_what_is_being_done(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many runs are read, and then that figures are computed."""
    seen: list[str] = []
    each = workers.Workers.each

    def watched(*given: object) -> object:
        for one in each(*given):  # type: ignore[arg-type]
            seen.append(front(opened))
            yield one

    monkeypatch.setattr(workers.Workers, "each", watched)
    monkeypatch.setattr(
        "helm_impactbench.outputs.report.results.Results.compute_shared", lambda results: seen.append(front(opened))
    )
    opened.read()
    assert "0 of 2 runs read." in seen[0]
    assert "1 of 2 runs read." in seen[1]
    assert "All runs are read; tests and intervals are being computed." in seen[2]


def test_a_conversation_is_there_while_figures_are_computed(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the files of its run alone, at the address that the report has; no other text leads to one."""
    monkeypatch.setattr("helm_impactbench.outputs.report.results.Results.compute_shared", lambda results: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        opened.read()
    page = opened.conversation("kinds/org~bad/helps_s001_v01")
    assert page is not None
    assert "I look away." in str(page.body)
    assert opened.conversation("kinds/org~bad/first") is not None
    for of in ("", "kinds/org~bad/none", "kinds/org~bad", "../kinds/org~bad/first", "kinds/org~bad/../org~good/first"):
        assert opened.conversation(of) is None, of

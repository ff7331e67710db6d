"""A suite opened by the server: something is shown at once, with a sentence on what is being done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from helm_impactbench.outputs.view.opened import FIRST, FRONT, Opened, _file
from helm_impactbench.process import workers
from helm_impactbench.results.files import RunFolder
from tests.support import kinds


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of two runs, of which nothing is kept."""
    folder = tmp_path / "output/runs/suite"
    for target in ("bad", "good"):
        kinds.write_run(folder, target)
    return folder


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


def test_the_file_of_a_chart_may_use_its_own_colours(tmp_path: Path) -> None:
    """They are in a style element of the file; other files have their styles from the server."""
    for name, styles in (("chart-models.svg", "'unsafe-inline'"), ("chart-models.csv", "'self'")):
        (tmp_path / name).write_text("")
        assert f"style-src {styles};" in _file(tmp_path / name).policy


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


def test_no_run_is_read_to_say_what_can_be_read(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """The addresses of runs follow from their names, so that the first page waits for none; they lead somewhere."""
    seen: list[str] = []
    each = workers.Workers.each

    def watched(*given: object) -> object:
        with monkeypatch.context() as patch:
            patch.setattr(RunFolder, "outcomes", lambda run, records=None: 1 / 0)
            seen.append(front(opened))
        yield from each(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(workers.Workers, "each", watched)
    opened.read()
    for target in ("bad", "good"):
        assert f'href="conversation.html?of=kinds/org~{target}/{FIRST}"' in seen[0]
        assert opened.conversation(f"kinds/org~{target}/{FIRST}") is not None


def test_a_run_that_came_while_the_suite_was_read_makes_the_kept_page_stale(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kept page says what was there before it was read, so that it is never taken for one of more."""
    computed = "helm_impactbench.outputs.report.results.Results.compute_shared"
    monkeypatch.setattr(computed, lambda results: kinds.write_run(opened.folder, "newgood") and None)
    opened.read()
    assert "newgood" not in front(opened)
    with closing(Opened(opened.folder)) as second:
        assert "Scanning the suite for runs." in front(second)


def test_a_new_check_of_a_judge_makes_the_kept_page_stale(opened: Opened) -> None:
    """Checks on golden sets and under stress are beside the suites, in the output folder."""
    opened.read()
    checks = opened.folder.parents[1] / "judges"
    checks.mkdir()
    (checks / "j_one.json").write_text("{}")
    with closing(Opened(opened.folder)) as second:
        assert "Scanning the suite for runs." in front(second)

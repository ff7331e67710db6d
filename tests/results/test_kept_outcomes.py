"""Outcomes that are kept beside a run: quick to read, never older than the run, and never needed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from helm_impactbench.benchmark.measures import registry
from helm_impactbench.conversation.draw import Draw
from helm_impactbench.results import kept_outcomes as kept
from helm_impactbench.results.files import OUTCOME_SOURCES, SPEC_FILE, STATE_FILE, RunFolder, run_folders
from helm_impactbench.results.kept import FORMAT, measures_hash
from helm_impactbench.results.outcome import Outcome, Withheld
from tests.support import kinds
from tests.support.plug_in import write_plug_in


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with outcomes of every kind."""
    folder = tmp_path_factory.mktemp("out") / "runs/s"
    kinds.write_run(folder, "bad")
    (run,) = run_folders(folder)
    return run.path


@pytest.fixture
def run(written: Path, tmp_path: Path) -> RunFolder:
    """A copy of it in which nothing is kept."""
    return RunFolder(shutil.copytree(written, tmp_path / "run"))


def _counted(run: RunFolder) -> tuple[list[Outcome], int]:
    """Return the outcomes of a run, and how often its conversations were read for them."""
    times = []

    def read() -> list[Outcome]:
        times.append(1)
        return run.outcomes(run.records())

    return kept.kept_outcomes(run.path, OUTCOME_SOURCES, read), len(times)


def _same(found: list[Outcome], wanted: list[Outcome]) -> bool:
    """Whether outcomes are equal, and 1 is not taken for 1.0."""
    return [*map(repr, found)] == [*map(repr, wanted)]


def test_conversations_are_read_once(run: RunFolder) -> None:
    """The second reading gives the same outcomes, each value of the same type, without the conversations."""
    first, second = _counted(run), _counted(run)
    assert (first[1], second[1]) == (1, 0)
    assert _same(second[0], first[0])
    assert _same(first[0], run.outcomes(run.records()))


def test_reading_a_run_for_its_conversations_keeps_the_outcomes(run: RunFolder) -> None:
    """Whatever reads both leaves the outcomes behind, and gets the same conversations when they are kept."""
    records, outcomes = run.read()
    assert _same(_counted(run)[0], outcomes)
    assert _counted(run)[1] == 0
    again, kept_ones = run.read()
    assert again == records == list(run.records())
    assert _same(kept_ones, outcomes)


def test_every_field_is_kept(run: RunFolder) -> None:
    """Also what few conversations have: a draw, a severity, checks, votes that do not count."""
    draw = Draw(place=1, of=2, size=1, most=1, conversations=2, width=0.2)
    left = Withheld("unscored", None, None, "judge_ungrounded", None, None, engaged=False)
    own = [replace(one, draw=draw, severity=0.25, withheld=left, checks=(("asks", None), ("warm", True)),
                   marked=True, engaged=False,
                   factors=(("size", "large"),), axes_label="age=\u00e4lter", user="u/u", bounds=(1.0, 7.0))
           for one in run.outcomes(run.records())]  # fmt: skip
    own[0] = replace(own[0], bounds=None, value=-0.0)
    kept.kept_outcomes(run.path, OUTCOME_SOURCES, lambda: own)
    assert _same(_counted(run)[0], own)


@pytest.mark.parametrize("name", [SPEC_FILE, STATE_FILE])
def test_a_file_of_the_run_that_changed_is_read_again(run: RunFolder, name: str) -> None:
    """Whatever its time and size say."""
    run.outcomes()
    path, old = run.path / name, (run.path / name).stat()
    text = path.read_text()
    path.write_text(text.replace("kinds", "KINDS"))
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert (path.stat().st_size, path.read_text() == text) == (old.st_size, False)
    assert _counted(RunFolder(run.path))[1] == 1


def _spoil(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def _as(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def spoil(path: Path) -> None:
        path.unlink()
        make(path)

    return spoil


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(_spoil(lambda content: b""), id="empty"),
        pytest.param(_spoil(lambda content: content[: len(content) // 2]), id="half"),
        pytest.param(_spoil(lambda content: content.replace(b"scored", b"Scored")), id="another-word"),
        pytest.param(
            _spoil(lambda content: content.replace(b'"format": %d' % FORMAT, b'"format": 1')), id="another-format"
        ),
        pytest.param(_spoil(lambda content: b"[" * 100_000 + b"\n{}"), id="deep"),
        pytest.param(_spoil(lambda content: b"\xff\xfe\n\x00"), id="no-text"),
        pytest.param(_spoil(lambda content: content.partition(b"\n")[0] + b"\n{}"), id="no-columns"),
        pytest.param(_as(lambda path: path.symlink_to("/dev/zero")), id="device"),
        pytest.param(_as(os.mkfifo), id="pipe"),
    ],
)
def test_a_damaged_file_is_replaced(run: RunFolder, spoil: Callable[[Path], object]) -> None:
    """By the bytes that were there before, and without a word."""
    path = run.path / kept.FILE
    wanted, before = run.outcomes(), path.read_bytes()
    spoil(path)
    assert _counted(run) == (wanted, 1)
    assert path.read_bytes() == before


def test_columns_that_do_not_fit_are_not_believed(run: RunFolder) -> None:
    """Not even with the right hash: a place that no value has, and a value of another type."""
    path, wanted = run.path / kept.FILE, run.outcomes()
    head, _, columns = path.read_text().partition("\n")
    for spoiled in (columns.replace('"rows":[', '"rows":[9999,', 1), columns.replace('"values":[', '"values":[{},', 1)):
        digest = hashlib.sha256(spoiled.encode()).hexdigest()
        path.write_text(json.dumps({**json.loads(head), "columns": digest}) + "\n" + spoiled)
        assert _counted(run) == (wanted, 1)


def test_a_folder_that_takes_no_file_is_read_every_time(run: RunFolder) -> None:
    """Also where the place is taken."""
    (run.path / kept.FILE / "x").mkdir(parents=True)
    assert [_counted(run)[1] for _ in range(2)] == [1, 1]
    assert [path.name for path in run.path.iterdir() if path.name.endswith(".part")] == []


def test_a_run_that_is_replaced_while_it_is_read_is_not_kept(run: RunFolder) -> None:
    """The outcomes of the old one would be kept for the new one."""

    def read() -> list[Outcome]:
        found = run.outcomes(run.records())
        (run.path / STATE_FILE).write_text((run.path / STATE_FILE).read_text() + " ")
        return found

    kept.kept_outcomes(run.path, OUTCOME_SOURCES, read)
    assert not (run.path / kept.FILE).exists()


def test_two_copies_of_a_run_have_the_same_bytes(run: RunFolder, tmp_path: Path) -> None:
    """The file has no times and no paths, so that it is good in a copy."""
    copy = RunFolder(shutil.copytree(run.path, tmp_path / "copy"))
    assert copy.outcomes() == run.outcomes()
    assert (copy.path / kept.FILE).read_bytes() == (run.path / kept.FILE).read_bytes()


def test_another_measure_makes_kept_outcomes_old(
    run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its code may give the same answer another value."""
    run.outcomes()
    (tmp_path / "own_measure.py").write_text(
        "from helm_impactbench.benchmark.measures.presence import Presence\n"
        "class Own(Presence):\n    kind: str = 'own'\n"
    )
    write_plug_in(tmp_path, own="own_measure:Own")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    _forget_measures()
    try:
        assert _counted(run)[1] == 1
    finally:
        _forget_measures()


def _forget_measures() -> None:
    registry._load_extensions.cache_clear()
    measures_hash.cache_clear()

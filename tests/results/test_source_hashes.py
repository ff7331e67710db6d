"""Hashes of a run's files: taken once of a file that nobody touches, and anew of every other one."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from helm_impactbench.results import source_hashes as module
from helm_impactbench.results.source_hashes import FILE, source_hashes

NAMES = ("a.json", "b.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files."""
    for name in NAMES:
        (tmp_path / name).write_text(f"content of {name}")
    return tmp_path


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that are read for their hash; files settle at once."""
    found: list[str] = []
    original = module._hash

    def counted(path: Path) -> str:
        found.append(path.name)
        return original(path)

    monkeypatch.setattr(module, "_hash", counted)
    monkeypatch.setattr(module, "SETTLED_NS", 0)
    return found


def test_a_file_that_nobody_touched_is_hashed_once(folder: Path, hashed: list[str]) -> None:
    """By any command: what is known is in the folder."""
    first = source_hashes(folder, NAMES)
    assert first is not None
    assert len(set(first.values())) == 2
    assert source_hashes(folder, NAMES) == first
    assert source_hashes(folder, NAMES[1:]) == {"b.json": first["b.json"]}
    assert hashed == [*NAMES]


def test_a_change_of_the_same_size_and_time_is_seen(folder: Path, hashed: list[str]) -> None:
    """The time of a change cannot be set, unlike that of the last writing."""
    path = folder / "a.json"
    before, old = source_hashes(folder, NAMES), path.stat()
    path.write_text("Content of a.json")
    while path.stat().st_ctime_ns == old.st_ctime_ns:  # within one tick of the file system's clock
        time.sleep(0.005)
        path.write_text("Content of a.json")
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (old.st_size, old.st_mtime_ns)
    after = source_hashes(folder, NAMES)
    assert before is not None
    assert after is not None
    assert after["a.json"] != before["a.json"]
    assert after["b.json"] == before["b.json"]
    assert hashed == [*NAMES, "a.json"]


def test_a_replaced_file_of_the_same_times_is_seen(folder: Path, tmp_path: Path, hashed: list[str]) -> None:
    """Another file under the name has another place on the disk."""
    before = source_hashes(folder, NAMES)
    new = folder / "new"
    shutil.copy2(folder / "a.json", new)
    new.write_text("CONTENT of a.json")
    new.replace(folder / "a.json")
    assert source_hashes(folder, NAMES) != before


def test_a_file_that_changed_a_moment_ago_is_hashed_every_time(
    folder: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second change within one tick of the clock has the same time."""
    monkeypatch.setattr(module, "SETTLED_NS", 3600 * 10**9)
    assert source_hashes(folder, NAMES) == source_hashes(folder, NAMES)
    assert hashed == [*NAMES, *NAMES]
    assert not (folder / FILE).exists()


def test_a_change_while_a_file_is_hashed_is_not_missed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was not settled when its hash began is not believed, however long the hash took."""
    now = [(folder / "a.json").stat().st_ctime_ns]
    original = module._hash

    def slow(path: Path) -> str:
        found = original(path)
        now[0] += 10 * module.SETTLED_NS
        return found

    monkeypatch.setattr(module, "_hash", slow)
    monkeypatch.setattr("time.time_ns", lambda: now[0])
    source_hashes(folder, NAMES[:1])
    assert not (folder / FILE).exists()


def test_a_copy_is_hashed_again(folder: Path, tmp_path_factory: pytest.TempPathFactory, hashed: list[str]) -> None:
    """The file has marks of the original, which are never those of the copy."""
    first = source_hashes(folder, NAMES)
    copy = shutil.copytree(folder, tmp_path_factory.mktemp("copies") / "copy")
    assert source_hashes(copy, NAMES) == first
    assert hashed == [*NAMES, *NAMES]


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b"[" * 50_000, b"\xff\xfe", b'{"a.json": 1}', b'{"a.json": ["x", 1, 2, 3, "4"]}',
     b'{"a.json": ["x", 1, 2, 3, 4]}'],
)  # fmt: skip
def test_a_damaged_file_is_not_believed(folder: Path, content: bytes, hashed: list[str]) -> None:
    """It is replaced without a word."""
    first, good = source_hashes(folder, NAMES), json.loads((folder / FILE).read_bytes())
    (folder / FILE).write_bytes(content)
    assert source_hashes(folder, NAMES) == first
    assert json.loads((folder / FILE).read_bytes()) == good


def test_a_folder_that_takes_no_file(folder: Path, hashed: list[str]) -> None:
    """Is hashed every time."""
    (folder / FILE / "x").mkdir(parents=True)
    assert source_hashes(folder, NAMES) == source_hashes(folder, NAMES)
    assert hashed == [*NAMES, *NAMES]


def test_what_is_no_file_has_no_hash(folder: Path) -> None:
    """Missing, a folder, a pipe that nobody writes to, a device that never ends."""
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "device").symlink_to("/dev/zero")
    for name in ("missing", "folder", "pipe", "device"):
        assert source_hashes(folder, ["a.json", name]) is None

"""The cache file: damage is found, dropped and made anew; HELM reads it and writes it; many may at once."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from helm.common.key_value_store import SqliteKeyValueStore

from helm_impactbench.llm.cache import sqlite_store
from helm_impactbench.llm.cache.sqlite_salvage import readable_rows
from helm_impactbench.llm.cache.sqlite_store import SqliteStore

ENTRIES = 300


def key(number: int) -> dict[str, Any]:
    """Return a request."""
    return {"model": "m", "messages": [{"role": "user", "content": f"message {number}"}], "random": str(number)}


def reply(number: int) -> dict[str, Any]:
    """Return an answer; every tenth is longer than several pages of the file."""
    return {
        "text": f"reply {number} " * (2000 if number % 10 == 0 else 20),
        "request_time": 0.5,
        "usage": {"n": number},
    }


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The warnings."""
    lines: list[str] = []
    monkeypatch.setattr(sqlite_store, "hwarn", lines.append)
    return lines


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A cache file with many entries, written by us."""
    path = tmp_path / "a.sqlite"
    with SqliteStore(str(path)) as store:
        store.multi_put((key(i), reply(i)) for i in range(ENTRIES))
    return path


def found(path: Path) -> set[int]:
    """Return the numbers of the entries that are there; each has to be what was put."""
    with SqliteStore(str(path)) as store:
        got = {i: store.get(key(i)) for i in range(ENTRIES)}
    assert {i: value for i, value in got.items() if value is not None} == {i: reply(i) for i in got if got[i]}
    return {i for i, value in got.items() if value is not None}


def replace_value(path: Path, number: int, value: object) -> None:
    """Put raw bytes in the place of an entry's value."""
    connection = sqlite3.connect(path)
    text = sqlite_store.request_to_key(key(number))
    with connection:
        connection.execute("REPLACE INTO unnamed (key, value) VALUES (?, ?)", (text, value))
    connection.close()


class _Runs:
    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return os.mkdir, ("should-never-exist",)


# --- HELM's store and ours


def test_helm_reads_what_is_written_here_and_the_reverse(tmp_path: Path) -> None:
    """One file, both stores, both ways, also an entry written over."""
    path = str(tmp_path / "a.sqlite")
    with SqliteStore(path) as ours:
        ours.put(key(1), reply(1))
        with SqliteKeyValueStore(path) as helms:
            assert helms.get(key(1)) == reply(1)
            helms.put(key(2), reply(2))
            helms.put(key(1), reply(3))
        assert ours.get(key(2)) == reply(2)
        assert ours.get(key(1)) == reply(3)
        assert ours.get(key(4)) is None


# --- a damaged entry


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b"", "EOFError"),
        (b"garbage \x00\xff", "UnpicklingError"),
        (pickle.dumps(reply(7))[:40], "truncated"),
        (pickle.dumps(_Runs()), "it asks for posix.mkdir"),
        (pickle.dumps([1, 2]), "a list in place of a reply"),
        ("text", "TypeError"),
        (None, "EOFError"),
    ],
    ids=["empty", "garbage", "cut off", "runs code", "no reply", "text", "null"],
)
def test_a_damaged_entry_is_dropped_with_a_warning(
    full: Path, said: list[str], workdir: Path, value: object, why: str
) -> None:
    """It counts as not there, every other entry stays, and it can be put anew."""
    replace_value(full, 7, value)
    assert found(full) == set(range(ENTRIES)) - {7}
    (line,) = said
    assert str(full) in line
    assert why in line
    assert not (workdir / "should-never-exist").exists()
    with SqliteStore(str(full)) as store:
        store.put(key(7), reply(7))
    assert found(full) == set(range(ENTRIES))


# --- a damaged file


def whole_pages(path: Path, length: int) -> set[int]:
    """Return the numbers of entries whose every byte stands before `length`, as SQLite itself places them."""
    copy = path.with_name("probe.sqlite")
    shutil.copy(path, copy)
    with copy.open("r+b") as file:
        file.truncate(length)
    return {int(row.key.rsplit('"', 2)[1]) for row in readable_rows(copy)}


@pytest.mark.parametrize("part", [0.001, 0.01, 0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_keeps_what_is_readable(full: Path, said: list[str], part: float) -> None:
    """At any length: a warning that counts, no entry lost that is whole, the damaged file kept, calls kept again."""
    length = int(full.stat().st_size * part)
    expected = whole_pages(full, length)
    with full.open("r+b") as file:
        file.truncate(length)
    cut = full.read_bytes()
    assert found(full) == expected
    assert len(expected) >= int(part * ENTRIES * 0.8) - 10
    (line,) = said
    assert f"{len(expected)} entries could be read and are kept" in line
    (aside,) = full.parent.glob("a.sqlite.damaged-*")
    assert aside.read_bytes() == cut
    with SqliteStore(str(full)) as store:
        store.put(key(1), reply(1))
    assert found(full) == expected | {1}
    assert len(said) == 1


@pytest.mark.parametrize("place", ["header", "root", "middle", "many"])
def test_garbage_in_the_file_costs_its_pages_alone(full: Path, said: list[str], place: str) -> None:
    """Overwritten pages are lost, wherever they stand; the others give their entries."""
    pages = full.stat().st_size // 4096
    overwritten = {"header": [0], "root": [1], "middle": [pages // 2], "many": list(range(5, pages, 20))}[place]
    with full.open("r+b") as file:
        for page in overwritten:
            file.seek(page * 4096)
            file.write(os.urandom(4096 if page else 100))
    kept = found(full)
    assert len(kept) >= ENTRIES - 8 * len(overwritten)
    assert said
    assert found(full) == kept


def test_a_file_of_something_else_is_put_aside(tmp_path: Path, said: list[str]) -> None:
    """A text file in the place of the cache: a warning, an empty cache, the text kept."""
    path = tmp_path / "a.sqlite"
    path.write_text("This is no database.\n" * 1000)
    with SqliteStore(str(path)) as store:
        store.put(key(1), reply(1))
        assert store.get(key(1)) == reply(1)
    assert "0 entries could be read" in said[0]
    (aside,) = tmp_path.glob("a.sqlite.damaged-*")
    assert aside.read_text().startswith("This is no database.")


def test_an_emptied_file_is_said(full: Path, said: list[str]) -> None:
    """Zero bytes are a new cache to SQLite; a file that has been empty for a while was one."""
    full.write_bytes(b"")
    os.utime(full, (0, 0))
    assert found(full) == set()
    (line,) = said
    assert "is empty" in line


def test_damage_under_an_open_store_is_mended(full: Path, said: list[str]) -> None:
    """The file is cut while a run has it open: the run goes on with what is readable."""
    with SqliteStore(str(full)) as store:
        assert store.get(key(1)) == reply(1)
        with full.open("r+b") as file:
            file.truncate(full.stat().st_size // 2)
        with SqliteStore(str(full)) as second:
            kept = {i for i in range(ENTRIES) if second.get(key(i))}
        assert {i for i in range(ENTRIES) if store.get(key(i))} == kept
        store.put(key(ENTRIES), reply(ENTRIES))
    with SqliteStore(str(full)) as third:
        assert third.get(key(ENTRIES)) == reply(ENTRIES), "not into the file that was put aside"
    assert len(said) == 1


KILLED_WRITER = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA synchronous = OFF")
connection.execute("PRAGMA cache_size = 5")  # pages go to the file before the end of the transaction
connection.execute("BEGIN")
connection.execute("UPDATE unnamed SET value = zeroblob(9000)")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_journal_left_behind_is_rolled_back(full: Path, said: list[str]) -> None:
    """A writer is killed in the middle of its transaction: every entry is as before."""
    subprocess.run([sys.executable, "-c", KILLED_WRITER, str(full)], check=False)
    assert Path(f"{full}-journal").stat().st_size > 0
    assert found(full) == set(range(ENTRIES))
    assert said == []


# --- many at once


def _write(path: str, first: int, number: int) -> None:
    store = SqliteStore(path)
    for i in range(first, first + number):
        store.put(key(i), reply(i))


def test_threads_and_processes_write_at_once(tmp_path: Path, said: list[str]) -> None:
    """Four processes and four threads on a new file: every entry is there, none damaged."""
    path = str(tmp_path / "a.sqlite")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_write, args=(path, 30 * i, 30)) for i in range(4)]
    for process in processes:
        process.start()
    store = SqliteStore(path)
    threads = [
        threading.Thread(target=lambda i=i: [store.put(key(j), reply(j)) for j in range(120 + 30 * i, 150 + 30 * i)])
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert found(Path(path)) == set(range(240))
    assert said == []


def _open_and_count(path: str, answers: Any) -> None:
    store = SqliteStore(path)
    answers.put(sum(store.get(key(i)) is not None for i in range(ENTRIES)))


def test_processes_that_find_the_damage_together_mend_it_once(full: Path) -> None:
    """After a power cut all jobs start at once: one puts the file aside, all see the same entries."""
    length = full.stat().st_size // 2
    expected = len(whole_pages(full, length))
    with full.open("r+b") as file:
        file.truncate(length)
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    processes = [context.Process(target=_open_and_count, args=(str(full), answers)) for _ in range(4)]
    for process in processes:
        process.start()
    assert [answers.get(timeout=120) for _ in processes] == [expected] * 4
    for process in processes:
        process.join()
    assert len(list(full.parent.glob("a.sqlite.damaged-*"))) == 1


def test_who_finds_the_damage_second_does_not_mend_again(
    full: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two stores have both failed to open the file before either mends it."""
    with full.open("r+b") as file:
        file.truncate(full.stat().st_size // 2)
    both, really = threading.Barrier(2), sqlite_store._connected

    def connected(path: Path) -> sqlite3.Connection:
        try:
            return really(path)
        except sqlite3.DatabaseError:
            both.wait(timeout=60)
            raise

    monkeypatch.setattr(sqlite_store, "_connected", connected)
    threads = [threading.Thread(target=SqliteStore, args=(str(full),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 1
    assert "damaged" in said[0]
    assert f"{len(found(full))} entries could be read" in said[0]


def test_a_store_follows_its_file(full: Path, tmp_path: Path) -> None:
    """Another process has put a mended file in the place of the open one: entries are read there."""
    with SqliteStore(str(full)) as store, SqliteStore(str(tmp_path / "b.sqlite")) as other:
        other.put(key(ENTRIES), reply(ENTRIES))
        assert store.get(key(ENTRIES)) is None
        os.replace(tmp_path / "b.sqlite", full)
        assert store.get(key(ENTRIES)) == reply(ENTRIES)


# --- a disk that takes nothing more


def test_a_full_disk_is_named_with_its_file(full: Path) -> None:
    """SQLite does not say which file; the error does, and what was written before stays."""
    store = SqliteStore(str(full))
    store._connection.execute(f"PRAGMA max_page_count = {full.stat().st_size // 4096}")
    with pytest.raises(sqlite3.OperationalError, match=rf"database or disk is full: {full}"):
        store.multi_put((key(i), reply(0)) for i in range(ENTRIES, ENTRIES + 50))
    assert found(full) == set(range(ENTRIES))


def test_threads_that_ask_together_get_their_own_answers(full: Path) -> None:
    """Look-ups and writes that wait for the store are done in one statement each, and none is mixed up."""
    with SqliteStore(str(full)) as store, ThreadPoolExecutor(60) as pool:
        with store._lock:
            got = [pool.submit(store.get, key(i)) for i in range(ENTRIES - 10, ENTRIES + 10)]
            put = [pool.submit(store.put, key(i), reply(i)) for i in range(1000, 1020)]
            until = time.monotonic() + 10
            while len(store._look_up._line) < len(got) or len(store._keep._line) < len(put):
                assert time.monotonic() < until
                time.sleep(0.001)
        assert [each.result() for each in got] == [*map(reply, range(ENTRIES - 10, ENTRIES)), *[None] * 10]
        assert [each.result() for each in put] == [None] * 20
        assert [store.get(key(i)) for i in range(1000, 1020)] == [*map(reply, range(1000, 1020))]

"""The cache file: answers outlive their process, damaged ones are dropped, and many may read and write at once."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helm_impactbench.llm.cache.disk_reserve import RESERVED_BYTES
from helm_impactbench.llm.cache.sqlite_store import SqliteStore
from tests.llm.cache.builders import ENTRIES, answer, fill, found, key


def replace_value(path: Path, number: int, value: object) -> None:
    """Put raw bytes in the place of an answer."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("REPLACE INTO answers (key, value) VALUES (?, ?)", (key(number), value))
    connection.close()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("", "Expecting value"),
        (b"garbage \x00\xff", "a bytes in place of JSON"),
        (json.dumps(answer(7))[:40], "Unterminated string"),
        ("[1, 2]", "a list in place of an answer"),
        ("[" * 100_000, "nested too deeply"),
        (7, "a int in place of an answer"),
        (None, "a NoneType in place of JSON"),
    ],
    ids=["empty", "garbage", "cut off", "no answer", "deep", "number", "null"],
)
def test_a_damaged_answer_is_dropped_with_a_warning(full: Path, said: list[str], value: object, why: str) -> None:
    """It counts as not there, every other answer stays, and it can be put anew."""
    replace_value(full, 7, value)
    assert found(full) == set(range(ENTRIES)) - {7}
    (line,) = said
    assert str(full) in line
    assert why in line
    fill(full, 7)
    assert found(full) == set(range(ENTRIES))


def test_an_emptied_file_is_said(full: Path, said: list[str]) -> None:
    """Zero bytes are a new cache to SQLite; a file that has been empty for a while was one."""
    full.write_bytes(b"")
    os.utime(full, (0, 0))
    assert found(full) == set()
    (line,) = said
    assert "is empty" in line


# --- killed processes

KILLED_AFTER_EACH = """
import os, signal, sys
from pathlib import Path
from helm_impactbench.llm.cache.sqlite_store import SqliteStore
from tests.llm.cache.builders import answer, key
store = SqliteStore(Path(sys.argv[1]))
for i in range(int(sys.argv[2])):
    store.put(key(i), answer(i))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("number", [1, 40])
def test_a_killed_process_leaves_every_answer(tmp_path: Path, said: list[str], number: int) -> None:
    """SIGKILL right after the last `put`: every answer is there, and the next process says nothing."""
    path = tmp_path / "a.sqlite"
    done = subprocess.run([sys.executable, "-c", KILLED_AFTER_EACH, str(path), str(number)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert found(path) == set(range(number))
    assert said == []


KILLED_WHILE_WRITING = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(f"PRAGMA journal_mode = {sys.argv[2]}")
connection.execute("PRAGMA cache_size = 5")  # pages go to the file before the end of the transaction
connection.execute("BEGIN")
connection.execute("UPDATE answers SET value = zeroblob(9000)")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("mode", ["WAL", "TRUNCATE"])
def test_half_a_write_is_undone(full: Path, said: list[str], mode: str) -> None:
    """A writer is killed in the middle of its transaction: every answer is as before."""
    subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, str(full), mode], check=False)
    assert Path(f"{full}-{'wal' if mode == 'WAL' else 'journal'}").stat().st_size > 0
    assert found(full) == set(range(ENTRIES))
    assert said == []


ENDED = """
import gc, sys
from pathlib import Path
from helm_impactbench.llm.cache.sqlite_store import shared_store
from tests.llm.cache.builders import answer, key
for i in range(5):
    shared_store(Path(sys.argv[1])).put(key(i), answer(i))
gc.freeze()
"""


def test_a_process_that_ends_leaves_everything_in_the_file(tmp_path: Path) -> None:
    """The file can be copied without its log, also when Python does not collect what is left at the end."""
    path = tmp_path / "a.sqlite"
    subprocess.run([sys.executable, "-c", ENDED, str(path)], check=True)
    for tail in ("-wal", "-shm"):
        Path(f"{path}{tail}").unlink(missing_ok=True)
    assert found(path) == set(range(5))


LOCKED = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(sys.argv[2])
print("locked", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
"""


@pytest.mark.parametrize("lock", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_an_answer_waits_for_a_locked_file(
    full: Path, said: list[str], monkeypatch: pytest.MonkeyPatch, lock: str
) -> None:
    """However long it takes, which is said: an answer that failed to be kept would be paid for again."""
    monkeypatch.setattr("helm_impactbench.llm.cache.sqlite_connection.BUSY_SECONDS", 0.1)
    monkeypatch.setattr("helm_impactbench.llm.cache.sqlite_store._SAY_AFTER_SECONDS", 0.3)
    command = [sys.executable, "-c", LOCKED, str(full), lock]
    store = SqliteStore(full)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with ThreadPoolExecutor(2) as pool:
            kept = pool.submit(store.put, key(ENTRIES), answer(ENTRIES))
            opened = pool.submit(lambda: SqliteStore(full).get(key(1)))
            time.sleep(0.8)
            assert not kept.done()
            other.communicate("\n")
            kept.result(10)
            assert opened.result(10) == answer(1)
    assert found(full, range(ENTRIES + 1)) == set(range(ENTRIES + 1))
    assert said
    for line in said:
        assert line.startswith(f"The request cache {full} has been locked by another process for ")


# --- many at once


def _write(path: Path, first: int, number: int) -> None:
    store = SqliteStore(path)
    for i in range(first, first + number):
        store.put(key(i), answer(i))


def test_threads_and_processes_write_at_once(tmp_path: Path, said: list[str]) -> None:
    """Four processes and four threads on a new file: every answer is there, none damaged."""
    path = tmp_path / "a.sqlite"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_write, args=(path, 30 * i, 30)) for i in range(4)]
    for process in processes:
        process.start()
    store = SqliteStore(path)
    threads = [
        threading.Thread(target=lambda i=i: [store.put(key(j), answer(j)) for j in range(120 + 30 * i, 150 + 30 * i)])
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert found(path) == set(range(240))
    assert said == []


def test_a_store_follows_its_file(full: Path, tmp_path: Path) -> None:
    """Another process has put a recovered file in the place of the open one: the new one is used."""
    fill(tmp_path / "b.sqlite", ENTRIES)
    store = SqliteStore(full)
    assert store.get(key(ENTRIES)) is None
    os.replace(tmp_path / "b.sqlite", full)
    for tail in ("-wal", "-shm"):
        Path(f"{full}{tail}").unlink()
    assert store.get(key(ENTRIES)) == answer(ENTRIES)
    store.put(key(1), answer(1))
    store.close()
    assert found(full, range(ENTRIES + 1)) == {1, ENTRIES}


def test_a_deleted_cache_folder_loses_no_answer(full: Path) -> None:
    """Who has the file open still holds its answers: they go into a new one."""
    store = SqliteStore(full)
    assert store.get(key(1)) == answer(1)
    shutil.rmtree(full.parent)
    store.put(key(ENTRIES), answer(ENTRIES))
    store.close()
    assert found(full, range(ENTRIES + 1)) == set(range(ENTRIES + 1))


def test_a_full_disk_has_space_for_the_answers_to_calls_in_flight(full: Path) -> None:
    """What was set aside is given back; no further call begins until there is space for it again."""
    store = SqliteStore(full)
    store.check_room()
    reserve = Path(f"{full}.reserve")
    assert 0 < reserve.stat().st_size <= RESERVED_BYTES
    limit = full.stat().st_size // 4096
    store._connection.execute(f"PRAGMA max_page_count = {limit}")
    with pytest.raises(sqlite3.OperationalError, match="disk is full"):
        store.put(key(ENTRIES), {"text": "word " * 100_000})
    assert not reserve.exists()
    store.close()


def test_a_full_disk_is_named_with_its_file(full: Path) -> None:
    """SQLite does not say which file; the error does, and what was written before stays."""
    store = SqliteStore(full)
    store._connection.execute(f"PRAGMA max_page_count = {full.stat().st_size // 4096}")
    many = {"text": "word " * 100_000}
    with pytest.raises(sqlite3.OperationalError, match=rf"database or disk is full: {full}"):
        store.put(key(ENTRIES), many)
    store.close()
    assert found(full) == set(range(ENTRIES))


def test_threads_that_ask_together_get_their_own_answers(full: Path) -> None:
    """Look-ups and writes that wait for the store are done in one statement each, and none is mixed up."""
    store = SqliteStore(full)
    with ThreadPoolExecutor(60) as pool:
        with store._lock:
            got = [pool.submit(store.get, key(i)) for i in range(ENTRIES - 10, ENTRIES + 10)]
            put = [pool.submit(store.put, key(i), answer(i)) for i in range(1000, 1020)]
            until = time.monotonic() + 10
            while len(store._look_up._waiting) < len(got) or len(store._keep._waiting) < len(put):
                assert time.monotonic() < until
                time.sleep(0.001)
        assert [each.result() for each in got] == [*map(answer, range(ENTRIES - 10, ENTRIES)), *[None] * 10]
        assert [each.result() for each in put] == [None] * 20
    assert [store.get(key(i)) for i in range(1000, 1020)] == [*map(answer, range(1000, 1020))]

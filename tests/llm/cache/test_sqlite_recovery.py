"""A damaged cache file: what SQLite can still read is kept, the file is put aside, and it is said once."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.llm.cache import sqlite_store
from helm_impactbench.llm.cache.sqlite_store import SqliteStore
from tests.llm.cache.builders import ENTRIES, answer, fill, found, key

PAGE = 4096


def cut(path: Path, part: float) -> bytes:
    """Shorten a file to a part of its length and return what is left."""
    with path.open("r+b") as file:
        file.truncate(int(path.stat().st_size * part))
    return path.read_bytes()


@pytest.mark.parametrize("part", [0.001, 0.01, 0.1, 0.5, 0.9, 0.99])
def test_a_shortened_file_keeps_what_is_readable(full: Path, said: list[str], part: float) -> None:
    """At any length: nearly every answer that is whole is kept and counted, and the damaged file with its bytes."""
    left = cut(full, part)
    kept = found(full)
    assert len(kept) >= int(part * ENTRIES * 0.8) - 10
    (line,) = said
    assert f"{full} is damaged. {len(kept)} answers could be read and kept" in line
    (aside,) = full.parent.glob("a.sqlite.damaged-*")
    assert str(aside) in line
    assert aside.read_bytes() == left
    fill(full, 1)
    assert found(full) == kept | {1}
    assert len(said) == 1


@pytest.mark.parametrize(
    ("pages", "lost"),
    [
        pytest.param([0], ENTRIES, id="header"),
        pytest.param([1], ENTRIES, id="root"),
        pytest.param([-1], 8, id="last"),
        pytest.param(["middle"], 8, id="middle"),
        pytest.param(["every 20th"], ENTRIES // 2, id="every 20th"),
    ],
)
def test_garbage_in_the_file_costs_what_it_hides(full: Path, said: list[str], pages: list[Any], lost: int) -> None:
    """Overwritten pages are lost, and without the header or the root all others; else their neighbours stay."""
    count = full.stat().st_size // PAGE
    chosen = {"middle": [count // 2], "every 20th": list(range(5, count, 20))}.get(pages[0], pages)
    with full.open("r+b") as file:
        for page in chosen:
            file.seek(page % count * PAGE)
            file.write(os.urandom(PAGE if page else 100))
    kept = found(full)
    assert len(kept) >= ENTRIES - lost
    assert len(said) <= 1
    assert found(full) == kept
    fill(full)
    assert found(full) == set(range(ENTRIES))


def test_whole_rows_between_two_damaged_pages_are_found(tmp_path: Path, said: list[str]) -> None:
    """Ten damaged places in a large file cost the rows on them and not what stands between them."""
    path, number = tmp_path / "a.sqlite", 3000
    fill(path, *range(1, number))
    connection = sqlite3.connect(path)
    places = [row * number // 10 for row in range(1, 10)]
    words = [f"answer {place} ".encode() * 3 for place in places]
    connection.close()
    data = bytearray(path.read_bytes())
    for word in words:
        page = data.index(word) // PAGE
        data[page * PAGE : page * PAGE + 8] = b"\xff" * 8
    path.write_bytes(data)
    lost = set(range(1, number)) - found(path, range(1, number))
    assert len(said) == 1
    assert len(lost) <= 12 * len(places)


def test_a_file_of_something_else_is_put_aside(tmp_path: Path, said: list[str]) -> None:
    """A text file in the place of the cache: a warning, an empty cache, the text kept."""
    path = tmp_path / "a.sqlite"
    path.write_text("This is no database.\n" * 1000)
    fill(path, 1)
    assert found(path) == {1}
    assert "0 answers could be read" in said[0]
    (aside,) = tmp_path.glob("a.sqlite.damaged-*")
    assert aside.read_text().startswith("This is no database.")


def test_answers_in_the_log_of_a_damaged_file_are_kept(full: Path, said: list[str]) -> None:
    """A process was killed before its log was put into the file, and the file is damaged: the log is read as well."""
    store = SqliteStore(full)
    store.put(key(ENTRIES), answer(ENTRIES))
    log = Path(f"{full}-wal").read_bytes()
    store.close()
    Path(f"{full}-wal").write_bytes(log)
    with full.open("r+b") as file:
        file.seek(full.stat().st_size // PAGE // 2 * PAGE)
        file.write(bytes(PAGE))
    assert ENTRIES in found(full, range(ENTRIES + 1))


def test_damage_under_an_open_store_is_mended(full: Path, said: list[str]) -> None:
    """The file is shortened while a run has it open: the run goes on with what is readable."""
    store = SqliteStore(full)
    assert store.get(key(1)) == answer(1)
    cut(full, 0.5)
    kept = found(full)
    assert {i for i in range(ENTRIES) if store.get(key(i))} == kept
    store.put(key(ENTRIES), answer(ENTRIES))
    assert found(full, range(ENTRIES + 1)) == kept | {ENTRIES}, "not into the file that was put aside"
    store.close()
    assert found(full, range(ENTRIES + 1)) == kept | {ENTRIES}
    assert len(said) == 1


def _open_and_count(path: Path, answers: Any) -> None:
    store = SqliteStore(path)
    answers.put(sum(store.get(key(i)) is not None for i in range(ENTRIES)))


def test_processes_that_find_the_damage_together_mend_it_once(full: Path) -> None:
    """After a power cut all jobs start at once: one puts the file aside, all see the same answers."""
    cut(full, 0.5)
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    processes = [context.Process(target=_open_and_count, args=(full, answers)) for _ in range(4)]
    for process in processes:
        process.start()
    counts = {answers.get(timeout=120) for _ in processes}
    for process in processes:
        process.join()
    assert counts == {len(found(full))}
    assert len(list(full.parent.glob("a.sqlite.damaged-*"))) == 1


def test_who_finds_the_damage_second_does_not_mend_again(
    full: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two open stores have both met the damage before either of them mends it."""
    stores = [SqliteStore(full) for _ in range(2)]
    cut(full, 0.5)
    both, really, met = threading.Barrier(2), sqlite_store.is_damaged, set[int]()

    def is_damaged(error: sqlite3.DatabaseError) -> bool:
        if threading.get_ident() not in met:
            met.add(threading.get_ident())
            both.wait(timeout=60)
        return really(error)

    monkeypatch.setattr(sqlite_store, "is_damaged", is_damaged)
    threads = [
        threading.Thread(target=lambda store=store: [store.get(key(i)) for i in range(ENTRIES)]) for store in stores
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 1
    assert f"{len(found(full))} answers could be read" in said[0]

"""One answer per request, however many ask for it at the same time."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.llm.cache.request_cache import KeyLocks, RequestCache


class MemoryStore:
    """Answers in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def get(self, key: str) -> dict[str, Any] | None:
        """Return what was put."""
        return self.kept.get(key)

    def put(self, key: str, answer: dict[str, Any]) -> None:
        """Keep it."""
        self.kept[key] = answer

    def check_room(self) -> None:
        """There is always room."""


def test_an_answer_is_computed_once_and_found_by_other_caches(tmp_path: Path) -> None:
    """Whatever the order of the request's parts."""
    path = tmp_path / "folder/a.sqlite"
    assert RequestCache.in_file(path).get({"a": 1, "b": 2}, lambda: {"v": "first"}) == ({"v": "first"}, False)
    assert RequestCache.in_file(path).get({"b": 2, "a": 1}, lambda: {"v": "new"}) == ({"v": "first"}, True)


def test_many_threads_get_their_own_answers(tmp_path: Path) -> None:
    """Every request is stored once with its own answer."""
    cache = RequestCache.in_file(tmp_path / "a.sqlite")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: cache.get({"k": i}, lambda: {"v": i})[0]["v"], range(200)))
    assert found == list(range(200))
    assert [cache.get({"k": i}, lambda: {"v": -1})[0]["v"] for i in range(200)] == found


def test_threads_that_ask_together_wait_for_the_first(tmp_path: Path) -> None:
    """Twenty threads, one computation, one answer."""
    cache, made = RequestCache.in_file(tmp_path / "a.sqlite"), list[int]()

    def compute() -> dict[str, Any]:
        time.sleep(0.2)
        made.append(1)
        return {"v": len(made)}

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: cache.get({"k": 1}, compute), range(20)))
    assert [answer for answer, _ in answers] == [{"v": 1}] * 20
    assert sum(cached for _, cached in answers) == 19


def test_a_failure_is_kept_by_nobody(tmp_path: Path) -> None:
    """The next one who asks computes again."""
    cache = RequestCache.in_file(tmp_path / "a.sqlite")
    with pytest.raises(ZeroDivisionError):
        cache.get({"k": 1}, lambda: {"v": 1 / 0})
    assert cache.get({"k": 1}, lambda: {"v": 2}) == ({"v": 2}, False)


def test_without_a_lock_file_the_answer_kept_first_is_everybodys() -> None:
    """Another machine has put an answer while this one computed: both go on with that one."""
    store = MemoryStore()
    cache = RequestCache(lambda: store)

    def compute() -> dict[str, Any]:
        store.put('{"k": 1}', {"v": "theirs"})
        return {"v": "ours"}

    assert cache.get({"k": 1}, compute) == ({"v": "theirs"}, False)
    assert store.kept == {'{"k": 1}': {"v": "theirs"}}


def test_locks_of_keys_are_apart_and_gone_when_nobody_holds_them() -> None:
    """Another key is free; the same key is free again afterwards, also when its holder failed."""
    locks, held, leave = KeyLocks(), threading.Event(), threading.Event()

    def hold() -> None:
        with locks.held("a"):
            held.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    with locks.held("b"):
        leave.set()
    with pytest.raises(ZeroDivisionError), locks.held("a"):
        raise ZeroDivisionError
    thread.join()
    assert locks._locks == {}


ASKER = """
import sys, time, uuid
from pathlib import Path
from helm_impactbench.llm.cache.request_cache import RequestCache
def compute():
    time.sleep(2)
    return {"said": uuid.uuid4().hex}
cache = RequestCache.in_file(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
answer, cached = cache.get({"opening": "of a case"}, compute)
print(answer["said"], cached)
"""


def test_two_processes_make_a_call_once_and_hear_the_same(tmp_path: Path) -> None:
    """Two jobs that need an opening message at the same moment: one calls, both go on with what was said."""
    command = [sys.executable, "-c", ASKER, str(tmp_path / "cache.sqlite")]
    askers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) for _ in range(2)
    ]
    for asker in askers:
        assert asker.stdout is not None
        assert any(line == "ready\n" for line in iter(asker.stdout.readline, ""))
    for asker in askers:
        assert asker.stdin is not None
        asker.stdin.write("go\n")
    heard = [asker.communicate(timeout=60)[0].splitlines()[-1].split() for asker in askers]
    assert heard[0][0] == heard[1][0]
    assert sorted(cached for _, cached in heard) == ["False", "True"]

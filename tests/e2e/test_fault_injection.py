"""Whatever the system refuses, and when: no finished call is lost, no figure is wrong, and one message tells why.

The n-th write, fsync, rename, connection, SQL statement or piece of memory fails, with n from 1 until nothing fails. In
whole runs n is drawn; `make test-kills` (IMPACTBENCH_FAULTS=50) draws more often.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helm_impactbench.errors import FatalCallError, ImpactBenchError
from helm_impactbench.files.atomic_write import StorageError, write_json
from helm_impactbench.helm.run_files import RunFolders
from helm_impactbench.llm.cache.request_cache import RequestCache
from helm_impactbench.llm.cache.sqlite_store import SqliteStore
from helm_impactbench.llm.failures import PermanentCallError, TransientCallError, classified
from helm_impactbench.llm.limits.budget import Budget
from helm_impactbench.llm.limits.spend_log import SPENDING_FILE, SpendLog
from helm_impactbench.process.shared_state import Stop
from helm_impactbench.results.files import RUN_FILES
from tests.support.faulty_system import KINDS, VARIABLE, FaultySystem, faulty
from tests.support.killing import MarkingServer, Setting, differences, results

CALLS = 6
USD = 0.01
MOST_EVENTS = 400
RUNS = int(os.environ.get("IMPACTBENCH_FAULTS", "2"))
MOST_DRAWN = 80
"""Of the events of a run; later ones may not come, and the run then ends as if undisturbed."""
every_kind = pytest.mark.parametrize("kind", KINDS)


class Provider:
    """Answers, and counts what it charges for."""

    def __init__(self) -> None:
        self.asked: Counter[int] = Counter()

    def answer(self, number: int) -> dict[str, Any]:
        """Return the answer to a call, which is paid for from this moment on."""
        self.asked[number] += 1
        return {"text": f"answer {number}", "choices": [1]}


def begin(folder: Path) -> tuple[RequestCache, Budget]:
    """Return a cache and a budget as a new process has them."""
    store: list[SqliteStore] = []

    def opened() -> SqliteStore:
        if not store:
            store.append(SqliteStore(folder / "cache/a.sqlite"))
        return store[0]

    (folder / "cache").mkdir(exist_ok=True)
    return RequestCache(opened, folder / "cache/a.sqlite.turns"), Budget(folder / "suite", 1.0)


def call(cache: RequestCache, budget: Budget, provider: Provider, number: int) -> dict[str, Any]:
    """Return the answer to one call as a run gets it."""

    def compute() -> dict[str, Any]:
        with budget.reserved("m", 2 * USD, Stop()) as charge:
            answer = provider.answer(number)
            charge.set(USD)
        return answer

    return cache.get({"call": number}, compute)[0]


def write_all(run: Path, files: dict[str, str]) -> None:
    """Write the files of a run as HELM's runner does."""
    folders = RunFolders()
    for name, text in files.items():
        folders.write(str(run / name), text)


def until_nothing_fails(kind: str, folder: Path, work: Callable[[Path, FaultySystem], None]) -> int:
    """Do the work again and again, each time with another event failing; return how many failed."""
    for number in range(1, MOST_EVENTS):
        place = folder / str(number)
        place.mkdir()
        system = FaultySystem(kind, number, place)
        work(place, system)
        if not system.failed:
            return number - 1
    raise AssertionError(f"more than {MOST_EVENTS} events")


@every_kind
def test_no_refusal_of_the_system_loses_a_call_or_its_price(kind: str, tmp_path: Path) -> None:
    """The cache and the spend log: who is told of an answer finds it again; what was charged is booked, never less."""

    def work(folder: Path, system: FaultySystem) -> None:
        provider, told, failures = Provider(), {}, []
        with faulty(system):
            try:
                cache, budget = begin(folder)
                for number in range(CALLS):
                    told[number] = call(cache, budget, provider, number)
            except Exception as error:  # the run ends here
                failures.append(classified(error, "m"))
        assert all(isinstance(e, (FatalCallError, PermanentCallError, TransientCallError)) for e in failures), failures
        assert len({str(failure) for failure in failures}) <= 1
        before = Counter(provider.asked)
        cache, budget = begin(folder)  # the same command, once more
        answers = {number: call(cache, budget, provider, number) for number in range(CALLS)}
        assert answers == {number: {"text": f"answer {number}", "choices": [1]} for number in range(CALLS)}
        again = {number for number in told if provider.asked[number] > before[number]}
        assert again == set(), f"{system.kind} {system.number}: paid for twice"
        charged = sum(provider.asked.values()) * USD
        log = SpendLog(folder / "suite" / SPENDING_FILE)
        # A call that was not settled counts in full, as after a kill.
        booked = log.total() + sum(reserved.most_usd for reserved in log.on_their_way().values())
        assert charged - 1e-9 <= booked <= charged + 2 * USD + 1e-9, f"{system.kind} {system.number}"

    assert until_nothing_fails(kind, tmp_path, work) > 0 or kind in ("fsync", "rename")


@every_kind
def test_no_refusal_of_the_system_leaves_half_a_result(kind: str, tmp_path: Path) -> None:
    """The files of a run are all old or all new, and a failure is one of ours with the folder in it."""
    old, new = ({name: json.dumps([word] * 9) for name in RUN_FILES} for word in ("old", "new"))

    def work(folder: Path, system: FaultySystem) -> None:
        run = folder / "runs/s/mmlu:x"
        write_all(run, old)
        problem = None
        with faulty(system):
            try:
                write_all(run, new)
            except StorageError as error:
                problem = error
        found = {path.name: path.read_text() for path in run.iterdir() if not path.name.startswith(".")}
        if problem is None:
            assert found == new
        else:
            assert str(run) in str(problem)
            assert found in (old, new) or kind == "rename"  # between two renames the system may stop us, and says so
        write_all(run, new)
        assert {path.name: path.read_text() for path in run.iterdir()} == new

    until_nothing_fails(kind, tmp_path, work)


@every_kind
def test_no_refusal_of_the_system_spoils_what_an_instrument_found(kind: str, tmp_path: Path) -> None:
    """Files of checks, reviews and anchors: the old one or the new one, and nothing beside it."""

    def work(folder: Path, system: FaultySystem) -> None:
        path = folder / "judge_check.json"
        write_json(path, {"found": "old"})
        with faulty(system):
            try:
                write_json(path, {"found": "new"})
            except (OSError, MemoryError, ImpactBenchError):
                assert json.loads(path.read_text()) == {"found": "old"}
            else:
                assert json.loads(path.read_text()) == {"found": "new"}
        assert [entry.name for entry in folder.iterdir()] == [path.name]

    until_nothing_fails(kind, tmp_path, work)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The files of an undisturbed run."""
    server, folder = MarkingServer(), tmp_path_factory.mktemp("calm")
    Setting(folder, server, ("target-a", "target-b")).finish()
    server.close()
    return results(folder)


@pytest.mark.parametrize("seed", range(RUNS))
def test_a_run_goes_on_after_any_refusal_of_the_system(seed: int, tmp_path: Path, calm: dict[str, Any]) -> None:
    """The same command ends with the files of an undisturbed run, and asks for nothing that it has kept."""
    drawn = random.Random(seed)
    event = f"{drawn.choice(KINDS)},{drawn.randint(1, MOST_DRAWN)},{tmp_path}"
    server = MarkingServer()
    try:
        disturbed = Setting(tmp_path, server, ("target-a", "target-b"), environment={VARIABLE: event}).start()
        code = disturbed.wait()
        assert code in (0, 1, 2, 3), f"{event}: {disturbed.text[-3000:]}"
        messages = [line for line in disturbed.text.splitlines() if line.startswith("impactbench: ")]
        assert len(messages) <= 1, event
        setting = Setting(tmp_path, server, ("target-a", "target-b"))
        kept, calls = setting.kept(), len(server.calls)
        setting.finish()
        assert kept.isdisjoint(server.marks[calls:]), event
        assert differences(results(tmp_path), calm) == [], event
    finally:
        server.close()

"""The circuit of a deployment: when it opens, what closes it, and when the deployment is given up."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from helm_impactbench.errors import FatalCallError, StoppedError
from helm_impactbench.llm.failures import BLOCKED, PermanentCallError, ReportedCallError, TransientCallError
from helm_impactbench.llm.limits.circuit import GIVES_UP_AFTER, Circuit
from helm_impactbench.llm.retries import DEFAULTS
from helm_impactbench.process.shared_state import Stop, take_place

OPENS_AFTER = DEFAULTS.failures - GIVES_UP_AFTER


@pytest.fixture
def circuit(monkeypatch: pytest.MonkeyPatch) -> Circuit:
    """A circuit whose pauses are short."""
    monkeypatch.setenv("IMPACTBENCH_MAX_WAIT", "0.001")
    return Circuit("lab/m")


def attempt(circuit: Circuit, error: Exception | None = None, stopped: Stop | None = None) -> None:
    """Make an attempt that fails, or is answered."""
    with circuit.attempt(stopped or Stop()):
        if error is not None:
            raise error


def fail(circuit: Circuit, times: int, error: Exception | None = None) -> None:
    """Let so many attempts fail, none of which gives the deployment up."""
    for _ in range(times):
        with pytest.raises(Exception, match=r"gone|blocked|429"):
            attempt(circuit, error or TransientCallError("gone"))


def test_thirty_failures_in_a_row_give_a_deployment_up(circuit: Circuit) -> None:
    """The last one says how many and why; from then on every call is refused at once."""
    fail(circuit, OPENS_AFTER + GIVES_UP_AFTER - 1)
    for _ in range(2):
        with pytest.raises(FatalCallError, match=r"lab/m: 30 calls in a row failed, the last one with: gone") as error:
            attempt(circuit, TransientCallError("gone"))
        assert error.value.about == "down"


def test_one_answer_closes_the_circuit(circuit: Circuit) -> None:
    """Also one that comes when the next failure would have been the last."""
    for _ in range(3):
        fail(circuit, OPENS_AFTER + GIVES_UP_AFTER - 1)
        attempt(circuit)


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(ReportedCallError("Error code: 429 - too many"), id="a limit per minute"),
        pytest.param(PermanentCallError(f"m: {BLOCKED}"), id="a filter"),
        pytest.param(TransientCallError("gone", retry_after=3), id="asked to wait"),
    ],
)
def test_what_a_working_server_says_is_no_failure(circuit: Circuit, error: Exception) -> None:
    """However often."""
    fail(circuit, 3 * OPENS_AFTER, error)


def test_an_open_circuit_lets_one_attempt_through_at_a_time(circuit: Circuit) -> None:
    """Of many threads; with the first answer all go on."""
    fail(circuit, OPENS_AFTER)
    inside, most = [0], [0]
    lock, answered = threading.Lock(), threading.Event()

    def call(number: int) -> None:
        with circuit.attempt(Stop()):
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            if not answered.is_set():
                answered.wait(0.2)
                answered.set()
            with lock:
                inside[0] -= 1
                first.append(most[0])

    first: list[int] = []
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(call, range(8)))
    assert len(first) == 8
    assert first[0] == 1


def test_a_stop_ends_the_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause may be a minute long."""
    monkeypatch.setenv("IMPACTBENCH_MAX_WAIT", "600")
    circuit, stopped = Circuit("lab/m"), Stop()
    fail(circuit, OPENS_AFTER)
    circuit._next += 600
    threading.Timer(0.2, stopped.set).start()
    with pytest.raises(StoppedError):
        attempt(circuit, stopped=stopped)


@pytest.fixture
def place() -> Iterator[None]:
    """This process is the parent again."""
    yield
    take_place(0)


def _fail_in(number: int, circuit: Circuit, times: int) -> None:
    take_place(number)
    for _ in range(times):
        try:
            attempt(circuit, TransientCallError("gone"))
        except (TransientCallError, FatalCallError):
            continue


def test_processes_count_together(circuit: Circuit, place: None) -> None:
    """Two workers with half of the failures each open it; what one is answered closes it for all."""
    fork = multiprocessing.get_context("fork")

    def in_workers(times: int) -> None:
        for number in (1, 2):
            worker = fork.Process(target=_fail_in, args=(number, circuit, times))
            worker.start()
            worker.join()

    in_workers(OPENS_AFTER // 2)
    fail(circuit, GIVES_UP_AFTER - 1)
    attempt(circuit)
    in_workers(OPENS_AFTER // 2)
    fail(circuit, GIVES_UP_AFTER - 1)
    with pytest.raises(FatalCallError, match="30 calls in a row failed"):
        attempt(circuit, TransientCallError("gone"))

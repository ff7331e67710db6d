"""The circuit of a deployment: when it opens, what closes it, and when the deployment is given up."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from helm_impactbench.errors import FatalCallError, StoppedError
from helm_impactbench.llm.failures import BLOCKED, PermanentCallError, ReportedCallError, TransientCallError
from helm_impactbench.llm.limits.circuit import GIVES_UP_AFTER, OPENS_AFTER, WINDOW, Circuit
from helm_impactbench.llm.retries import FAILURES_VARIABLE
from helm_impactbench.process.shared_state import Stop, take_place


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


def is_closed(circuit: Circuit) -> bool:
    """Return whether two attempts may be made at once; one that would have to wait is stopped."""
    stopped = Stop()
    with circuit.attempt(Stop()):
        stopped.set()
        try:
            attempt(circuit, stopped=stopped)
        except StoppedError:
            return False
    return True


def test_thirty_failures_in_a_row_give_a_deployment_up(circuit: Circuit) -> None:
    """The last one says how many and why; from then on every call is refused at once."""
    fail(circuit, GIVES_UP_AFTER - 1)
    for _ in range(2):
        with pytest.raises(FatalCallError, match=r"lab/m: 30 calls in a row failed, the last one with: gone") as error:
            attempt(circuit, TransientCallError("gone"))
        assert error.value.about == "down"


def test_one_answer_closes_the_circuit(circuit: Circuit) -> None:
    """Also one that comes when the next failure would have been the last."""
    fail(circuit, GIVES_UP_AFTER - 1)
    attempt(circuit)
    assert is_closed(circuit)


def mixed(circuit: Circuit, failing: int, of: int, most: int) -> int:
    """Make `most` attempts of which a fixed part fails, spread evenly; return how many failed, those cut off too.

    Raises FatalCallError.
    """
    failed = 0
    for number in range(most):
        fails = (number + 1) * failing // of > number * failing // of
        failed += fails
        try:
            attempt(circuit, TransientCallError("gone") if fails else None)
        except TransientCallError:
            continue
    return failed


@pytest.mark.parametrize(("failing", "of"), [(9, 10), (7, 10), (3, 5)])
def test_a_share_of_failures_gives_a_deployment_up(circuit: Circuit, failing: int, of: int) -> None:
    """After fifty answers, within a hundred attempts more, though no twenty failures follow one another."""
    for _ in range(50):
        attempt(circuit)
    with pytest.raises(FatalCallError, match=r"lab/m: 5\d of the last 100 calls failed, the last one with: gone"):
        mixed(circuit, failing, of, 100)
    with pytest.raises(FatalCallError):
        attempt(circuit)


def test_fewer_failures_than_allowed_give_nothing_up(circuit: Circuit) -> None:
    """However many attempts are made."""
    assert mixed(circuit, 1, 2, 10 * WINDOW) == 5 * WINDOW


@pytest.mark.parametrize(
    ("share", "failing", "given_up"),
    [("0.2", 1, False), ("0.2", 3, True), ("0", 1, True), ("0.8", 7, False), ("1", 10, False)],
)
def test_the_user_says_how_large_a_share_may_fail(
    share: str, failing: int, given_up: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From 0, where no failure is passed over, to 1, where every call may fail."""
    monkeypatch.setenv("IMPACTBENCH_MAX_WAIT", "0.001")
    monkeypatch.setenv(FAILURES_VARIABLE, share)
    circuit = Circuit("lab/m")
    if given_up:
        with pytest.raises(FatalCallError):
            mixed(circuit, failing, 10, 3 * WINDOW)
    else:
        mixed(circuit, failing, 10, 3 * WINDOW)


def test_a_passing_crowd_of_failures_is_outlasted(circuit: Circuit) -> None:
    """Many calls that fail at once open the circuit; a server that answers from then on closes it."""
    crowd = [circuit.attempt(Stop()) for _ in range(60)]
    for one in crowd:
        one.__enter__()
    gone = TransientCallError("gone")
    for one in crowd:
        one.__exit__(type(gone), gone, None)
    for _ in range(WINDOW):
        attempt(circuit)
    assert is_closed(circuit)


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


def test_calls_that_are_only_ever_told_to_wait_give_a_deployment_up(circuit: Circuit) -> None:
    """Twenty of them, with all their attempts; an answer between them shows that the others can wait."""
    error = TransientCallError("lab/m: HTTP 429: too many (tried 8 times)")
    for _ in range(OPENS_AFTER - 1):
        circuit.note_unanswered(error)
    attempt(circuit)
    for _ in range(OPENS_AFTER):
        circuit.note_unanswered(error)
    with pytest.raises(
        FatalCallError, match=r"20 calls in a row failed, the last one with: HTTP 429: too many \(tried"
    ):
        attempt(circuit)


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
    circuit._allowed = WINDOW - 1.0  # failures in a row alone

    def in_workers(times: int) -> None:
        for number in (1, 2):
            worker = fork.Process(target=_fail_in, args=(number, circuit, times))
            worker.start()
            worker.join()

    in_workers(OPENS_AFTER // 2)
    fail(circuit, GIVES_UP_AFTER - OPENS_AFTER - 1)
    attempt(circuit)
    in_workers(OPENS_AFTER // 2)
    fail(circuit, GIVES_UP_AFTER - OPENS_AFTER - 1)
    with pytest.raises(FatalCallError, match="30 calls in a row failed"):
        attempt(circuit, TransientCallError("gone"))

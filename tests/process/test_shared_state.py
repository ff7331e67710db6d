"""What processes of a run know of each other."""

from __future__ import annotations

import threading
import time

import pytest

from helm_impactbench.process import shared_state
from helm_impactbench.process.shared_state import Oldest, Saying, Spans, Tally, take_place


def test_tallies_add_up_over_threads() -> None:
    """Ten threads adding and taking leave nothing behind."""
    tally = Tally()

    def work() -> None:
        for _ in range(1000):
            tally.add(1)
            tally.add(-1)

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tally.total() == 0


def test_the_newest_text_of_any_process_counts() -> None:
    """On one line, and cut off where it is long, also within a character."""
    saying = Saying()
    assert saying.text() == ""
    saying.say("connection\nerror")
    assert saying.text() == "connection error"
    try:
        take_place(3)
        saying.say("ü" * 300)
    finally:
        take_place(0)
    assert saying.text() == "ü" * 120
    saying.say("ü" * 100 + "x" + "ü" * 100)
    assert saying.text() == "ü" * 100 + "x" + "ü" * 19


def test_what_is_under_way_counts_by_the_time_that_others_took() -> None:
    """Nothing before the first is over; then two that are half done make one, and none counts for more than itself."""
    spans, half, done = Spans(), threading.Barrier(3), threading.Event()

    def work() -> None:
        with spans.one():
            half.wait()
            done.wait()

    assert spans.done_of_open() == 0
    with spans.one():
        assert spans.done_of_open() == 0
        time.sleep(0.4)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    half.wait()
    time.sleep(0.2)
    assert 0.9 < spans.done_of_open() < 1.9
    time.sleep(0.5)
    assert spans.done_of_open() == 2
    done.set()
    for thread in threads:
        thread.join()
    assert spans.done_of_open() == 0


def test_what_comes_before_the_first_call_counts_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first case waits for imports, and says nothing of how long the next one takes."""
    calls, spans = Oldest(), Spans()
    monkeypatch.setattr(shared_state, "OLDEST_CALL", calls)
    with spans.one():
        time.sleep(0.5)
        with calls.under_way():
            time.sleep(0.2)
    with spans.one():
        time.sleep(0.15)
        assert 0.5 < spans.done_of_open() <= 1, "of 0.2 seconds, and not of 0.7"

"""What processes of a run know of each other."""

from __future__ import annotations

import threading

from helm_impactbench.process.shared_state import Saying, Tally, take_place


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

"""What processes of a run know of each other."""

from __future__ import annotations

import threading

from helm_impactbench.process.shared_state import Tally


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

"""Queries of many threads, answered in batches."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from helm_impactbench.llm.cache import query_batching
from helm_impactbench.llm.cache.query_batching import QueryBatcher


class Doubler:
    """Doubles numbers, notes the batches, refuses a batch with a negative number; opened, it answers at once."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.asked, self.open = threading.Event(), threading.Event()
        self.lock = threading.Lock()

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        assert self.lock.locked()
        self.asked.set()
        self.open.wait(10)
        self.batches.append(list(numbers))
        if any(number < 0 for number in numbers):
            raise ValueError(f"negative among {len(numbers)}")
        return [2 * number for number in numbers]


def asked(numbers: Sequence[int]) -> tuple[Doubler, list[Future[int]]]:
    """Ask for 0 alone, and for the numbers while it is answered."""
    doubler = Doubler()
    batcher = QueryBatcher(doubler.lock, doubler)
    with ThreadPoolExecutor(len(numbers) + 1) as pool:
        first = pool.submit(batcher.ask, 0)
        assert doubler.asked.wait(10)
        answers = [pool.submit(batcher.ask, number) for number in numbers]
        until = time.monotonic() + 10
        while len(batcher._waiting) < len(numbers) and time.monotonic() < until:
            time.sleep(0.001)
        doubler.open.set()
    assert first.result() == 0
    assert not doubler.lock.locked()
    return doubler, answers


def test_what_waits_is_asked_together() -> None:
    """In one batch, in order; each caller gets its own answer."""
    doubler, answers = asked(range(1, 50))
    assert [answer.result() for answer in answers] == [2 * number for number in range(1, 50)]
    assert [len(batch) for batch in doubler.batches] == [1, 49]


def test_an_error_is_of_the_question_that_raised_it() -> None:
    """The others of its batch are answered."""
    _, answers = asked((1, 2, -3, 4, 5))
    with pytest.raises(ValueError, match="negative among 1"):
        answers[2].result()
    assert [answers[i].result() for i in (0, 1, 3, 4)] == [2, 4, 8, 10]


def test_a_group_is_no_larger_than_a_statement_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose question is behind the limit waits for the next batch."""
    monkeypatch.setattr(query_batching, "MAX_BATCH", 40)
    doubler, answers = asked(range(1, 50))
    assert sum(answer.result() for answer in answers) == 2 * sum(range(50))
    assert [len(batch) for batch in doubler.batches] == [1, 40, 9]

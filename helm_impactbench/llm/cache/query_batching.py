"""Queries that many threads make at the same time, answered by one of them in one statement.

A thread releases Python's interpreter lock for each SQLite statement, and then waits behind every thread that computes
to get it back. With a hundred threads, single look-ups take longer than the time between calls, and a queue forms at
the lock of the store. One statement for the whole queue has that wait once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")

MAX_BATCH = 400
"""SQLite before 3.32 takes 999 values per statement, and a row has two."""


class QueryBatcher(Generic[Question, Answer]):
    """Answers queries in batches; each caller waits for its own answer."""

    def __init__(self, lock: threading.Lock, answer: Callable[[Sequence[Question]], Sequence[Answer]]) -> None:
        """`answer` gets all questions that are waiting and returns their answers in order, while `lock` is held."""
        self._lock, self._answer = lock, answer
        self._waiting: deque[_Query[Question, Answer]] = deque()

    def ask(self, question: Question) -> Answer:
        """Return the answer. Raises what answering this question raises."""
        query = _Query[Question, Answer](question)
        self._waiting.append(query)
        with self._lock:
            while not query.done:
                self._serve([self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_BATCH))])
        if query.error is not None:
            raise query.error
        return query.answer

    def _serve(self, batch: Sequence[_Query[Question, Answer]]) -> None:
        try:
            answers = self._answer([query.question for query in batch])
        except BaseException as error:
            if len(batch) > 1:  # asked one by one, the query at fault shows itself
                for query in batch:
                    self._serve([query])
                return
            batch[0].error, batch[0].done = error, True
        else:
            for query, answer in zip(batch, answers, strict=True):
                query.answer, query.done = answer, True


class _Query(Generic[Question, Answer]):
    __slots__ = ("answer", "done", "error", "question")

    answer: Answer

    def __init__(self, question: Question) -> None:
        self.question, self.done = question, False
        self.error: BaseException | None = None

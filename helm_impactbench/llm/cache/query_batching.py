"""What many threads ask for at the same time, done by one of them in one go.

A thread that holds a lock over a system call or an SQLite statement gives up the interpreter for it, and queues behind
every thread that computes to get it back. With a hundred threads, one look-up at a time takes longer than the calls are
apart, and all of them stand in line for the lock. One statement for everybody in the line needs that way back once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")

MOST_AT_ONCE = 400
"""SQLite before 3.32 takes 999 values per statement, and a row has two."""


class Combining(Generic[Question, Answer]):
    """Answers questions in groups; who asks waits for the answer to the own one."""

    def __init__(self, lock: threading.Lock, answer: Callable[[Sequence[Question]], Sequence[Answer]]) -> None:
        """`answer` gets all questions that are waiting and returns their answers in order, while `lock` is held."""
        self._lock, self._answer = lock, answer
        self._line: deque[_Asked[Question, Answer]] = deque()

    def ask(self, question: Question) -> Answer:
        """Return the answer. Raises what the answering raises for this question."""
        asked = _Asked[Question, Answer](question)
        self._line.append(asked)
        with self._lock:
            while not asked.done:
                self._serve([self._line.popleft() for _ in range(min(len(self._line), MOST_AT_ONCE))])
        if asked.error is not None:
            raise asked.error
        return asked.answer

    def _serve(self, group: Sequence[_Asked[Question, Answer]]) -> None:
        try:
            answers = self._answer([asked.question for asked in group])
        except BaseException as error:
            if len(group) > 1:  # whose question it was shows when each is asked alone
                for asked in group:
                    self._serve([asked])
                return
            group[0].error, group[0].done = error, True
        else:
            for asked, answer in zip(group, answers, strict=True):
                asked.answer, asked.done = answer, True


class _Asked(Generic[Question, Answer]):
    __slots__ = ("answer", "done", "error", "question")

    answer: Answer

    def __init__(self, question: Question) -> None:
        self.question, self.done = question, False
        self.error: BaseException | None = None

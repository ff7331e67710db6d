"""What the processes of one helm-run know of each other: that the run is to stop, and sums over all of them.

Made before workers are forked, in memory that they share. Nothing here takes a lock that a killed process could keep:
each process writes to a place of its own.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

MOST_PROCESSES = 256
_SLICE_SECONDS = 0.2
_TEXT_BYTES = 240

_place = 0


def take_place(number: int) -> None:
    """Make this process the worker of that number, from 1; the process that forks it is number 0."""
    global _place
    _place = number


def place() -> int:
    """Return the number of this process."""
    return _place


def is_worker() -> bool:
    """Return whether this process is a worker."""
    return _place != 0


class Stop:
    """An event for all processes of a run."""

    def __init__(self) -> None:
        self._flag = multiprocessing.RawValue("b", 0)
        self._here = threading.Event()

    def set(self) -> None:
        """Stop every process."""
        self._flag.value = 1
        self._here.set()

    def is_set(self) -> bool:
        """Return whether any process has stopped the run."""
        return bool(self._flag.value)

    def wait(self, timeout: float) -> bool:
        """Wait until the run is stopped, `timeout` seconds at most. Returns whether it is."""
        end = time.monotonic() + timeout
        while not self.is_set() and (left := end - time.monotonic()) > 0:
            self._here.wait(min(left, _SLICE_SECONDS))
        return self.is_set()

    def clear(self) -> None:
        """Begin anew; for tests in one process."""
        self._flag.value = 0
        self._here.clear()


class Tally:
    """A sum that every process adds to."""

    def __init__(self) -> None:
        self._parts = multiprocessing.RawArray("d", MOST_PROCESSES)
        self._lock = threading.Lock()

    def add(self, amount: float) -> None:
        """Add to this process's part."""
        with self._lock:
            self._parts[_place] += amount

    def here(self) -> float:
        """Return this process's part."""
        return float(self._parts[_place])

    def forget(self, number: int) -> None:
        """Drop the part of a worker that was killed and cannot take it back."""
        self._parts[number] = 0.0

    def total(self) -> float:
        """Return the sum over all processes."""
        return float(sum(self._parts))


class Spans:
    """How long things take that are done side by side, in all processes.

    What comes before the first call counts for none: the first ones wait for imports that no later one waits for.
    """

    def __init__(self) -> None:
        self._open, self._begun_at, self._over, self._taken = Tally(), Tally(), Tally(), Tally()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Count one of them."""
        began = time.monotonic()
        self._open.add(1)
        self._begun_at.add(began)
        try:
            yield
        finally:
            self._open.add(-1)
            self._begun_at.add(-began)
            self._over.add(1)
            taken = time.monotonic() - began
            self._taken.add(min(taken, OLDEST_CALL.seconds_since_first() or taken))

    def forget(self, number: int) -> None:
        """Drop those that a worker had begun which was killed."""
        self._open.forget(number)
        self._begun_at.forget(number)

    def done_of_open(self) -> float:
        """Return how much of those under way is done: the sum of their shares, by the mean time that others took.

        0 before the first is over.
        """
        under_way, taken = self._open.total(), self._taken.total()
        ages = under_way * time.monotonic() - self._begun_at.total()
        return max(0.0, min(under_way, ages * self._over.total() / taken)) if taken else 0.0


class Oldest:
    """When the oldest of the calls began that are under way in any process."""

    def __init__(self) -> None:
        self._parts = multiprocessing.RawArray("d", MOST_PROCESSES)
        self._lock = threading.Lock()
        self._first = multiprocessing.RawArray("d", MOST_PROCESSES)
        self._begun: dict[object, float] = {}
        """Of this process's calls, the oldest first."""

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count a call from now on."""
        call = object()
        with self._lock:
            self._begun[call] = time.monotonic()
            self._first[_place] = self._first[_place] or self._begun[call]
            self._note()
        try:
            yield
        finally:
            with self._lock:
                del self._begun[call]
                self._note()

    def _note(self) -> None:
        self._parts[_place] = next(iter(self._begun.values()), 0.0)

    def forget(self, number: int) -> None:
        """Drop the calls of a worker that was killed."""
        self._parts[number] = 0.0

    def seconds(self) -> float:
        """Return how long the oldest has been under way; 0 without any."""
        return self._age(self._parts)

    def seconds_since_first(self) -> float:
        """Return how long ago the first of all calls began; 0 before it."""
        return self._age(self._first)

    @staticmethod
    def _age(parts: Iterable[float]) -> float:
        begun = [part for part in parts if part]
        return time.monotonic() - min(begun) if begun else 0.0


class Saying:
    """The newest of the short texts that processes write, each into a place of its own."""

    def __init__(self) -> None:
        self._texts = multiprocessing.RawArray("c", MOST_PROCESSES * _TEXT_BYTES)
        self._times = multiprocessing.RawArray("d", MOST_PROCESSES)

    def say(self, text: str) -> None:
        """Put a text in the place of this process's last one; the end of a long one is cut off."""
        words = " ".join(text.split()).encode()[:_TEXT_BYTES]
        self._texts[_place * _TEXT_BYTES : (_place + 1) * _TEXT_BYTES] = words.ljust(_TEXT_BYTES, b"\0")
        self._times[_place] = time.time()

    def text(self) -> str:
        """Return the newest text of any process; empty before the first."""
        return self._of(max(range(MOST_PROCESSES), key=self._times.__getitem__))

    def texts(self) -> Iterator[str]:
        """Yield the newest text of each process that has one."""
        return (self._of(place) for place in range(MOST_PROCESSES) if self._times[place])

    def _of(self, place: int) -> str:
        words = self._texts[place * _TEXT_BYTES : (place + 1) * _TEXT_BYTES]
        return bytes(words).rstrip(b"\0").decode(errors="ignore")


class NamedTally:
    """Sums by name over all processes. Of a process with more names than fit, the rarest are left out."""

    def __init__(self) -> None:
        self._texts = Saying()
        self._lock = threading.Lock()
        self._here: Counter[str] = Counter()

    def add(self, name: str, number: int) -> None:
        """Add to the sum of a name, which has no spaces."""
        with self._lock:
            self._here[name] += number
            self._texts.say(" ".join(f"{name}={number}" for name, number in self._here.most_common()) + " ")

    def total(self) -> Counter[str]:
        """Return name -> sum."""
        sums: Counter[str] = Counter()
        for text in self._texts.texts():
            for part in text.split():
                name, _, number = part.rpartition("=")
                sums[name] += int(number) if number.isdigit() else 0
        return +sums


class Members:
    """Names that are put in before workers are forked, and taken out by any process."""

    def __init__(self) -> None:
        self._left: dict[str, Any] = {}

    def begin(self, names: Iterable[str]) -> None:
        """Put these in, and no others."""
        self._left = {name: multiprocessing.RawValue("b", 1) for name in names}

    def has_others(self, name: str) -> bool:
        """Return whether there is a member beside this name, which is or was one."""
        return name in self._left and any(flag.value for other, flag in self._left.items() if other != name)

    def take_out(self, name: str) -> bool:
        """Take a member out. Returns whether it was still in."""
        was_in = bool(self._left[name].value)
        self._left[name].value = 0
        return was_in

    def is_out(self, name: str) -> bool:
        """Return whether a member was taken out."""
        return name in self._left and not self._left[name].value


STOPPED = Stop()
"""Set when the program is to end: no call is begun any more, and who waits for a turn stops waiting."""

ENDING = Stop()
"""Set when the program waits for its last calls and then ends: with it gone, nobody wants them any more."""

EXPLAINED = Stop()
"""Set when the user was told why the program ends, so that it is said once."""

IN_FLIGHT = Tally()
"""Calls in flight, from before they are sent until their answer is kept."""

OLDEST_CALL = Oldest()
"""Attempts of calls that are with their provider."""

FAILING = "a provider that fails"

WAITING_FOR = {
    "an answer to the first question": Tally(),
    FAILING: Tally(),
    "a rate limit": Tally(),
    "the budget": Tally(),
}
"""What keeps calls from being sent -> how many it keeps. In a pause all of them wait."""

HOLDING, JUDGING, PROBED = Tally(), Tally(), Tally()
"""Conversations that are being held, those that judges are asked about, and models that are asked whether they answer.
"""

CASES = Spans()
"""Cases under way, from the first message to the verdict."""

REPEATING = Tally()
"""Calls that have failed and wait for their next attempt, as with a provider that has too much to do."""

LAST_FAILURE = Saying()
"""How the newest of these calls failed."""

NEW_ANSWERS = Tally()
"""Answers of models under test that a provider has just given."""

STORED_ANSWERS = Tally()
"""Answers of models under test that were in the cache; scripted models count in neither."""

SECRETS_REMOVED = NamedTally()
"""Deployment -> how many known secrets were taken out of its answers."""

TARGETS = Members()
"""Models under test that can still be called."""

LEFT_TO_BATCH = Tally()
"""Judges' calls that were left to a batch."""

PAID_USD = Tally()
"""US dollars that calls have cost since the program began."""


@contextmanager
def on_its_way() -> Iterator[None]:
    """Count a call as in flight."""
    IN_FLIGHT.add(1)
    try:
        yield
    finally:
        IN_FLIGHT.add(-1)


@contextmanager
def repeating() -> Iterator[None]:
    """Count a call as one that waits for its next attempt."""
    REPEATING.add(1)
    try:
        yield
    finally:
        REPEATING.add(-1)


@contextmanager
def waiting() -> Iterator[None]:
    """Leave a call that waits for its turn out of those in flight: it is not sent yet, and costs nothing."""
    IN_FLIGHT.add(-1)
    try:
        yield
    finally:
        IN_FLIGHT.add(1)


@contextmanager
def counted_in(tally: Tally) -> Iterator[None]:
    """Count one more in a tally meanwhile."""
    tally.add(1)
    try:
        yield
    finally:
        tally.add(-1)

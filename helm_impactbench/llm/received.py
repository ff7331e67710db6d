"""What has come back from a provider for the call of this thread, whatever became of it on the way through litellm.

An answer of status 200 is charged for, also where it cannot be used. Litellm's errors do not tell such answers from
those that never came, so the HTTP client notes what it has received.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from helm_impactbench.llm.usage_block import tokens_in


@dataclass
class Received:
    """The answer to one attempt, as far as it has come."""

    key: str = ""
    """Names the call to the provider: all attempts have the same, so that one that takes such keys charges once."""
    address: str = ""
    """Where the call went; without what may hold a secret."""
    status: int = 0
    """Of HTTP; 0 before it has come."""
    whole: bool = False
    """Whether the body came to its end."""
    body: bytes = b""
    """Of a whole answer."""
    fault: str = ""
    """Why a whole answer cannot be used."""

    @property
    def success(self) -> bool:
        """Whether the status was one of success, which is charged for."""
        return 200 <= self.status < 300

    def tokens(self) -> tuple[int, int] | None:
        """Return the tokens of (prompt, answer) that the provider states, None where it does not."""
        return tokens_in(self.body) if self.body else None


_CURRENT: ContextVar[Received | None] = ContextVar("received", default=None)


@contextmanager
def receiving(key: str = "") -> Iterator[Received]:
    """Note what this thread receives meanwhile; `key` names the call."""
    received = Received(key)
    token = _CURRENT.set(received)
    try:
        yield received
    finally:
        _CURRENT.reset(token)


def current() -> Received:
    """Return what the call of this thread has received; one that nobody reads outside of a call."""
    return _CURRENT.get() or Received()

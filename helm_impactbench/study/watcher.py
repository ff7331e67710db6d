"""Whoever starts a run, as the run sees them: told, asked, and shown how far it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from helm_impactbench.llm.usage import Usage
from helm_impactbench.process.progress_file import Snapshot

AuthorProgress = Callable[[int, int, Usage], None]
"""Called with finished calls, failed ones and what they used."""


class Progress(Protocol):
    """A display of a run that is under way."""

    def show(self, snapshot: Snapshot) -> None:
        """Show how far the run is."""

    def say(self, text: str) -> None:
        """Show a line of the run's own that stays."""


class Watcher(Protocol):
    """A terminal, a notebook, or a test."""

    def say(self, line: str) -> None:
        """Tell what is going to be done, or was done."""

    def note(self, line: str) -> None:
        """Tell something beside it."""

    def agree(self, question: str) -> None:
        """Ask whether to go on; raise whatever ends the command where the answer is no."""

    def running(self, command: Sequence[str], log: Path) -> None:
        """Tell the helm-run that starts now, and where its log is."""

    def progress(self, title: str, conversations: int) -> AbstractContextManager[Progress]:
        """Return the display of a run of so many conversations."""

    def writing(self) -> AbstractContextManager[AuthorProgress]:
        """Return the display of calls to an author."""

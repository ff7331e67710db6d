"""A run as Python and notebooks show it: a progress bar, and no questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_impactbench.llm.usage import Usage
from helm_impactbench.process.progress_file import Snapshot
from helm_impactbench.study.watcher import AuthorProgress


@dataclass(frozen=True)
class StudyBar:
    """A bar of finished conversations."""

    bar: Any
    """Of tqdm: a widget in a notebook that has ipywidgets, text everywhere else."""

    def show(self, snapshot: Snapshot) -> None:
        """Move it, with what is paid beside it."""
        self.bar.total = snapshot.expected or self.bar.total
        self.bar.n = snapshot.cases
        self.bar.set_postfix_str(f"${snapshot.paid_usd:,.2f} paid")

    def say(self, text: str) -> None:
        """Print a line above it."""
        self.bar.write(text)


@dataclass(frozen=True)
class BarWatcher:
    """The watcher of `helm_impactbench.run`."""

    visible: bool = True
    """False for no output at all."""

    def say(self, line: str) -> None:
        """Print a line of the plan."""
        if self.visible:
            print(line)  # what a notebook shows

    def note(self, line: str) -> None:
        """Say nothing: an error carries what matters."""

    def agree(self, question: str) -> None:
        """Agree: who calls a function means it."""

    def running(self, command: Sequence[str], log: Path) -> None:
        """Say nothing: the log is in the suite's folder."""

    @contextmanager
    def progress(self, title: str, conversations: int) -> Iterator[StudyBar]:
        """Yield the bar of a run."""
        import sys
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that ipywidgets is missing: there is a bar of text then
            from tqdm.auto import tqdm

            bar = tqdm(
                total=conversations, desc=title, unit=" conversations", disable=not self.visible, file=sys.stdout
            )
        with bar:
            yield StudyBar(bar)

    @contextmanager
    def writing(self) -> Iterator[AuthorProgress]:
        """Yield what shows an author's calls: nothing, as the lines after it say how many there were."""

        def show(done: int, failed: int, usage: Usage) -> None:
            pass

        yield show

"""A run as a terminal shows it: its plan, its question and its progress, with anchors beside it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.anchors import say_planned, try_anchors_of
from helm_impactbench.cli.authoring import author_progress
from helm_impactbench.cli.live import Display, columns

if TYPE_CHECKING:
    from helm_impactbench.analysis.costs.forecast import PlannedRun
    from helm_impactbench.study.watcher import AuthorProgress


@dataclass(frozen=True)
class Console:
    """The watcher of `impactbench run`."""

    asks: bool
    """Whether somebody is there to answer."""

    def say(self, line: str) -> None:
        """Print a line of the result."""
        click.echo(line)

    def note(self, line: str) -> None:
        """Print a line beside the result."""
        click.echo(line, err=True)

    def agree(self, question: str) -> None:
        """Ask, and end the command where the answer is no."""
        if self.asks:
            click.confirm(question, default=True, abort=True)

    def running(self, command: Sequence[str], log: Path) -> None:
        """Print the command to be copied."""
        click.echo(f"Running: {shown_command(command)}\nLog: {log}", err=True)

    def progress(self, title: str, conversations: int) -> Display:
        """Return a display that is redrawn in place, or lines where there is no terminal."""
        return Display(title, details=True)

    def writing(self) -> AbstractContextManager[AuthorProgress]:
        """Return a line that counts an author's calls."""
        return author_progress()


@dataclass(frozen=True)
class AnchorConsole:
    """Reads a suite's anchors after its run."""

    def say_planned(self, runs: Sequence[PlannedRun], suite: Path) -> None:
        """Print how many will be read and at what price."""
        say_planned(runs, suite)

    def read(self, suite: Path, local_path: Path, threads: int, budget: float | None) -> None:
        """Have them read; only say so when that cannot be done."""
        try_anchors_of(suite, local_path, threads, budget)


def shown_command(words: Sequence[str]) -> str:
    """Return a command to be copied: in one line, or in several that a terminal does not break."""
    quoted = [*map(shlex.quote, words)]
    if not sys.stderr.isatty():
        return " ".join(quoted)
    lines = ["\n "]
    for word in quoted:
        if len(lines[-1]) + len(word) > columns() - 4 and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}"
    return "\n".join(lines)

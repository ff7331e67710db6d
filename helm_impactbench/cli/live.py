"""The state of a run on the terminal: redrawn in place, or a line now and then where there is no terminal."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.tables import counted
from helm_impactbench.process.progress_file import shown_time

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live

    from helm_impactbench.process.progress_file import Snapshot

LINE_SECONDS = 15.0
"""Between two lines where there is no terminal."""


class Display:
    """Shows snapshots. Use as a context."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._live: Live | None = None
        self._said = time.monotonic()

    def __enter__(self) -> Display:
        if sys.stdout.isatty():
            from rich.live import Live

            self._live = Live(transient=True, refresh_per_second=4)
            self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, _)

    def show(self, snapshot: Snapshot) -> None:
        """Show the state."""
        if self._live is not None:
            self._live.update(_drawn(self._title, snapshot))
        elif time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            click.echo("; ".join(lines(snapshot)))

    def say(self, text: str) -> None:
        """Print a line that stays."""
        if self._live is not None:
            self._live.console.print(text, markup=False, highlight=False)
        else:
            with suppress(OSError):
                click.echo(text, err=True)


def _drawn(title: str, snapshot: Snapshot) -> Group:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    bar = ProgressBar(total=max(1, snapshot.expected), completed=snapshot.cases, width=60)
    return Group(Text(title, style="bold"), bar, *(Text(line, overflow="ellipsis") for line in lines(snapshot)),
                 *([Text(f"newest: {snapshot.newest}", style="dim", overflow="ellipsis", no_wrap=True)]
                   if snapshot.newest else []))  # fmt: skip


def lines(snapshot: Snapshot) -> list[str]:
    """Return a snapshot in a few short lines."""
    if not snapshot.expected:
        return ["starting"]
    share = snapshot.cases / snapshot.expected
    done = f"{snapshot.cases:,} of {counted(snapshot.expected, 'conversation')} ({share:.0%}), "
    left = snapshot.seconds_left
    return [
        f"{done}{snapshot.runs_done} of {counted(snapshot.runs, 'run')} finished"
        + (f", about {shown_time(left)} left" if left and share < 1 else ""),
        f"{snapshot.scored:,} scored{without_score(snapshot)}",
        _money(snapshot, share),
    ]


def without_score(snapshot: Snapshot) -> str:
    """Return how many cases have no score, and why; empty without any."""
    reasons = sorted(snapshot.unscored.items(), key=lambda item: -item[1])
    return "".join(f", {count:,} {reason.replace('_', ' ')}" for reason, count in reasons)


def _money(snapshot: Snapshot, share: float) -> str:
    paid = f"${snapshot.paid_usd:,.2f} paid"
    if 0 < share < 1 and snapshot.paid_usd:
        paid += f", about ${snapshot.paid_usd / share - snapshot.paid_usd:,.2f} to come"
    waits = f", {snapshot.waiting:,} waiting for a rate limit" if snapshot.waiting else ""
    return f"{paid}; {counted(snapshot.in_flight, 'call')} in flight{waits}"

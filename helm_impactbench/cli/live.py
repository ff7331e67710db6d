"""The state of a run on the terminal: redrawn in place, or a line now and then where there is no terminal."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

import click

from helm_impactbench.errors import counted, dollars
from helm_impactbench.process.progress_file import shown_time, without_score
from helm_impactbench.process.shared_state import FAILING

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    from helm_impactbench.process.progress_file import Snapshot

LINE_SECONDS = 15.0
"""Between two lines where there is no terminal."""


class Display:
    """Shows snapshots. Use as a context."""

    def __init__(self, title: str, *, details: bool = False) -> None:
        """`details`: also what models and providers said of failures, and the newest conversation's last words."""
        self._title, self._details = title, details
        self._live: Live | None = None
        self._said = time.monotonic()

    def __enter__(self) -> Display:
        if sys.stdout.isatty():
            from rich.live import Live

            from helm_impactbench.process.progress_file import Snapshot

            self._live = Live(transient=True, refresh_per_second=4)
            self._live.__enter__()
            self.show(Snapshot())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, _)

    def show(self, snapshot: Snapshot) -> None:
        """Show the state."""
        if self._live is not None:
            self._live.update(_drawn(self._title, snapshot, self._details))
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


def _drawn(title: str, snapshot: Snapshot, details: bool) -> Group:
    """Return what is redrawn in place: no line is wider than the terminal, which cuts what is too long."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    def line(words: str, style: str = "") -> Text:
        return Text(words, style=style, overflow="ellipsis", no_wrap=True)

    bar = ProgressBar(total=max(1, snapshot.expected), completed=snapshot.cases, width=min(60, columns() - 1))
    return Group(
        line(title, "bold"),
        bar,
        *map(line, lines(snapshot)),
        *(line(f"{count:,} x {reason}", "red") for reason, count in snapshot.failures.items() if details),
        *([line(f"newest: {snapshot.newest}", "dim")] if snapshot.newest else []),
        *(_wrapped(words) for words in snapshot.excerpt if details),
    )


def _wrapped(words: str) -> Text:
    from rich.text import Text

    speaker, _, rest = words.partition(": ")
    return Text.assemble(("  " + speaker, "bold"), ": ", rest)


def columns() -> int:
    """Return the width of the terminal."""
    return shutil.get_terminal_size().columns


def lines(snapshot: Snapshot, *, over: bool = False) -> list[str]:
    """Return a snapshot in a few short lines; `over`: of a run that is not under way any more."""
    if not snapshot.expected and not over:
        return ["Starting: HELM is loaded, and the models are checked ..."]
    share = snapshot.cases / max(1, snapshot.expected)
    done = f"{snapshot.cases:,} of {counted(snapshot.expected, 'conversation')} ({share:.0%}), "
    left = snapshot.seconds_left
    goes_on = bool(left) and share < 1 and not snapshot.paused and not over
    return [
        *(["PAUSED: no call begins; impactbench watch --resume goes on"] if snapshot.paused and not over else []),
        f"{done}{snapshot.runs_done} of {counted(snapshot.runs, 'run')} finished"
        + (f", about {shown_time(left or 0)} left" if goes_on else ""),
        *([f"{snapshot.scored:,} scored{without_score(snapshot)}"] if snapshot.cases or over else []),
        *([f"now: {snapshot.doing}"] if snapshot.doing and not over else []),
        _money(snapshot),
        *([] if over else [_calls(snapshot)]),
        *(
            [f"last failure: {snapshot.repeating_why}"]
            if (snapshot.repeating or FAILING in snapshot.waiting_for) and snapshot.repeating_why and not over
            else []
        ),
    ]


def _money(snapshot: Snapshot) -> str:
    share = (snapshot.cases + snapshot.under_way) / max(1, snapshot.expected - snapshot.lost)
    has_budget = snapshot.budget_usd is not None
    paid = f"this command ${snapshot.paid_usd:,.2f}" if has_budget else f"${snapshot.paid_usd:,.2f} paid"
    if 0 < share < 1 and snapshot.paid_usd:
        paid += f", about ${snapshot.paid_usd / share - snapshot.paid_usd:,.2f} to come"
    if snapshot.budget_usd is not None:
        paid += f"; the suite ${snapshot.suite_usd:,.2f} of {dollars(snapshot.budget_usd)}"
    return paid


def _calls(snapshot: Snapshot) -> str:
    causes = () if snapshot.paused else snapshot.waiting_for.items()
    waits = "".join(f", {number:,} waiting for {cause}" for cause, number in causes)
    again = f", {snapshot.repeating:,} waiting to be repeated" if snapshot.repeating else ""
    age = snapshot.oldest_call_seconds
    oldest = f" (the oldest for {shown_time(age)})" if age else ""
    return f"{counted(snapshot.in_flight, 'call')} in flight{oldest}{waits}{again}"

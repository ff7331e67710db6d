"""Who waits at a terminal is told what for."""

from __future__ import annotations

import io
import sys
import time

import pytest

from helm_impactbench.cli import main
from helm_impactbench.cli.waiting import DOING, told_when_slow


class Terminal(io.StringIO):
    """A terminal that keeps what is printed."""

    def isatty(self) -> bool:
        """Return that it is one."""
        return True


@pytest.mark.parametrize(("command", "seconds", "printed"), [
    ("export", 0.0, "impactbench export: reading the conversations and writing the files ...\n"),
    ("export", 60.0, ""),
    ("run", 0.0, ""),
    (None, 0.0, ""),
])  # fmt: skip
def test_a_slow_command_says_what_it_does(
    monkeypatch: pytest.MonkeyPatch, command: str | None, seconds: float, printed: str
) -> None:
    """Once, after a while, on a terminal; a quick one, and one that shows its own progress, says nothing."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with told_when_slow(command, seconds):
        time.sleep(0.05)
    assert terminal.getvalue() == printed


def test_nothing_is_said_into_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log is not a person who waits."""
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with told_when_slow("export", 0.0):
        time.sleep(0.05)
    assert pipe.getvalue() == ""


def test_only_commands_that_exist_are_named() -> None:
    """A renamed command loses no words."""
    assert {*DOING} <= {*main.commands}

"""What is asked of a run under way."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from helm_impactbench.process.control_file import (
    CONTROL_FILE,
    Control,
    ControlWatch,
    forget_control,
    read_control,
    write_control,
)
from helm_impactbench.process.shared_state import Stop


def test_what_is_asked_comes_back_until_it_is_forgotten(tmp_path: Path) -> None:
    """A pause and a budget survive the file; without the file nothing is asked."""
    write_control(tmp_path, Control(paused=True, budget_usd=40.0))
    assert read_control(tmp_path) == Control(paused=True, budget_usd=40.0)
    forget_control(tmp_path)
    forget_control(tmp_path)
    assert read_control(tmp_path) == Control()


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"paused": "yes"}', '{"budget_usd": -1}', '{"budget_usd": NaN}', '{"budget_usd": true}']
)
def test_a_file_that_says_something_else_asks_nothing(tmp_path: Path, text: str) -> None:
    """A budget that is none, or a damaged file, changes nothing about a run."""
    (tmp_path / CONTROL_FILE).write_text(text)
    assert read_control(tmp_path) == Control()


def test_a_pause_holds_until_it_is_lifted_or_the_run_stops(tmp_path: Path) -> None:
    """Who waits goes on when the file has changed, and at once when the run is stopped."""
    watch, stopped = ControlWatch(tmp_path), Stop()
    write_control(tmp_path, Control(paused=True))
    lifted = threading.Event()

    def lift() -> None:
        lifted.set()
        write_control(tmp_path, Control())

    threading.Timer(0.4, lift).start()
    watch.wait_while_paused(stopped)
    assert lifted.is_set()
    write_control(tmp_path, Control(paused=True))
    stopped.set()
    ControlWatch(tmp_path).wait_while_paused(stopped)
    ControlWatch(None).wait_while_paused(stopped)

"""A helm-run that waits for a word before its first call."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from helm_impactbench.process.hold import HOLD_VARIABLE, wait_for_release


@pytest.mark.parametrize("value", [None, "", "none", "987654"])
def test_a_helm_run_of_ones_own_waits_for_nobody(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    """Without the variable, and with one whose pipe is not there, it begins at once."""
    if value is not None:
        monkeypatch.setenv(HOLD_VARIABLE, value)
    wait_for_release()
    assert HOLD_VARIABLE not in os.environ


PROGRAM = """
import os, threading, time
from helm_impactbench.process.hold import HOLD_VARIABLE, wait_for_release
from helm_impactbench.process.shared_state import STOPPED, on_its_way

def call():
    with on_its_way():
        assert STOPPED.wait(60)
        time.sleep(0.3)
        print("home", flush=True)

wait_for_release()
print("begun", HOLD_VARIABLE in os.environ, flush=True)
threading.Thread(target=call, daemon=True).start()
time.sleep(60)
"""


def test_it_begins_when_it_is_told_to_and_stops_when_nobody_is_there_any_more() -> None:
    """One byte is the word, and processes of its own do not wait again. The end of the pipe stops it: its calls come
    home.
    """
    theirs, ours = os.pipe()
    held = {**os.environ, HOLD_VARIABLE: str(theirs)}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=held, pass_fds=(theirs,), stdout=subprocess.PIPE, text=True
    ) as process:
        os.close(theirs)
        assert process.stdout is not None
        os.write(ours, b"1")
        assert process.stdout.readline() == "begun False\n"
        os.close(ours)
        assert process.stdout.read() == "home\n"
    assert process.returncode == 143


def test_it_ends_without_a_word_when_nobody_wants_it_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question was answered with no, or the process that asked is gone: nothing was called, nothing is wrong."""
    ours, theirs = os.pipe()
    monkeypatch.setenv(HOLD_VARIABLE, str(ours))
    os.close(theirs)
    with pytest.raises(SystemExit) as ended:
        wait_for_release()
    assert ended.value.code == 0

"""How a run ends before its time: by Ctrl-C, SIGTERM or the end of its terminal, or by an error that no further call
could survive.

One policy for HELM's own Runner, for ours, and for commands of ours that call models: no new call begins, and calls in
flight are waited for, because they are paid for. Python's own way, a KeyboardInterrupt, would let every running
conversation go on to its end.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from helm_impactbench.process.helm_run import HelmRun
from helm_impactbench.process.settings import seconds_from
from helm_impactbench.process.shared_state import ENDING, IN_FLIGHT, STOPPED

PATIENCE_VARIABLE = "IMPACTBENCH_SHUTDOWN_SECONDS"
DEFAULT_PATIENCE = 600.0
"""Seconds that calls in flight may take; longer than any provider takes."""
_QUIET_SECONDS = 2.0
"""After an error, a wait that is longer is announced."""
_LOOK_SECONDS = 0.05
_SHOW_CURSOR = b"\x1b[?25h"
_PRESSED = (signal.SIGINT, signal.SIGTERM)
"""Signals of people: the second one means "at once"."""
SIGNALS = (*_PRESSED, signal.SIGHUP)
"""All that end a run. A closed terminal sends SIGHUP, often twice, and never means "at once"."""
BY_SIGNAL = 128
"""A shell adds this to the number of the signal that ended a command: 130 for Ctrl-C, 143 for SIGTERM."""
CONTINUE = "The same command continues from here."


class Shutdown:
    """Ends a run so that nothing paid for is lost."""

    def __init__(self) -> None:
        self.patience = DEFAULT_PATIENCE
        """Seconds that calls in flight may take."""
        self._code: int | None = None
        self._signalled = self._pressed = False

    @property
    def begun(self) -> bool:
        """Return whether the program is on its way out."""
        return self._code is not None

    def take_over(self) -> None:
        """Take Ctrl-C, SIGTERM and SIGHUP over, from the main thread, unless another program's handlers are set or
        they are ignored (`nohup`).

        Raises SettingError for a patience that is not a number of seconds.
        """
        self.patience = seconds_from(PATIENCE_VARIABLE, DEFAULT_PATIENCE, least=0)
        if threading.current_thread() is not threading.main_thread():
            return
        atexit.unregister(self._finish)
        atexit.register(self._finish)
        for number in SIGNALS:
            if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
                signal.signal(number, self._interrupt)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Take them over while the runs go on."""
        before = {number: signal.getsignal(number) for number in SIGNALS}
        self.take_over()
        try:
            yield
        finally:
            if threading.current_thread() is threading.main_thread():
                for number, handler in before.items():
                    signal.signal(number, handler)

    def begin(self, code: int) -> None:
        """Let the program end with this exit code as soon as no call is in flight. Returns at once."""
        if self._code is None:
            self._code = code
            STOPPED.set()
            threading.Thread(target=self._end_after_error, daemon=True).start()

    def end(self, code: int = 1) -> NoReturn:
        """Wait for the calls in flight and end the program, whatever its threads are doing.

        The exit code is the signal's, or that of the error that came first, else `code`.
        """
        ENDING.set()
        bring_home(IN_FLIGHT.total, self.patience)
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
            if sys.stderr.isatty():  # a progress bar may have hidden the cursor
                os.write(2, _SHOW_CURSOR)
        os._exit(code if self._code is None else self._code)

    def _end_after_error(self) -> None:
        wait_for_calls(IN_FLIGHT.total, min(_QUIET_SECONDS, self.patience))
        if IN_FLIGHT.total() > 0 and not self._signalled:
            _say(self._waiting())
        self.end()

    def _interrupt(self, number: int, _: FrameType | None) -> None:
        if self._pressed:  # both came before the first was looked at
            os._exit(BY_SIGNAL + number)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        if number in _PRESSED:
            self._pressed = True
            for (
                each
            ) in _PRESSED:  # the system's own end: Python runs handlers late, or never when the main thread sleeps
                signal.signal(each, signal.SIG_DFL)
        first, self._signalled = not self._signalled, True
        self._code = BY_SIGNAL + number
        _say(f"impactbench: stopping. {self._waiting()} {CONTINUE}")
        if first:
            # Not threading.Thread, nor an Event: the main thread may hold their locks, and a handler would never end.
            _thread.start_new_thread(self.end, ())

    def _waiting(self) -> str:
        """Return what is waited for, for how long at most, and how to end at once."""
        calls = int(IN_FLIGHT.total())
        if calls < 1:
            return "No call is in flight."
        number = "1 call" if calls == 1 else f"{calls} calls"
        again = "again" if self._pressed else "twice"
        return (
            f"Waiting up to {self.patience:g} s for {number} in flight, already paid for; press Ctrl-C {again} to drop "
            f"{'it' if calls == 1 else 'them'}."
        )

    def _finish(self) -> None:
        """End as was asked, when the main thread is at its end before the calls are."""
        if self.begun:
            self.end()


SHUTDOWN = Shutdown()
"""Of this process."""


def bring_home(in_flight: Callable[[], float], seconds: float) -> None:
    """Let no call begin, and wait for those in flight, `seconds` at most."""
    STOPPED.set()
    time.sleep(_LOOK_SECONDS)  # a thread may just have looked at the flag
    wait_for_calls(in_flight, seconds)
    time.sleep(_LOOK_SECONDS)


def wait_for_calls(in_flight: Callable[[], float], seconds: float) -> None:
    """Wait until no call is in flight, `seconds` at most."""
    until = time.monotonic() + seconds
    while in_flight() > 0 and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS)


def take_over(run: HelmRun) -> None:
    """Let a helm-run, a Slurm job of one or a command of ours end as described above. Harmless when repeated.

    Other programs that load the plug-in keep what they have, and so do HELM's other runners: SlurmRunner has to cancel
    its jobs on the way out. Raises SettingError.
    """
    if run.calls_models_here:
        SHUTDOWN.take_over()


def _say(words: str) -> None:
    """Write a line past Python's buffers: a signal may come while the main thread is in the middle of printing."""
    with suppress(OSError):
        os.write(2, f"\n{words}\n".encode())

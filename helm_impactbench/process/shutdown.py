"""How a helm-run ends before its time: by Ctrl-C or SIGTERM, or by an error that no further call could survive.

The same for HELM's own Runner and for ours: no call is begun any more, and calls in flight come home and are kept,
because they are paid for. Python's own way, a KeyboardInterrupt, would let every running conversation go on to its end.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from helm_impactbench.process.helm_run import HelmRun
from helm_impactbench.process.shared_state import IN_FLIGHT, STOPPED

DRAIN_SECONDS = 600.0
"""How long calls in flight may take to come home; longer than any provider takes."""
_LOOK_SECONDS = 0.05
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_BY_SIGNAL = 128
"""A shell adds this to the number of the signal that ended a command: 130 for Ctrl-C, 143 for SIGTERM."""


class Ending:
    """Stops a run so that nothing paid for is lost."""

    def __init__(self) -> None:
        self._code: int | None = None

    @property
    def asked(self) -> bool:
        """Return whether somebody has asked to end."""
        return self._code is not None

    def take_over(self) -> None:
        """Take Ctrl-C and SIGTERM over, from the main thread, unless another program's handlers stand there."""
        if threading.current_thread() is not threading.main_thread():
            return
        atexit.unregister(self._give_code)
        atexit.register(self._give_code)
        for number, usual in zip(_SIGNALS, (signal.default_int_handler, signal.SIG_DFL), strict=True):
            if signal.getsignal(number) is usual:
                signal.signal(number, self._interrupt)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Take them over while the runs go on."""
        before = {number: signal.getsignal(number) for number in _SIGNALS}
        self.take_over()
        try:
            yield
        finally:
            if threading.current_thread() is threading.main_thread():
                for number, handler in before.items():
                    signal.signal(number, handler)

    def end(self, code: int = 1) -> NoReturn:
        """Wait for the calls in flight and end the program, whatever its threads are doing.

        The exit code is the signal's where one has come, else `code`.
        """
        STOPPED.set()
        until = time.monotonic() + DRAIN_SECONDS
        time.sleep(_LOOK_SECONDS)  # a thread may just have looked at the flag
        while IN_FLIGHT.total() > 0 and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
        time.sleep(_LOOK_SECONDS)  # the last answers are on their way into the cache
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if self._code is None else self._code)

    def _interrupt(self, number: int, _: FrameType | None) -> None:
        if self._code is not None:  # both came before the first was looked at
            os._exit(self._code)
        self._code = _BY_SIGNAL + number
        for each in _SIGNALS:  # the system's own end: Python runs handlers late, or never when the main thread sleeps
            signal.signal(each, signal.SIG_DFL)
        _say(
            f"impactbench: stopping. {int(IN_FLIGHT.total())} calls in flight come home first, because they are paid "
            "for; once more to drop them. The same command goes on from here."
        )
        # Not threading.Thread, nor an Event: the main thread may hold their locks, and a handler would wait for ever.
        _thread.start_new_thread(self.end, ())

    def _give_code(self) -> None:
        """Let the program end as the signal asked, when its main thread is at its end before the calls are."""
        if self.asked:
            self.end()


ENDING = Ending()
"""Of this process."""


def take_over_helm_run(run: HelmRun) -> None:
    """Let a helm-run, or a Slurm job of one, end as described above.

    Other programs that load the plug-in keep what they have, and so do HELM's other runners: SlurmRunner has to cancel
    its jobs on the way out. Harmless when repeated.
    """
    if run.calls_models_here:
        ENDING.take_over()


def _say(words: str) -> None:
    """Write a line past Python's buffers: a signal may come while the main thread is in the middle of printing."""
    with suppress(OSError):
        os.write(2, f"\n{words}\n".encode())

"""A helm-run that gets ready and waits for a word before its first call: its plan is shown meanwhile, and agreed to.

The word comes through a pipe that stays open. The system closes it when the process that started this helm-run is gone,
however that ended and whichever of its threads was the last.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress

from helm_impactbench.process.shutdown import BY_SIGNAL, SHUTDOWN

HOLD_VARIABLE = "IMPACTBENCH_HOLD"
"""The number of a pipe's end that `impactbench run` hands down. Unset in every other helm-run."""


def wait_for_release() -> None:
    """Return when the process that started this helm-run says so, at once where none does.

    Ends the program when that process is gone or has thought better of it, now or later. What is on the wire then comes
    home, as after SIGTERM.
    """
    number = os.environ.pop(HOLD_VARIABLE, "")
    if not number.isdigit():
        return
    pipe = int(number)
    try:
        released = os.read(pipe, 1)
    except OSError:  # a variable that was inherited without its pipe
        return
    if not released:
        sys.exit(0)
    threading.Thread(target=_end_with_parent, args=(pipe,), daemon=True).start()


def _end_with_parent(pipe: int) -> None:
    with suppress(OSError):
        os.read(pipe, 1)  # nothing more is written: it returns at the end
    SHUTDOWN.begin(BY_SIGNAL + signal.SIGTERM)

"""A helm-run that gets ready and waits for a word before its first call: its plan is shown meanwhile, and agreed to."""

from __future__ import annotations

import os
import sys

HOLD_VARIABLE = "IMPACTBENCH_HOLD"
"""The number of a pipe's end that `impactbench run` hands down. Unset in every other helm-run."""


def wait_for_release() -> None:
    """Return when the process that started this helm-run says so, at once where none does.

    Ends the program when that process is gone or has thought better of it.
    """
    number = os.environ.pop(HOLD_VARIABLE, "")
    if not number.isdigit():
        return
    try:
        with os.fdopen(int(number), "rb") as pipe:
            released = pipe.read(1)
    except OSError:  # a variable that was inherited without its pipe
        return
    if not released:
        sys.exit(0)

"""A model under test that cannot be called any more: its runs end, and those of the other models go on."""

from __future__ import annotations

import sys

from helm_impactbench.errors import FatalCallError, TargetLostError
from helm_impactbench.process.shared_state import TARGETS

_OF_ONE_MODEL = ("key", "credit", "model", "path", "address", "down")
"""What a fatal error is about that concerns one deployment; what is not, ends every run."""
_WRAPPED = 10


def check_target(deployment: str) -> None:
    """Raise TargetLostError for a model that was lost before."""
    if TARGETS.is_out(deployment):
        raise TargetLostError(f"{deployment} cannot be called any more; nothing was asked of it.")


def lost(error: FatalCallError, deployment: str, role: str) -> FatalCallError | TargetLostError:
    """Return what ends the runs of a target where others can go on, and says so once; else the error as it is."""
    if role != "target" or error.about not in _OF_ONE_MODEL or not TARGETS.has_others(deployment):
        return error
    if TARGETS.take_out(deployment):
        print(f"\nimpactbench: {error} The runs of the other models go on.\n", file=sys.stderr, flush=True)
    return TargetLostError(str(error))


def lost_in(error: BaseException | None) -> TargetLostError | None:
    """Return the loss of a target that an error comes from; HELM wraps it in one of its own."""
    for _ in range(_WRAPPED):
        if error is None or isinstance(error, TargetLostError):
            return error
        error = error.__cause__
    return None

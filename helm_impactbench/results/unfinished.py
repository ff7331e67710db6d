"""Whether a suite holds all that its newest command was to bring: figures on a part of it look like those on all."""

from __future__ import annotations

import shlex
from pathlib import Path

from helm_impactbench.errors import counted
from helm_impactbench.process.progress_file import PROGRESS_FILE, is_alive, read_snapshot
from helm_impactbench.results.files import STATE_FILE, is_whole


def unfinished(suite: Path) -> str:
    """Return in a sentence or two what is missing in a suite's folder, and how to go on; empty where nothing is.

    A suite without a state, such as an import or one of HELM's own runner, counts as whole.
    """
    state = read_snapshot(suite)
    if state is None and (suite / PROGRESS_FILE).exists():
        return (
            f"Not known to be finished: {suite / PROGRESS_FILE}, which says how far {suite.name} came, cannot be read. "
            "Repeat the command that made it; what is finished is kept."
        )
    if state is None:
        return ""
    if not (lacking := lacking_runs(suite)):
        return ""
    cases = f"{counted(state.missing, 'planned conversation')}, in " if state.missing else ""
    what = f"Not finished: {suite.name} lacks {cases}{lacking:,} of {counted(state.runs, 'run')}."
    if is_alive(suite):
        return f"{what} It is still running; impactbench watch --suite {shlex.quote(suite.name)} shows how far it is."
    return f"{what} To go on, repeat the command that made it; what is finished is kept."


def lacking_runs(suite: Path) -> int:
    """Return how many runs of its newest command a suite lacks; 0 without a state that can be read."""
    state = read_snapshot(suite)
    if state is None:
        return 0
    here = sum(is_whole(file.parent) for file in suite.glob(f"*/{STATE_FILE}"))
    # A run that had been whole before the newest command is one of those done; runs of other commands are beside it.
    return max(0, state.runs - (state.runs_done - state.runs_failed), state.runs - here)

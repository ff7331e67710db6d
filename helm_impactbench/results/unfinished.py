"""Whether a suite holds all that was planned in it: figures on a part of it look like those on all."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from helm_impactbench.errors import counted, listed
from helm_impactbench.process.open_runs import LOOKS, OPEN_RUNS_FILE, open_runs
from helm_impactbench.process.progress_file import PROGRESS_FILE, Snapshot, is_alive, read_snapshot
from helm_impactbench.results.files import STATE_FILE, is_whole


def unfinished(suite: Path) -> str:
    """Return in a sentence or two what is missing in a suite's folder, and how to go on; empty where nothing is.

    A suite without a state, such as an import or one of HELM's own runner, counts as whole.
    """
    state = read_snapshot(suite)
    if state is None:
        return _unknown(suite, PROGRESS_FILE) if (suite / PROGRESS_FILE).exists() else ""
    try:
        missing = _missing(state, suite)
    except (OSError, ValueError):
        return _unknown(suite, OPEN_RUNS_FILE)
    if not missing:
        return ""
    if is_alive(suite):  # what it lacks it does not say: a command that goes on does whole runs again, from the cache
        done = f"{state.runs_done - state.runs_failed:,} of {counted(state.runs, 'run')}"
        watch = f"impactbench watch --suite {shlex.quote(suite.name)}"
        return f"Not finished: {suite.name} is still running, with {done} done; {watch} shows how far it is."
    return (
        f"Not finished: {suite.name} lacks {listed(missing)}. To go on, repeat the command that planned them; what is "
        f"finished is kept. If they are not wanted, delete {PROGRESS_FILE} in the suite's folder."
    )


def lacking(suites: Iterable[Path]) -> list[str]:
    """Return what each of these suites lacks that is not finished, one said once."""
    return [*filter(None, map(unfinished, dict.fromkeys(suites)))]


def lacking_runs(suite: Path) -> int:
    """Return how many runs a suite lacks that were planned in it; 0 without a state that can be read."""
    state = read_snapshot(suite)
    if state is None:
        return 0
    try:
        return _own_lacking(state, suite) + len(_of_others(state, open_runs(suite)))
    except (OSError, ValueError):
        return 1


def _unknown(suite: Path, file: str) -> str:
    return (
        f"Not known to be finished: {suite / file}, which says how far {suite.name} came, cannot be read. "
        "Repeat the command that made it; what is finished is kept."
    )


def _missing(state: Snapshot, suite: Path) -> list[str]:
    """Return what a suite lacks, in words. Raises OSError and ValueError for a file that cannot be read."""
    own, begun = _own_lacking(state, suite), open_runs(suite)
    others = _of_others(state, [name for name in begun if name != LOOKS])
    missing = []
    if own:
        cases = f"{counted(state.missing, 'planned conversation')}, in " if state.missing else ""
        missing.append(f"{cases}{own:,} of {counted(state.runs, 'run')}")
    if others:
        missing.append(f"{counted(len(others), 'run')} that an earlier command began ({listed(others, 1)})")
    if LOOKS in begun:
        missing.append(f"the further looks of a command with {LOOKS}")
    return missing


def _of_others(state: Snapshot, begun: list[str]) -> list[str]:
    """Return the runs that the newest command did not plan, and an earlier one did not bring to their end."""
    return [name for name in begun if name not in state.pending]


def _own_lacking(state: Snapshot, suite: Path) -> int:
    """Return how many runs of its newest command a suite lacks."""
    here = sum(is_whole(file.parent) for file in suite.glob(f"*/{STATE_FILE}"))
    # A run that had been whole before the newest command is one of those done; runs of other commands are beside it.
    return max(0, state.runs - (state.runs_done - state.runs_failed), state.runs - here)

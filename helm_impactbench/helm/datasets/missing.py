"""Runs whose data are not here and cannot be downloaded: told in a line each, and together when all is done."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from types import TracebackType

from helm_impactbench.errors import counted, listed
from helm_impactbench.files.atomic_write import STORAGE_ERRORS
from helm_impactbench.helm.datasets.errors import MissingDataError
from helm_impactbench.helm.datasets.sources import SUITES

_READS_DATA = "get_instances"
"""The method of HELM's scenarios that reads, and before that downloads, their data."""
_PANEL = "panel_"
"""Before the name of a suite of HELM's, in run entries with our panels."""
_OURS = "impactbench"
"""The run spec whose data are files of ours."""
_WRAPPED = 10
_SUITES_OF_RUNS: dict[str, str] = {}
"""Run that lacks data -> its suite."""


def without_data(error: Exception, run: str) -> MissingDataError | None:
    """Return the error of a run whose data could not be had, and remember it; None for any other error."""
    chain = [*_chain(error)]
    suite = re.split("[:,]", run)[0].removeprefix(_PANEL)
    if suite == _OURS or not any(map(_could_not_load, chain)):
        return None
    if not any(_READS_DATA in _functions(each.__traceback__) for each in chain):
        return None
    _SUITES_OF_RUNS[run] = suite
    reason = " ".join(str(chain[-1]).split()) or type(chain[-1]).__name__
    return MissingDataError(f"the data of {suite} are not here, and cannot be downloaded: {reason}")


def _could_not_load(error: BaseException) -> bool:
    """Return whether something could not be read or downloaded, for another reason than our own disk."""
    if isinstance(error, OSError):
        return error.errno not in STORAGE_ERRORS
    return isinstance(error, subprocess.SubprocessError)


def told_together(failed: list[str]) -> MissingDataError | None:
    """Return one error for the runs of a helm-run that failed, None where no data were missing."""
    lacking = [run for run in failed if run in _SUITES_OF_RUNS]
    if not lacking:
        return None
    others = [run for run in failed if run not in _SUITES_OF_RUNS]
    suites = sorted({_SUITES_OF_RUNS[run] for run in lacking})
    known = [suite for suite in suites if suite in SUITES]
    entries = dict.fromkeys(run.partition(",")[0] for run in lacking)
    fetch = f" Fetch them where there is a network: impactbench fetch {' '.join(known)}." if known else ""
    more = f" Failed for another reason, which is above: {', '.join(others)}." if others else ""
    return MissingDataError(
        f"{counted(len(lacking), 'run has', 'runs have')} no result, as the data of {listed(suites)} are not here: "
        f"{', '.join(entries)}.{fetch} All other runs are finished, and the same command continues.{more}"
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that it comes from."""
    each: BaseException | None = error
    for _ in range(_WRAPPED):
        if each is None:
            return
        yield each
        each = each.__cause__ or each.__context__


def _functions(trace: TracebackType | None) -> set[str]:
    names = set()
    while trace is not None:
        names.add(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    return names

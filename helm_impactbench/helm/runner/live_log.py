"""Conversations of a run under way, for whoever wants to read them before the run is over: SUITE/live-NUMBER.jsonl.

    {"run": <HELM's name of the run>, "deployment": <target>, "state": <what results/record.record_of reads>}

A file goes when the folder of its run is whole, which has them all. A folder that takes no file is the run's own
concern.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from helm.benchmark.adaptation.request_state import RequestState

from helm_impactbench.files.line_log import LineLog
from helm_impactbench.process.progress_file import LIVE_FILES, live_file
from helm_impactbench.results.record import ANNOTATOR, CASE_KEY


class LiveLog:
    """All methods may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        """Begin anew in a suite's folder: what an interrupted run has left is asked for again from the cache."""
        self._folder = folder
        with suppress(OSError):
            for path in folder.glob(LIVE_FILES):
                path.unlink()

    def add(self, run: int, name: str, state: RequestState) -> None:
        """Append a finished conversation; nothing of a suite of HELM's own."""
        result, case = state.result, state.instance.extra_data
        if CASE_KEY not in (case or {}) or result is None or not result.completions:
            return
        own = (state.annotations or {}).get(ANNOTATOR)
        kept = {
            "instance": {"extra_data": case},
            "result": {"completions": [{"finish_reason": result.completions[0].finish_reason}]},
            "annotations": {ANNOTATOR: own} if own else None,
        }
        line = {"run": name, "deployment": state.request.model_deployment, "state": kept}
        with suppress(OSError, TypeError):
            LineLog(self._folder / live_file(run)).append(json.dumps(line).encode())

    def end(self, run: int, *, failed: bool) -> None:
        """Remove the conversations of a run that is whole; those of one that failed stay to be read."""
        if not failed:
            with suppress(OSError):
                (self._folder / live_file(run)).unlink(missing_ok=True)

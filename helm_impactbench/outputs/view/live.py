"""A run under way: how far it is, what failed, what it costs, a pause, and its conversations as they finish."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from threading import Lock
from typing import Any

from pydantic import ValidationError

from helm_impactbench._version import __version__
from helm_impactbench.errors import ResultsError
from helm_impactbench.files.line_log import LineLog
from helm_impactbench.outputs.report.citation import RunOrigin
from helm_impactbench.outputs.report.content import BenchmarkInfo, benchmark_infos
from helm_impactbench.outputs.report.names import CONVERSATION, case_name
from helm_impactbench.outputs.report.redaction import Redaction
from helm_impactbench.outputs.report.runs import Site, conversation_values, matched_in
from helm_impactbench.outputs.view.guard import policy
from helm_impactbench.outputs.view.pages import shown
from helm_impactbench.outputs.view.server import PageReply, Request
from helm_impactbench.process.control_file import read_control, write_control
from helm_impactbench.process.progress_file import LIVE_FILES, is_alive, read_snapshot, shown_time
from helm_impactbench.results.files import setup_of
from helm_impactbench.results.outcome import Outcome, outcome_of
from helm_impactbench.results.record import Record, record_of
from helm_impactbench.results.verdict_words import verdict
from helm_impactbench.suites.registry import title_of
from helm_impactbench.tables.names import shown_model

PAGE, PART, PAUSE = "live.html", "live/part.html", "live/pause"
CONVERSATION_UNDER_WAY = f"live/{CONVERSATION}"
MOST_SHOWN = 500
"""Conversations in the list, the newest first."""


@dataclass(frozen=True)
class LiveSite(Site):
    """What pages of a run under way know: the addresses of its conversations are others."""

    def conversation(self, outcome: Outcome) -> str:
        """Return the address of a conversation."""
        return f"live/{super().conversation(outcome)}"

    @property
    def has_compare(self) -> bool:
        """Whether two answers can be put side by side: not before they are read."""
        return False


@dataclass
class LiveRun:
    """The finished conversations of one run that is not whole yet."""

    log: LineLog
    name: str = ""
    user: str = ""
    """Not told before the run is whole."""
    records: list[Record] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)

    def look(self) -> None:
        """Take in what was finished since."""
        for line in self.log.new_lines():
            try:
                data: Any = json.loads(line)
                record = record_of(data["state"])
                self.name = str(data["run"])
                outcome = outcome_of(record, model=str(data["deployment"]), setup=setup_of(self.name))
            except (ValueError, LookupError, TypeError, ValidationError):
                continue  # cut off by a kill, or of another version
            self.records.append(record)
            self.outcomes.append(outcome)


class Live:
    """All methods may be called from any thread."""

    def __init__(self, folder: Path, *, with_private: bool, changed: Callable[[], None]) -> None:
        """`folder` is the suite's; `changed` is told now and then, when there may be finished runs to read."""
        self._folder, self._with_private, self._changed = folder, with_private, changed
        self._lock = Lock()
        self._runs: dict[Path, LiveRun] = {}
        self._infos: dict[str, BenchmarkInfo] = {}

    @property
    def routes(self) -> dict[str, Callable[[Request], PageReply | None]]:
        """Address -> what answers there."""
        return {PAGE: self._page, PART: self._part, PAUSE: self._pause, CONVERSATION_UNDER_WAY: self._conversation}

    def _conversation(self, request: Request) -> PageReply | None:
        """Return the page of a conversation of a run under way; None where there is none."""
        runs = self._look()
        site = self._site(runs)
        for run in runs:
            places = {site.conversation(outcome): place for place, outcome in enumerate(run.outcomes)}
            place = places.get(f"{CONVERSATION_UNDER_WAY}?of={request.one('of')}")
            if place is not None:
                origin = RunOrigin(datetime.now(tz=timezone.utc).date().isoformat(), __version__)
                values = conversation_values(
                    site, run, run.records[place], run.outcomes, place, matched_in(run.outcomes), origin
                )
                return PageReply(shown("conversation", CONVERSATION_UNDER_WAY, site=site, **values))
        return None

    def _page(self, request: Request) -> PageReply | None:
        return self._shown("live", PAGE) if request.method == "GET" else None

    def _part(self, request: Request) -> PageReply | None:
        return self._shown("live_part", PART) if request.method == "GET" else None

    def _shown(self, template: str, address: str) -> PageReply:
        self._changed()
        runs = self._look()
        site, snapshot = self._site(runs), read_snapshot(self._folder)
        newest = [
            (verdict(o), o.metric_name, case_name(o), site.models[o.model], site.conversation(o))
            for run in runs
            for o in reversed(run.outcomes)
        ]
        left = snapshot.seconds_left if snapshot else None
        page = shown(
            template,
            address,
            site=site,
            run=snapshot,
            alive=is_alive(self._folder),
            count=len(newest),
            conversations=newest[:MOST_SHOWN],
            left=shown_time(left) if left else "",
            asked=read_control(self._folder).paused,
        )
        return PageReply(page, policy=policy(asks=True))

    def _pause(self, request: Request) -> PageReply | None:
        if request.method != "POST":
            return None
        if request.body not in (b"true", b"false"):
            raise ResultsError("true pauses the run, false continues it.")
        if not is_alive(self._folder):
            raise ResultsError("No run of this suite is under way.")
        write_control(self._folder, replace(read_control(self._folder), paused=request.body == b"true"))
        return PageReply("", status=204)

    def _look(self) -> list[LiveRun]:
        """Return the runs that are not whole yet, with all that they have finished."""
        with self._lock:
            paths = sorted(self._folder.glob(LIVE_FILES))
            self._runs = {path: self._runs.get(path) or LiveRun(LineLog(path)) for path in paths}
            for run in self._runs.values():
                run.look()
            return [run for run in self._runs.values() if run.outcomes]

    def _site(self, runs: list[LiveRun]) -> LiveSite:
        for slug in {o.benchmark for o in _outcomes(runs)} - {*self._infos}:
            self._infos |= benchmark_infos({slug: (title_of(slug).name, "")})
        secret = {run.outcomes[0].benchmark for run in runs if "split=private" in run.name and not self._with_private}
        return LiveSite(
            suite=self._folder.name,
            folder=Path(),
            models={o.model: shown_model(o.model) for o in _outcomes(runs)},
            benchmarks=self._infos,
            shared_slugs=frozenset(self._infos),
            redaction=Redaction(frozenset(secret)),
        )


def _outcomes(runs: list[LiveRun]) -> Iterator[Outcome]:
    return (outcome for run in runs for outcome in run.outcomes)

"""A finished suite as its server shows it: read once, in the background; each page made when it is asked for."""

from __future__ import annotations

import mimetypes
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from helm_impactbench.analysis.item_analysis import REHEARSAL_ANCHORS
from helm_impactbench.conversation.record import Status
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.outputs.report import names, people
from helm_impactbench.outputs.report.build import Reported, copy_assets, reported_runs, write_data
from helm_impactbench.outputs.report.citation import origin_of
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.report.run_script import has_words, run_script
from helm_impactbench.outputs.report.run_text import archive
from helm_impactbench.outputs.report.runs import (
    RunPart,
    Site,
    conversation_values,
    matched_in,
    text_of_run,
    write_run,
)
from helm_impactbench.outputs.report.upper import Page, page_sets, pages_of
from helm_impactbench.outputs.view.front_page import keep_front, kept_front, origin
from helm_impactbench.outputs.view.guard import policy
from helm_impactbench.outputs.view.pages import shown
from helm_impactbench.outputs.view.server import PageReply
from helm_impactbench.process.collector import collector_off
from helm_impactbench.process.workers import Workers
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.record import Record
from helm_impactbench.results.run_summary import FILE as SUMMARY
from helm_impactbench.results.run_summary import RunSummary, run_summary
from helm_impactbench.suites.registry import SuiteRun
from helm_impactbench.tables.names import shown_model

FRONT = "index.html"
FIRST = "first"
"""In place of a conversation's name: the first of its run."""
_KEPT_RUNS, _KEPT_SETS = 4, 3
"""Runs whose conversations, and sets whose pages, are kept at hand for the next page of the same."""

T = TypeVar("T")


class Newest(Generic[T]):
    """The few things that were asked for last; one is made at a time."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._found: OrderedDict[object, T] = OrderedDict()

    def of(self, key: object, make: Callable[[], T]) -> T:
        """Return what is there of `key`, or what `make` returns."""
        with self._lock:
            if key not in self._found:
                self._found[key] = make()
                while len(self._found) > self._most:
                    self._found.popitem(last=False)
            self._found.move_to_end(key)
            return self._found[key]


@dataclass
class _Set:
    """Pages of one set, as far as anybody has asked for them."""

    rest: Iterator[Page]
    made: dict[str, Page]

    def page(self, address: str) -> Page | None:
        """Return the page at an address; None where the set has none."""
        while address not in self.made:
            page = next(self.rest, None)
            if page is None:
                return None
            self.made[page.address] = page
        return self.made[address]


class Opened:
    """All methods may be called from any thread."""

    def __init__(
        self, folder: Path, *, redact: Sequence[str] = (), with_private: bool = False, releases: Sequence[str] = ()
    ) -> None:
        """`folder` is that of a suite's runs; the options are those of build_report."""
        self.folder = folder
        self._options = {"redact": redact, "with_private": with_private, "releases": releases}
        self._work = tempfile.TemporaryDirectory(prefix="impactbench-view-", ignore_cleanup_errors=True)
        self._lock = threading.RLock()
        """Held by whoever computes figures: what they share is computed once."""
        self._records: Newest[tuple[list[Record], list[Outcome]]] = Newest(_KEPT_RUNS)
        self._sets: Newest[_Set] = Newest(_KEPT_SETS)
        self._done, self._doing = 0, ""
        self._origin = ""
        """Of the front page: what the suite was before it was read."""
        self._workers: Workers[RunFolder, RunSummary] | None = None
        self.reported: Reported | None = None
        self.results: Results | None = None
        self.problem = ""
        """Why nothing can be read; empty where it can."""
        copy_assets(Path(self._work.name))
        self._assets = {path.name: path for path in Path(self._work.name).iterdir()}

    def read(self) -> None:
        """Read the suite; to be called once, from a thread of its own."""
        try:
            with suppress(CancelledError):
                self._read()
        except ImpactBenchError as error:
            self.problem = str(error)
        except Exception:
            self.problem = "The suite could not be read; the terminal says why."
            raise

    def _read(self) -> None:
        self._origin = origin(self.folder, self._options)
        with collector_off():
            reported = reported_runs(self.folder, shown_model=shown_model, **self._options)  # type: ignore[arg-type] # as build_report takes them
        site = replace(reported.site, folder=Path(self._work.name) / "data")
        site.folder.mkdir()
        reported = replace(reported, site=site)
        self.reported = reported
        self._read_first([one.run for one in reported.own if not (one.run.path / SUMMARY).is_file()])
        parts = []
        for place, one in enumerate(reported.own, start=1):
            parts.append(_part(site, one))
            self._done = max(self._done, place)
        results = reported.results(site, parts, REHEARSAL_ANCHORS)
        self._doing = "All runs are read; tests and intervals are being computed."
        with self._lock:
            results.compute_shared()
        self.results = results
        self.page(FRONT)

    def _read_first(self, runs: Sequence[RunFolder]) -> None:
        """Read runs of which nothing is kept, in other processes, so that this one goes on answering."""
        self._workers = Workers(run_summary, len(runs))
        for _ in self._workers.each(runs):
            self._done += 1
        self._workers.close()

    def close(self) -> None:
        """Read no more, and leave nothing behind."""
        if self._workers:
            self._workers.close()
        self._work.cleanup()

    @property
    def site(self) -> Site | None:
        """What every page knows; None before it is read."""
        return self.reported.site if self.reported else None

    def page(self, address: str) -> PageReply | None:
        """Return what is at an address; None where nothing is."""
        if address in self._assets:
            return _file(self._assets[address])
        if self.results is None:
            return self._before(address)
        if address in self._data:
            return _file(self._data[address])
        if run := self._runs.get(address):
            script = run_script(address, self._read_run(run)[0], self.results.site.redaction)
            return PageReply(script, "text/javascript; charset=utf-8")
        if own := self._archives.get(address):
            return PageReply(archive(dict(map(self._text, own))), "application/zip")
        return self._upper(self.results, address)

    def _before(self, address: str) -> PageReply | None:
        """Return what is shown until the figures are there."""
        if not address.endswith(".html"):
            return None
        if address == FRONT and not self.problem and (kept := kept_front(self.folder, self._options)):
            return PageReply(kept)
        own = self.reported.own if self.reported else []
        runs = [(f"{one.benchmark}, {one.run.model}", self._run_of(one.run) + FIRST) for one in own]
        text = shown(
            "reading",
            address,
            suite=self.folder.name,
            problem=self.problem,
            doing=self._doing,
            done=self._done,
            total=len(own),
            runs=runs,
        )
        return PageReply(text, status=500 if self.problem else 200)

    def _upper(self, results: Results, address: str) -> PageReply | None:
        with self._lock:
            if address == "simulated-people.html" and self.reported and self.reported.audited:
                values = people.people_values(self.reported.audited, [part.name for part in results.parts])
                return PageReply(shown("simulated-people", address, site=results.site, **values))
            page = self._find(results, address)
            if page is None:
                return None
            text = shown(page.template, address, site=results.site, **page.values)
        if address == FRONT:
            keep_front(self.folder, self._origin, text)
        return PageReply(text)

    def _find(self, results: Results, address: str) -> Page | None:
        """Return the page at an address; a set that is named in it is looked through first."""
        for found in sorted(page_sets(results), key=lambda one: _place(address, one.name)):
            if page := self._sets.of(found, lambda one=found: _Set(pages_of(results, one), {})).page(address):  # type: ignore[misc] # mypy knows no default of a lambda
                return page
        return None

    def conversation(self, of: str) -> PageReply | None:
        """Return the page of a conversation, from the files of its run alone; None where there is none.

        of: what its address names; FIRST at its end is the first of its run.
        """
        address = f"{names.CONVERSATION}?of={of}"
        run = self._by_address.get(f"{address.rpartition('/')[0]}/") if self.site else None
        if run is None or self.site is None:
            return None
        records, outcomes = self._read_run(run)
        places = {self.site.conversation(outcome): place for place, outcome in enumerate(outcomes)}
        place = 0 if of.endswith(f"/{FIRST}") and outcomes else places.get(address)
        if place is None:
            return None
        values = conversation_values(
            self.site, run, records[place], outcomes, place, matched_in(outcomes), origin_of(run)
        )
        return PageReply(shown("conversation", names.CONVERSATION, site=self.site, **values))

    def _read_run(self, run: RunFolder) -> tuple[list[Record], list[Outcome]]:
        return self._records.of(run.path, run.read)

    def _run_of(self, run: RunFolder) -> str:
        """Return what the addresses of a run's conversations have in common, from its name: nothing is read for it."""
        return self.site.run(run) if self.site else ""

    @cached_property
    def _by_address(self) -> dict[str, RunFolder]:
        return {self._run_of(one.run): one.run for one in (self.reported.own if self.reported else ())}

    @cached_property
    def _data(self) -> dict[str, Path]:
        """What scripts read and the charts as files, by address."""
        assert self.results is not None
        with self._lock:
            write_data(self.results)
        folder = self.results.site.folder
        return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}

    @cached_property
    def _runs(self) -> dict[str, RunFolder]:
        """Address of the script with its conversations -> run."""
        site, own = self.site, self.reported.own if self.reported else []
        return {site.words(one.run): one.run for one in own if site}

    @cached_property
    def _archives(self) -> dict[str, list[tuple[str, RunFolder]]]:
        """Address of the conversations on a benchmark as text -> name in the archive and run."""
        found: dict[str, list[tuple[str, RunFolder]]] = {}
        for address, run in self._runs.items():
            place = names.text_address(run.benchmark)
            name = address.removeprefix(place.removesuffix(".zip") + "/").removesuffix(".js")
            found.setdefault(place, []).append((f"{name}.txt", run))
        return found

    def _text(self, named: tuple[str, RunFolder]) -> tuple[str, str]:
        name, run = named
        assert self.site is not None
        return name, text_of_run(self.site, *run.read())


def _part(site: Site, one: SuiteRun) -> RunPart:
    """Return what upper pages need of a run, from what is kept of it."""
    part = write_run(replace(site, has_conversations=False), one.run)
    outcomes = tuple(one.outcomes())
    is_silent = all(site.redaction.hides(one.benchmark, metric) for metric in part.metrics) or (
        # Of imported verdicts there may be the judges' reasons; no other run is read for this.
        all(outcome.conversation_status == Status.NO_TEXT for outcome in outcomes)
        and not has_words(one.run.read()[0], site.redaction)
    )
    # The words are made when a search asks for them, so that their size is not known: all runs weigh the same.
    return replace(part, outcomes=outcomes, search_bytes=0 if is_silent else 1)


def _place(address: str, name: str) -> int:
    """Return what puts the set first that an address names: a benchmark or model, then the suite, then all others."""
    parts = {part.removesuffix(".html") for part in address.split("/")}
    return 0 if name and names.file_name(name) in parts else 2 if name else 1


def _file(path: Path) -> PageReply:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    whole = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    return PageReply(path.read_bytes(), whole, policy=policy(styles_itself=path.suffix == ".svg"))

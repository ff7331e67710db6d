"""Runs of ours made ready for the tables, several at once: their pages written, their outcomes and purchases kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import MISSING, fields
from pathlib import Path
from typing import NamedTuple

from helm_impactbench.analysis.costs.kept_purchases import keep_purchases
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.helm.run_pages import PAGES, RequestForm, first_state, write_pages
from helm_impactbench.process.collector import collector_off
from helm_impactbench.process.workers import Workers
from helm_impactbench.results.files import RunFolder
from helm_impactbench.suites.registry import suite_run


class WantedRun(NamedTuple):
    """A run that is to be made ready."""

    path: Path
    metrics: frozenset[str]
    """Names of the statistics on its pages."""
    has_pages: bool
    """Whether its pages are there already, and stay."""


class PreparedStep(NamedTuple):
    """A part of making a run ready: keep its outcomes and purchases, or with a form write its pages."""

    path: Path
    form: RequestForm | None = None
    metrics: frozenset[str] = frozenset()


class Preparation:
    """The making ready of runs: what tables need first, and the pages while this process makes the tables."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._workers = Workers(_done, len(folders))
        self._kept = self._workers.each([PreparedStep(folder) for folder in folders])
        self._runs: list[WantedRun] = []
        self._written: Iterator[bool] = iter(())

    def write_pages(self, runs: Sequence[WantedRun]) -> None:
        """Begin with the pages; return when everything is kept that the tables need."""
        list(self._kept)
        self._runs = [run for run in runs if not run.has_pages]
        form = _form(run.path for run in self._runs)
        steps = [PreparedStep(run.path, form, run.metrics) for run in self._runs]
        self._written = self._workers.each(steps) if form else iter([False] * len(steps))

    def without_pages(self) -> list[Path]:
        """Return the runs whose pages HELM has to write, when all others have theirs."""
        return [run.path for run, is_written in zip(self._runs, self._written, strict=True) if not is_written]

    def close(self) -> None:
        """End the processes."""
        self._workers.close()


_BEGUN: list[Preparation] = []


@contextmanager
def begun(folders: Sequence[Path]) -> Iterator[None]:
    """Make runs ready while HELM is imported; the summarizer, which HELM makes by its name, takes it over."""
    preparation = Preparation(folders)
    _BEGUN.append(preparation)
    try:
        yield
    finally:
        _BEGUN.remove(preparation)
        preparation.close()


def preparation_of(folders: Sequence[Path]) -> Preparation:
    """Return what has begun, or else begin."""
    return _BEGUN[-1] if _BEGUN else Preparation(folders)


def has_pages(folder: Path) -> bool:
    """Return whether the files of a run's pages are there."""
    return all((folder / name).exists() for name in PAGES)


def _done(step: PreparedStep) -> bool:
    """Do a step, and return whether the run's pages were written."""
    with collector_off():
        if step.form:
            return write_pages(step.path, step.metrics, step.form)
        with suppress(ImpactBenchError):  # the tables read the run again, and say so
            folder = RunFolder(step.path)
            found = suite_run(folder)
            if found is not None and not found.suite.no_conversations:
                keep_purchases(folder, lambda: folder.read()[0])
        return False


def _form(folders: Iterable[Path]) -> RequestForm | None:
    """Return how this version of HELM writes a request; None unless it writes the rest of a run as it read it."""
    from helm.benchmark.scenarios.scenario import Instance
    from helm.common.codec import _converter
    from helm.common.request import Request

    first = next(iter(folders), None)
    if first is None:
        return None
    given = {
        field.name: field.default_factory() if callable(field.default_factory) else field.default
        for field in fields(Request)
    }
    defaults = {name: value for name, value in given.items() if value is not MISSING and value is not None}
    form = RequestForm(tuple(given), defaults)
    try:
        state = first_state(first)
        instance, request = (
            _converter.unstructure(_converter.structure(deepcopy(state[name]), kind))
            for name, kind in (("instance", Instance), ("request", Request))
        )
    except Exception:  # a damaged run, of which HELM's own reading tells more
        return None
    return form if (instance, request) == (state["instance"], form.whole(state["request"])) else None

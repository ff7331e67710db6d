"""Runs of ours made ready for the tables, several at once: their pages written, their outcomes and purchases kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import MISSING, fields
from functools import partial
from pathlib import Path
from typing import NamedTuple

from helm_impactbench.analysis.costs.kept_purchases import keep_purchases
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.helm.run_pages import PAGES, RequestForm, first_state, write_pages
from helm_impactbench.process.workers import Workers
from helm_impactbench.results.files import RunFolder
from helm_impactbench.suites.registry import suite_run, without_garbage_collection


class Wanted(NamedTuple):
    """A run that is to be made ready."""

    path: Path
    metrics: frozenset[str]
    """Names of the statistics on its pages."""
    has_pages: bool
    """Whether its pages are there already, and stay."""


class Step(NamedTuple):
    """A part of making a run ready."""

    run: Wanted
    of_pages: bool
    """Whether its pages are written; otherwise its outcomes and purchases are kept."""


class Preparation:
    """The making ready of runs: what tables need first, and the pages while this process makes the tables."""

    def __init__(self, runs: Sequence[Wanted]) -> None:
        """Return when everything that the tables need is kept."""
        self._runs = [run for run in runs if not run.has_pages]
        form = _form(run.path for run in self._runs)
        self._workers = Workers(partial(_done, form), len(runs))
        try:
            list(self._workers.each([Step(run, of_pages=False) for run in runs]))
            self._written = self._workers.each([Step(run, of_pages=True) for run in self._runs])
        except BaseException:
            self.close()
            raise

    def without_pages(self) -> list[Path]:
        """Return the runs whose pages HELM has to write, when all others have theirs."""
        return [run.path for run, is_written in zip(self._runs, self._written, strict=True) if not is_written]

    def close(self) -> None:
        """End the processes."""
        self._workers.close()


def has_pages(folder: Path) -> bool:
    """Return whether the files of a run's pages are there."""
    return all((folder / name).exists() for name in PAGES)


def _done(form: RequestForm | None, step: Step) -> bool:
    """Do a step, and return whether the run's pages are there."""
    with without_garbage_collection():
        if step.of_pages:
            return form is not None and write_pages(step.run.path, step.run.metrics, form)
        with suppress(ImpactBenchError):  # the tables read the run again, and say so
            folder = RunFolder(step.run.path)
            found = suite_run(folder)
            if found is not None and not found.suite.no_conversations:
                keep_purchases(folder, lambda: folder.read()[0])
        return step.run.has_pages


def _form(folders: Iterable[Path]) -> RequestForm | None:
    """Return how this version of HELM writes a request; None unless it writes the rest of a run as it read it."""
    from helm.benchmark.scenarios.scenario import Instance
    from helm.common.codec import _converter
    from helm.common.request import Request

    first = next(iter(folders), None)
    if first is None:
        return None
    given = {field.name: field.default_factory() if callable(field.default_factory) else field.default
             for field in fields(Request)}  # fmt: skip
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

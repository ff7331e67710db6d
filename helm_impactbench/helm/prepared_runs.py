"""Runs of ours made ready for the tables, several at once: their pages written, their outcomes and purchases kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import MISSING, fields
from functools import partial
from pathlib import Path
from typing import NamedTuple

from helm_impactbench.analysis.costs.kept_purchases import kept_purchases
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.helm.run_pages import PAGES, RequestForm, first_state, write_pages
from helm_impactbench.process.workers import in_workers
from helm_impactbench.results.files import RunFolder
from helm_impactbench.suites.registry import suite_run, without_garbage_collection


class Wanted(NamedTuple):
    """A run that is to be made ready."""

    path: Path
    metrics: frozenset[str]
    """Names of the statistics on its pages."""
    has_pages: bool
    """Whether its pages are there already, and stay."""


def prepare(runs: Sequence[Wanted]) -> list[Path]:
    """Make runs ready, and return those whose pages HELM has to write."""
    form = _form(run.path for run in runs if not run.has_pages)
    done = in_workers(partial(_prepared, form), runs)
    return [run.path for run, is_written in zip(runs, done, strict=True) if not is_written]


def has_pages(folder: Path) -> bool:
    """Return whether the files of a run's pages are there."""
    return all((folder / name).exists() for name in PAGES)


def _prepared(form: RequestForm | None, run: Wanted) -> bool:
    """Make a run ready, and return whether its pages are there."""
    with without_garbage_collection():
        with suppress(ImpactBenchError):  # the tables read the run again, and say so
            folder = RunFolder(run.path)
            found = suite_run(folder)
            if found is not None and not found.suite.no_conversations:
                kept_purchases(folder, lambda: folder.read()[0])
        return run.has_pages or (form is not None and write_pages(run.path, run.metrics, form))


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

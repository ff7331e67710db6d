"""What HELM's summarizer looks for in the statistics of runs, cell by cell, found in a fraction of the time.

HELM goes through all statistics of a run for each cell, and lists those of the same name where none matches.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from helm.benchmark.metrics.statistic import Stat
from helm.benchmark.presentation.schema import MetricNameMatcher
from helm.benchmark.presentation.summarize import Run

_HAS_SUBSTITUTE = "quasi_exact_match"
"""A statistic in place of which HELM takes another where a run has none."""


class CellStats:
    """The statistics of runs, by name."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, list[Stat]]] = {}
        """Path of a run -> name -> statistics."""

    def narrowed(self, run: Run, matcher: MetricNameMatcher) -> Run:
        """Return a run with no statistics but those that match."""
        if matcher.name == _HAS_SUBSTITUTE:
            return run
        if run.run_path not in self._known:
            by_name = self._known[run.run_path] = {}
            for stat in run.stats:
                by_name.setdefault(stat.name.name, []).append(stat)
        named = self._known[run.run_path].get(matcher.name, ())
        return replace(run, stats=[stat for stat in named if matcher.matches(stat.name)])


@contextmanager
def helm_is_silent() -> Iterator[None]:
    """Drop HELM's messages for a while."""
    logger = logging.getLogger("helm")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before

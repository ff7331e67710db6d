"""Figures of a part of a suite: the selection that every command has, chosen in the browser."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from helm_impactbench.analysis.commands.rates import rates
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.view.pages import shown, shown_tables
from helm_impactbench.outputs.view.server import PageReply, Request
from helm_impactbench.suites.reading import Selection, read

ADDRESS = "filter.html"
NAMES = ("benchmark", "model", "metric", "where")
"""As the options of the commands are called."""


@dataclass(frozen=True)
class Filtered:
    """The page with the pass rates of a selection."""

    folder: Path
    results: Callable[[], Results | None]
    """None until the suite is read."""

    @property
    def routes(self) -> dict[str, Callable[[Request], PageReply | None]]:
        """Address -> what answers there."""
        return {ADDRESS: self.page}

    def page(self, request: Request) -> PageReply | None:
        """Return the page. Raises ImpactBenchError for a name that the suite does not have."""
        results = self.results()
        if results is None or request.method != "GET":
            return None
        chosen = {name: tuple(filter(None, request.query.get(name, ()))) for name in NAMES}
        benchmarks, models, metrics, where = chosen.values()
        reading = read(self.folder, Selection(benchmarks=benchmarks, models=models, metrics=metrics, where=where))
        result = rates(reading, "benchmark")
        options = [word for name, values in chosen.items() for value in values for word in (f"--{name}", value)]
        command = shlex.join(["impactbench", "rates", "--suite", self.folder.name, *options])
        return PageReply(
            shown(
                "filter",
                ADDRESS,
                site=results.site,
                choices=_choices(results),
                chosen=chosen,
                any_chosen=any(chosen.values()),
                count=len(reading.outcomes),
                command=command,
                tables=shown_tables(result),
                notes=(*reading.notes, *result.notes),
            )
        )


def _choices(results: Results) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return option, its label, and (value, text) of each choice."""
    levels = sorted({f"{axis}={level}" for outcome in results.outcomes for axis, level in outcome.axes})
    metrics = [(f"{slug}/{one.id}", one.name) for slug, own in results.metrics.items() for one in own.values()]
    found = [
        ("benchmark", "Benchmarks", [(slug, info.name) for slug, info in results.site.benchmarks.items()]),
        ("model", "Models", [*results.site.models.items()]),
        ("metric", "Metrics", metrics),
        ("where", "People and other axes", [(level, level) for level in levels]),
    ]
    return [(name, label, options) for name, label, options in found if options]

"""The commands `impactbench audit swap` and `impactbench drift`: is it the model or the instrument?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.reading import show
from helm_impactbench.errors import ImpactBenchError

if TYPE_CHECKING:
    from helm_impactbench.api import Suite


@click.command("swap")
@options.suite(several=True)
@options.output_path
@options.benchmark
@options.release()
@options.baseline_model
@options.out()
@options.wide
def swap(
    suites: tuple[str, ...],
    output_path: str,
    benchmarks: tuple[str, ...],
    releases: tuple[str, ...],
    baseline_model: str | None,
    out: Path | None,
    wide: bool,
) -> None:
    """Compare suites that differ in judge, user or scenarios. The command also compares releases of a product.

    \b
      impactbench audit swap --suite impact --suite second-judge
      impactbench audit swap --suite impact --release v1 --release v2

    The command shows how stable the order of models is, as a rank correlation. On contrast metrics, models are ordered
    by how far their gap is from 0. The command also shows which verdicts change on cases that both suites have, and
    which metrics moved (Benjamini-Hochberg, 5%). Contrast metrics are compared by their gap. Whether a judge favours
    its own maker's models can be tested only with judges of two families. `impactbench rejudge` makes a suite with
    another judge, for the price of that judge's calls. `impactbench drift` shows which part (judge, user or model) has
    changed under an unchanged name.
    """
    first, others = _opened(suites, output_path, benchmarks, releases)
    show(first.swap(*others, baseline_model=baseline_model), out, wide=wide)


@click.command("drift")
@options.suite(several=True)
@options.output_path
@options.benchmark
@options.release()
@options.out()
@options.wide
def drift(
    suites: tuple[str, ...],
    output_path: str,
    benchmarks: tuple[str, ...],
    releases: tuple[str, ...],
    out: Path | None,
    wide: bool,
) -> None:
    """See what changed between suites: judge, user or model.

    \b
      impactbench drift --suite june --suite november
      impactbench drift --suite impact --release v1 --release v2

    A change in a judge shows in the anchor set, which the judge reads again for every suite. A change in a simulated
    user shows in its opening messages. A change in a target shows in its first replies. Judge, user and target are each
    tested on what the other two cannot affect.
    """
    first, others = _opened(suites, output_path, benchmarks, releases)
    show(first.drift(*others), out, wide=wide)


def _opened(
    suites: tuple[str, ...], output_path: str, benchmarks: tuple[str, ...], releases: tuple[str, ...] = ()
) -> tuple[Suite, list[Suite]]:
    from helm_impactbench.api import load_suites

    if len(suites) < 2 and len(set(releases)) < 2:
        raise ImpactBenchError(
            "This command compares suites, so it needs two or more, for example --suite a --suite b."
        )
    first, *others = load_suites(suites, output_path, benchmarks=benchmarks, releases=releases)
    return first, others

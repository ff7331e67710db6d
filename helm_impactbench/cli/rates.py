"""The command `impactbench rates`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("rates")
@reads_suite(population=True)
@options.by("benchmark", "overall", "metric", "framework", "difficulty", "axis:NAME", "factor:NAME", "option:NAME")
@click.option(
    "--weigh",
    type=Choice(["severity"]),
    help="Weight each behaviour that a model should avoid, in proportion to its severity.",
)
@options.reference
@click.option(
    "--frameworks",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --by framework: your own file of laws and frameworks, instead of the shipped one.",
)
def rates(
    suite: Suite, by: str, weigh: Literal["severity"] | None, reference: str | None, frameworks: Path | None
) -> Result:
    """Show pass rates of models on benchmarks, with intervals.

    \b
      impactbench rates --suite impact
      impactbench rates --suite impact --by metric --out rates.csv

    The mean score is the mean of the benchmarks' pass rates. --wide adds a table with a row per model and benchmark. It
    has counts, intervals, reasons for missing verdicts, and the bounds that these allow. Contrast metrics have no pass
    rate: see `impactbench contrasts`.

    --by framework shows the benchmarks that bear on parts of laws and frameworks. The parts are listed in
    benchmarks/frameworks.yaml, or in the file of --frameworks. --by difficulty splits base scenarios into an easy and a
    hard half, by how often other models fail them. --by option:X compares runs that differ in an option, such as the
    arm or the judge. For a model run on part of the scenarios (part=0.3), --reference estimates pass rates on all
    cases.
    """
    return suite.rates(by, weigh=weigh, reference=reference, frameworks=frameworks)

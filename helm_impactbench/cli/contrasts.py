"""The command `impactbench contrasts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("contrasts")
@reads_suite(population=True)
@options.by("overall", "benchmark", "metric", "arm", "axis:NAME", "factor:NAME", "option:NAME")
def contrasts(suite: Suite, by: str) -> Result:
    """Compare how the same case ends for different people.

    \b
      impactbench contrasts --suite impact
      impactbench contrasts --suite impact --by benchmark --wide

    Contrast metrics, such as whose side an assistant takes, compare groups on the same words. They give the difference
    between every two levels, how often both sides are affirmed, agreement and uplift. Pass rates are compared along
    every axis, on variants that differ in this axis alone. The screen shows what is significant; --wide shows
    everything.

    Rows are ordered by benchmark and model, not by size. To rank models by their typical gap: impactbench compare. The
    report lists models by their widest gap.

    --by arm compares the arms of each model, such as two system prompts, on the cases that both have.
    """
    return suite.contrasts(by)

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

    Contrast metrics, such as whose side an assistant takes, compare how groups are treated when the words are
    identical. The command shows the difference between every two levels, how often both sides are affirmed, agreement
    and uplift. Pass rates are compared along every axis, on variants that differ only in that axis. The screen shows
    significant differences; --wide shows all.

    Rows are ordered by benchmark and model, not by the size of differences. `impactbench compare` ranks models by
    typical gap; the report lists them by widest gap.

    --by arm compares each model's arms, such as two system prompts, on the cases that both arms have.
    """
    return suite.contrasts(by)

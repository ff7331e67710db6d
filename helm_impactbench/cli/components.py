"""The command `impactbench components`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("components")
@reads_suite()
@click.option(
    "--also",
    multiple=True,
    metavar="SUITE",
    shell_complete=completion.suites,
    help="Another suite on the same cases, rejudged from this one or with another simulated user; repeatable.",
)
@options.usd_each
def components(suite: Suite, also: tuple[str, ...], usd_each: float | None) -> Result:
    """Show where uncertainty comes from, and how to lower it.

    \b
      impactbench components --suite impact
      impactbench components --suite impact --also impact-other-judge

    The command splits the variance of a model's single scores into its sources, as far as the suite allows. Sources are
    metric, base scenario, variant, sample, simulated user and judge. The command also shows how twice as many of each
    would change a mean's standard error, and the cost. --wide says why a source's share is unknown.
    """
    return suite.components(also=also, usd_each=usd_each)

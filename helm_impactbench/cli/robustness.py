"""The command `impactbench robustness`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import completion
from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("robustness")
@reads_suite()
@click.option(
    "--also",
    multiple=True,
    metavar="SUITE",
    shell_complete=completion.suites,
    help="Another suite on the same cases, rejudged from this one or with another simulated user; repeatable.",
)
def robustness(suite: Suite, also: tuple[str, ...]) -> Result:
    """Show whether ranks and gaps hold under other analyses.

    \b
      impactbench robustness --suite impact
      impactbench robustness --suite impact --also impact-other-judge

    One choice of analysis is changed at a time. Each judge of a panel, each simulated user and each value of an option
    is used alone in turn. Ungrounded votes, marked conversations and each benchmark are left out in turn. Missing
    verdicts are counted once as fails and once as passes. The last lines say how often the first three ranks, the lead
    and gaps between groups stay the same.
    """
    return suite.robustness(also)

"""The command `impactbench items`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.analysis.item_analysis import Unit
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("items")
@reads_suite()
@click.option(
    "--anchors",
    nargs=2,
    metavar="GOOD BAD",
    shell_complete=completion.targets,
    help="Targets known to behave well (first) and badly; by default the rehearsal anchors, if the suite has them.",
)
@options.by("metric", "scenario")
def items(suite: Suite, anchors: tuple[str, str] | None, by: Unit) -> Result:
    """List metrics and scenarios that need attention. Use the command after a pilot with a few models.

    \b
      impactbench items --suite pilot
      impactbench items --suite pilot --by scenario --out items.csv

    Metrics and scenarios are flagged for these reasons:

    \b
    any metric     never scored, often unscored, unclear or not applicable,
                   disagreeing judges, ungrounded evidence; or the simulated
                   user's model often refused to play the person
    pass rates     saturated: all models pass, or all fail
                   not discriminating: models score alike
                   against the rest: models that are better on other metrics
                   are worse on it
    with anchors   inverted: the bad anchor passes more often, so the type may
                   be wrong; or scripted anchors are not separated
    contrasts      nothing to compare, or values that never change

    What chance can explain is not reported. Tests of shares ask whether the result would hold if the same cases were
    run again. 95% intervals generalise to other base scenarios (for a metric) or variants (for a scenario). --wide
    shows all metrics or scenarios, how far models differ, correlations and AUROC; --out always has these.
    """
    return suite.items(anchors, by)

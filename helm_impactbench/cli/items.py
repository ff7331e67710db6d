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
    help="Two targets known to behave well and badly; by default the rehearsal ones, if the suite has them.",
)
@options.by("metric", "scenario")
def items(suite: Suite, anchors: tuple[str, str] | None, by: Unit) -> Result:
    """List metrics and scenarios that need attention. Use it after a pilot with a few models.

    \b
      impactbench items --suite pilot
      impactbench items --suite pilot --by scenario --out items.csv

    Findings for all metrics: never or often unscored, often not applicable, judges disagree, ungrounded evidence.
    Metrics with pass rates may be saturated (all models pass or fail) or not discriminating (models score alike). They
    may run against the rest of the benchmark. With anchors they may be inverted: the bad anchor passes more often, so
    the type is wrong. They may also fail to separate scripted anchors. For contrast metrics: nothing to compare, or
    values that never change.

    What chance can explain is not flagged. The tests of shares ask whether the result would hold if the same cases were
    asked again. 95% intervals are for other base scenarios (of a metric) or variants (of a scenario) like these. --wide
    shows all metrics or scenarios, with how far models differ, correlations and AUROC; --out always has these.
    """
    return suite.items(anchors, by)

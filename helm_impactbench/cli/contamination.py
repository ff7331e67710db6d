"""The command `impactbench contamination`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("contamination")
@reads_suite()
def contamination(suite: Suite) -> Result:
    """Compare results on published and private scenarios. Has a model been trained on the published scenarios?

    \b
      impactbench contamination --suite impact

    The suite needs runs of the published scenarios and runs with split=private. `impactbench gen-scenarios --private`
    writes private forms of scenarios.
    """
    return suite.contamination()

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
    """Compare published scenarios with private ones: has a model been trained on the published ones?

    \b
      impactbench contamination --suite impact

    The suite needs runs with split=private, of private forms of the scenarios (impactbench gen-scenarios --private),
    beside runs of the published ones.
    """
    return suite.contamination()

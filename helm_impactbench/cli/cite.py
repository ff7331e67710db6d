"""The command `impactbench cite`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("cite")
@reads_suite()
def cite(suite: Suite) -> Result:
    """Write a Methods paragraph and its references.

    \b
      impactbench cite --suite impact
      impactbench cite --suite impact --out methods.md

    Every statement comes from the suite's records: models, dates, prompts, the judge and its check, intervals,
    exclusions. Whatever the records do not contain is marked "for you to say".
    """
    return suite.cite()

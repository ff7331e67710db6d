"""The command `impactbench combined`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("combined")
@reads_suite(population=True)
def combined(suite: Suite) -> Result:
    """Show impact beside safety and capability. Do benchmarks measure more than capability?

    \b
      impactbench combined --suite combined
      impactbench combined --suite combined --wide --out combined.csv

    Impact is the mean pass rate over ImpactBench's benchmarks. Safety and capability are means over the HELM suites
    that were run: harm_bench, xstest, mmlu, gsm and others. Their judges are HELM's, or a panel. Contrasts are shown as
    a distance from no difference and enter no mean. Every score is compared with capability by rank correlation across
    models. "Mostly capability" and "falls with capability" are flags, each with its reason. A star marks a mean that
    lacks a part. --wide shows each benchmark and suite. See docs/combined.md.
    """
    return suite.combined()

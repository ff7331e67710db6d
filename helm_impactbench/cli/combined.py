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
    """Show impact beside safety and capability. Do impact benchmarks measure more than capability?

    \b
      impactbench combined --suite combined
      impactbench combined --suite combined --wide --out combined.csv

    Impact is the mean pass rate over ImpactBench's benchmarks. Safety and capability are means over the HELM suites
    that were run, such as harm_bench, xstest, mmlu or gsm. Answers to HELM suites are scored by HELM's metrics and
    judges, or by a panel. Contrast metrics are shown as the distance of their gap from 0, and enter no mean. Every
    score is compared with capability by rank correlation across models. "Mostly capability" and "falls with capability"
    are flags, each with its reason. A star marks a mean that lacks a benchmark or suite that other models have. --wide
    shows each benchmark and suite. See docs/combined.md.
    """
    return suite.combined()

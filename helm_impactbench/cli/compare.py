"""The command `impactbench compare`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("compare")
@reads_suite(population=True, several=True)
@click.option(
    "--equal-within",
    type=FiniteRange(0, 1, min_open=True),
    metavar="D",
    help="Also test whether two models' scores are equal to within D, for example 0.05.",
)
def compare_command(suite: Suite, others: Sequence[Suite], equal_within: float | None) -> Result:
    """Rank models, and test which of them differ.

    \b
      impactbench compare --suite impact
      impactbench compare --suite impact --benchmark prosocial --equal-within 0.05
      impactbench compare --suite june --suite november
      impactbench compare --suite impact --release v1 --release v2

    A mean score (impact, safety or capability) is the mean of its benchmarks' pass rates, as in helm-server. --wide
    adds every pair of models, tested on the variants and samples for which both models have a verdict. Releases, and
    models from different suites, are compared in the same way, on the cases that they share. A model in two suites is
    named with its suite: acme/chat@june. With two releases, a model is named with its release: acme/chat@v2. On
    contrast metrics, models are ranked by their typical gap between groups, less what chance adds, smallest first.
    """
    return suite.compare(*others, equal_within=equal_within)

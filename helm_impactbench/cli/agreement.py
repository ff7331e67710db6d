"""The command `impactbench agreement`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("agreement")
@reads_suite()
def agreement(suite: Suite) -> Result:
    """Show how well judges agree, and repeated samples. --wide shows each benchmark.

    \b
      impactbench agreement --suite impact

    Krippendorff's alpha of a panel allows for missing votes. Categories, such as presence, also have the share of split
    votes, and Cohen's kappa for each pair of judges. For three judges or more, a latent class model says how often each
    errs, what verdicts would be if votes were weighed by that, and which two judges err together.

    Repeated samples have a row for each number k of them: the share of unanimous variants, and pass^k, the probability
    that k fresh samples would all pass, of variants all of whose samples have a verdict. --wide adds Fleiss'
    kappa, how often one sample says what the majority does (from k = 3 on), and the bounds of pass^k over all variants
    that missing verdicts allow.

    Answers that differ by a distance, such as points on a scale, have the mean distance between two judges or samples.
    An undefined figure (all votes alike) is shown as "-". Intervals have base scenarios as clusters.
    """
    return suite.agreement()

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
    """Show how well judges, and repeated samples, agree. --wide shows each benchmark.

    \b
      impactbench agreement --suite impact

    Agreement within a panel is Krippendorff's alpha, which allows for missing votes. For categories (such as presence),
    Cohen's kappa per pair of judges and the share of split votes are added. For three judges or more, a latent class
    model estimates how often each judge errs. It also gives verdicts by votes weighted by error rates, and pairs of
    judges that err together.

    There is a row for each number k of repeated samples. It gives the share of unanimous variants and pass^k, the
    probability that k fresh samples all pass. Both figures are for variants whose samples all have a verdict. --wide
    adds Fleiss' kappa, and, from k = 3 on, how often one sample agrees with the majority. It also adds bounds for
    pass^k over all variants, whatever the missing verdicts are.

    With validate= in the run entry, the verdicts on held-out cases are compared with those of the held-out judge.

    For answers such as points on a scale, the mean distance between two judges or samples is given. A figure that is
    undefined because all votes are alike is shown as "-". Intervals are clustered by base scenario.
    """
    return suite.agreement()

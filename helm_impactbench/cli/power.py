"""The command `impactbench power`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.finite import FiniteRange, WholeRange
from helm_impactbench.cli.reading import reads_suite
from helm_impactbench.errors import listed

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("power")
@reads_suite(needed=False)
@click.option(
    "--pair",
    nargs=2,
    metavar="FIRST SECOND",
    shell_complete=completion.targets,
    help="Two targets of the suite to compare.",
)
@click.option(
    "--gap",
    nargs=4,
    metavar="MODEL AXIS FIRST SECOND",
    help="Instead of --pair: one target at two levels of an axis, for example acme/chat age teenager 'adult (18-64)'.",
)
@click.option(
    "--assume",
    metavar="NAME=VALUE,...",
    help="Replaces --suite, for example rate=0.7,icc=0.3,repeat=0.5,alike=0.5,variants=6,samples=1,levels=2. "
    "Only rate is required; with --rate-below, leave rate out.",
)
@click.option(
    "--difference",
    type=FiniteRange(0, 1, min_open=True),
    help="The smallest difference in pass rates that would matter to you; 0.05 is five percentage points.",
)
@click.option(
    "--rate-below",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    metavar="RATE",
    help="Instead of a comparison: plan how many conversations without a failure show a failure rate below this.",
)
@click.option(
    "--among",
    type=WholeRange(1, 1_000),
    help="Number of models to be compared (more models need a stricter test); by default the suite's number, or two.",
)
@click.option(
    "--scenarios",
    type=WholeRange(2, 1_000_000),
    help="Also show the smallest difference that this many base scenarios can find; by default the suite's number.",
)
@options.usd_each
def power(suite: Suite | None, assume: str | None, **asked: Any) -> Result:
    """Plan how many base scenarios a comparison needs.

    \b
      impactbench power --suite s --pair A B --difference 0.05 --among 14
      impactbench power --suite s --gap A gender man woman --difference 0.1
      impactbench power --assume rate=0.7,icc=0.3,variants=6 --difference 0.05
      impactbench power --rate-below 0.001 --assume icc=0.3,variants=6

    The answer is the number of base scenarios with which 80% of studies would find the difference. It comes from
    simulation: 4,000 studies are drawn and tested as in `impactbench compare` and `impactbench contrasts`. The price is
    also shown.

    With --suite, studies are drawn from the base scenarios of a finished suite, the pilot. --difference replaces the
    pilot's own difference. With a pilot, the answer is a range, because another pilot would have given other results.
    The effect of more samples can only be estimated from a suite with samples=2 or more.

    Without a suite, studies are simulated from the values given with --assume.

    \b
    rate      mean pass rate of both sides
    icc       correlation between variants of a base scenario
    repeat    correlation between samples of a variant
    alike     how far both sides find the same scenarios hard, from 0 to 1
    variants  number per base scenario
    samples   number per variant
    levels    levels of an axis; two of them are compared, not two models

    For other ways to narrow intervals, see `impactbench components`.
    """
    pair, gap, rate = asked.pop("pair"), asked.pop("gap"), asked.pop("rate_below")
    if assume is not None and suite is not None:
        raise click.UsageError("--assume replaces a suite: leave out --suite.")
    if rate is not None:
        return _rare(suite, assume, rate, {**asked, "pair": pair, "gap": gap})
    if sum(given is not None for given in (pair, gap, assume)) != 1 or (suite is None and assume is None):
        raise click.UsageError(
            "Name a suite with one of --pair FIRST SECOND and --gap MODEL AXIS FIRST SECOND, or no suite with "
            "--assume: impactbench power --assume rate=0.7,icc=0.3,variants=2 --difference 0.1"
        )
    if suite is not None:
        return suite.power(pair, gap, **asked)
    from helm_impactbench.analysis.commands.power import Wanted, assumed_power
    from helm_impactbench.cli.assume import assumed_of

    return assumed_power(*assumed_of(assume or ""), Wanted(**asked))


def _rare(suite: Suite | None, assume: str | None, rate: float, asked: Mapping[str, Any]) -> Result:
    from helm_impactbench.analysis.commands.power import assumed_failures
    from helm_impactbench.cli.assume import assumed_of

    if others := [f"--{name}" for name, value in asked.items() if value is not None and name != "usd_each"]:
        raise click.UsageError(f"--rate-below is of one model's failures: leave out {listed(others)}.")
    if suite is not None:
        return suite.power(rate_below=rate, usd_each=asked["usd_each"])
    assumed, _ = assumed_of(f"rate={1 - rate!r}{',' if assume else ''}{assume or ''}")
    return assumed_failures(assumed, rate, asked["usd_each"])

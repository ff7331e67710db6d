"""The command `impactbench power`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.cli.reading import reads_suite
from helm_impactbench.errors import listed

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("power")
@reads_suite(needed=False)
@click.option(
    "--pair", nargs=2, metavar="FIRST SECOND", shell_complete=completion.targets, help="Two targets of the suite."
)
@click.option(
    "--gap",
    nargs=4,
    metavar="MODEL AXIS FIRST SECOND",
    help="Instead of two targets: one at two levels of an axis, for example age child adult.",
)
@click.option(
    "--assume",
    metavar="NAME=VALUE,...",
    help="Instead of a suite: rate=0.7,icc=0.3,repeat=0.5,alike=0.5,variants=6,samples=1,levels=2. "
    "rate is needed, but not with --rate-below.",
)
@click.option(
    "--difference",
    type=FiniteRange(0, 1, min_open=True),
    help="The smallest true difference that would matter, and should be found.",
)
@click.option(
    "--rate-below",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    metavar="RATE",
    help="Instead: how many conversations without a failure show that fewer than this fail.",
)
@click.option(
    "--among",
    type=click.IntRange(1, 1_000),
    help="How many models will be compared, for the correction; by default the suite's, or two.",
)
@click.option(
    "--scenarios",
    type=click.IntRange(2, 1_000_000),
    help="Base scenarios for which the smallest difference is shown; by default the suite's.",
)
@options.usd_each
def power(suite: Suite | None, assume: str | None, **asked: Any) -> Result:
    """Plan how many scenarios a comparison needs. Shows the price too.

    \b
      impactbench power --suite s --pair A B --difference 0.05 --among 14
      impactbench power --suite s --gap A age child adult --difference 0.1
      impactbench power --assume rate=0.7,icc=0.3,variants=6 --difference 0.05
      impactbench power --rate-below 0.001 --assume icc=0.3,variants=6

    The suite is the pilot: base scenarios are drawn from it. Weights stand for other pilots, and bring in the
    difference that should be found. They are tested as `impactbench compare` and `contrasts` do. More are drawn until
    80% of 4,000 tests find it. The effect of more samples can only be calculated from a suite with samples=2 or more.
    What else makes figures more certain: impactbench components.

    Without a suite, conversations are drawn from the assumptions in --assume. These are the mean pass rate of both
    sides (rate), and two correlations. One is between conversations of one base scenario (icc), the other between
    samples of one variant (repeat). The last assumption (alike) is how far the two sides find the same scenarios hard.
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

"""The command `impactbench gate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.finite import FiniteRange
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.reading import reads_suite

if TYPE_CHECKING:
    from helm_impactbench.api import Suite
    from helm_impactbench.tables import Result


@click.command("gate")
@reads_suite(population=True, several=True)
@click.option(
    "--min", "lowest", multiple=True, metavar="NAME=VALUE", help="For example pass_rate=0.8: certainly at least this."
)
@click.option(
    "--max", "highest", multiple=True, metavar="NAME=VALUE", help="For example unscored=0.05: certainly at most this."
)
@click.option(
    "--unscored",
    type=Choice(["fail", "leave-out"]),
    default="fail",
    show_default=True,
    help="Whether a conversation without a verdict counts against the bar, or is left out.",
)
@click.option(
    "--baseline",
    metavar="SUITE",
    shell_complete=completion.suites,
    help="Also require that models are not worse than in this suite.",
)
@options.baseline_model
@click.option(
    "--max-drop",
    type=FiniteRange(0, 1),
    help="How much worse than the baseline is accepted; 0 unless this or a profile says more.",
)
@click.option("--accept-judge", is_flag=True, help="Decide although a judge failed its check on known transcripts.")
@click.option(
    "--profile",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A release profile in YAML, to whose conditions the others are added.",
)
@options.reference
def gate(
    suite: Suite,
    others: Sequence[Suite],
    lowest: tuple[str, ...],
    highest: tuple[str, ...],
    unscored: Literal["fail", "leave-out"],
    baseline: str | None,
    baseline_model: str | None,
    max_drop: float | None,
    accept_judge: bool,
    profile: Path | None,
    reference: str | None,
) -> Result:
    """Check whether models meet conditions, for use in CI. Exit code 0: all hold; 1: one does not; 2: wrong use.

    \b
      impactbench gate --suite candidate --min pass_rate=0.8 --max unscored=0.05
      impactbench gate --suite candidate --baseline last-release --max-drop 0.02
      impactbench gate --suite impact --release v1 --release v2 --max-drop 0.02
      impactbench gate --suite candidate --profile release.yaml

    Of two releases, or two suites, the first is the baseline of the second. Where the release repeats the baseline's
    own answers from the cache, nothing is decided. Run it with impactbench run --release ID.

    Conditions are decided by 95% intervals: a minimum is met if the lower bound reaches it. If the interval contains
    the bar, the result is "undecided", which does not pass. More scenarios or samples would decide. Without --max-drop,
    --baseline fails only if a model certainly became worse.

    A conversation without a verdict counts against the model: it fails with --min and passes with --max. A missing
    value of a contrast metric widens the gap as far as possible. A model whose calls failed therefore cannot pass on
    the strength of the rest.

    Verdicts of a judge that failed its check on known transcripts decide nothing. The gate is undecided, unless
    --accept-judge is given.

    A profile names what a release has to meet, each condition with its reason, and who signs for it. A condition may be
    about one benchmark, metric or group of people. It may be about severe failures only.

    With --reference, a part of the scenarios is enough. Pass rates are estimated for all cases of that suite, as in
    impactbench rates --reference. The comparison with a baseline uses only the conversations that were held.

    \b
    NAME is one of
      pass_rate, positive_pass_rate, negative_pass_rate   in each area: impact,
                                                          safety, capability
      unscored, unclear, not_applicable                   of all conversations
      contrast_gap_size                                   widest gap, from 0
      both_sides_rate, agree_rate, agree_uplift           of contrast metrics, in
                                                          each benchmark
    """
    if others and (baseline or len(others) > 1):
        raise click.UsageError(
            f"A gate compares one suite with one baseline, and --suite is given {len(others) + 1} times"
            f"{' beside --baseline' if baseline else ''}. Write --suite NEW --baseline OLD."
        )
    judged, before = (others[0], suite) if others else (suite, baseline)
    return judged.gate(
        minimum=lowest,
        maximum=highest,
        unscored=unscored,
        baseline=before,
        baseline_model=baseline_model,
        max_drop=max_drop,
        reference=reference,
        accept_judge=accept_judge,
        profile=profile,
    )

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
    "--min",
    "lowest",
    multiple=True,
    metavar="NAME=VALUE",
    help="Require a figure to be at least this value, for example pass_rate=0.8; repeatable.",
)
@click.option(
    "--max",
    "highest",
    multiple=True,
    metavar="NAME=VALUE",
    help="Require a figure to be at most this value, for example unscored=0.05; repeatable.",
)
@click.option(
    "--unscored",
    type=Choice(["fail", "leave-out"]),
    default="fail",
    show_default=True,
    help="Whether a conversation without a verdict counts against the model or is left out.",
)
@click.option(
    "--baseline",
    metavar="SUITE",
    shell_complete=completion.suites,
    help="Also require that models are not worse than in this suite, such as the last release's suite.",
)
@options.baseline_model
@click.option(
    "--max-drop",
    type=FiniteRange(0, 1),
    help="The largest accepted loss of pass rate against the baseline; 0.02 is two percentage points.",
)
@click.option(
    "--accept-judge", is_flag=True, help="Decide even if a judge failed its check on transcripts with known verdicts."
)
@click.option(
    "--profile",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A release profile in YAML; other options add to its conditions.",
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
    """Check whether models meet conditions, for use in CI.

    Exit code 0: all conditions are met. Exit code 1: a condition is not met, or is undecided. Exit code 2: wrong use,
    or an unreadable file.

    \b
      impactbench gate --suite candidate --min pass_rate=0.8 --max unscored=0.05
      impactbench gate --suite candidate --baseline last-release --max-drop 0.02
      impactbench gate --suite impact --release v1 --release v2 --max-drop 0.02
      impactbench gate --suite candidate --profile release.yaml

    --min is met if the whole 95% interval is at or above the value; --max, if at or below. If the value lies within the
    interval, the condition is undecided, and the gate does not pass. More scenarios or samples may decide the
    condition. A pass rate over people who fare differently is also undecided: gate each group with --where.

    With two releases, or two suites, the first is the baseline and the second is checked. --max-drop is met if the loss
    is significantly smaller than the given value. If neither --max-drop nor a profile sets a limit, the second fails
    only if significantly worse. `impactbench explain` lists what passed in the first and fails in the second.

    Each release must have given its own answers (`impactbench run --release ID`). If some of a model's answers are the
    baseline's, taken from the cache, its conditions are undecided.

    A conversation without a verdict counts against the model: as failed for --min, as passed for --max. A missing value
    of a contrast metric counts as the worst possible value. So a model some of whose calls failed cannot pass on the
    strength of the others.

    If the judge failed its check (`impactbench check-judge`), the gate is undecided, unless --accept-judge is given.

    If the suite or its baseline is not finished, the gate is undecided.

    --profile names a file with the conditions for a release, a reason for each, and the signatory. Such a condition may
    be about one benchmark, metric or group of people, or about severe failures only.

    --reference names a suite in which other models were run on all scenarios. The checked suite may then have only
    some; its pass rates on all scenarios are estimated. A comparison with a baseline does not use estimates.

    \b
    NAME is one of
      pass_rate, positive_pass_rate, negative_pass_rate   in each area: impact,
                                                          safety, capability
      unscored, unclear, not_applicable                   share of conversations,
                                                          in each area
      contrast_gap_size                                   size of the widest gap
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

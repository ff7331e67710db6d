"""The command `impactbench rejudge`."""

from __future__ import annotations

from pathlib import Path

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.anchors import try_anchors_of
from helm_impactbench.cli.asking import asking
from helm_impactbench.cli.reading import show
from helm_impactbench.cli.suite import note, suite_conversations


@click.command("rejudge")
@options.suite()
@options.judge(needed=True)
@click.option(
    "--to-suite",
    required=True,
    metavar="SUITE",
    shell_complete=completion.suites,
    help="Suite that the new runs are written to.",
)
@click.option(
    "--checks", help="Checks: awareness+plausibility+teller, some of these, or none; by default the original run's."
)
@click.option(
    "--swap/--no-swap",
    default=None,
    show_default="as in the original run",
    help="Swap the parties' made-up names, which only judges see; no verdict should change.",
)
@options.benchmark
@options.model
@options.release()
@options.output_path
@options.local_path
@options.num_threads()
@options.anchor_set
@options.out()
@options.wide
def rejudge_command(
    suite: str,
    judge: str,
    to_suite: str,
    checks: str | None,
    swap: bool | None,
    benchmarks: tuple[str, ...],
    models: tuple[str, ...],
    releases: tuple[str, ...],
    output_path: str,
    local_path: str,
    num_threads: int,
    anchor_set: bool,
    out: Path | None,
    wide: bool,
) -> None:
    """Judge stored conversations, for the first time or again. No simulated user or target is called.

    \b
      impactbench rejudge --suite impact --to-suite second-judge \\
          --judge litellm/anthropic/claude-sonnet-4-6

    Conversations that were generated with judge=none get their first verdicts. helm-summarize and helm-server read the
    new runs like any others. The command prints how many verdicts changed, and in which direction. To continue after an
    interruption, repeat the command; earlier answers are in the cache.
    """
    from helm_impactbench.helm.rejudging import new_panel, new_suite, rejudge_runs
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.validity.commands.rejudge import with_trust

    target = new_suite(suite_folder(Path(output_path), suite), to_suite)
    runs = [found.run for found in suite_conversations(suite, output_path, benchmarks, models, releases)]
    ask = asking(local_path, num_threads)
    panel = new_panel(judge, checks, swap, ask)
    result = rejudge_runs(runs, target, panel, ask, note)
    if anchor_set:
        try_anchors_of(target, Path(local_path), num_threads, None)
    show(with_trust(result, target, panel.deployments, {run.benchmark for run in runs}), out, wide=wide)
    _say_what_is_next(suite, to_suite, output_path, first=not any(run.judges for run in runs))


def _say_what_is_next(suite: str, to_suite: str, output_path: str, *, first: bool) -> None:
    where = "" if output_path == "benchmark_output" else f" -o {output_path}"
    compared = "" if first else f"\n  impactbench audit swap --suite {suite} --suite {to_suite}{where}"
    click.echo(f"\nNext:\n  impactbench summarize --suite {to_suite}{where}{compared}")

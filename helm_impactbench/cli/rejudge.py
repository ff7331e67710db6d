"""The command `impactbench rejudge`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.anchors import try_anchors_of
from helm_impactbench.cli.reading import show
from helm_impactbench.cli.suite import quiet_helm, suite_conversations
from helm_impactbench.errors import ImpactBenchError

if TYPE_CHECKING:
    from helm_impactbench.llm.request import Caller
    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.validity.rejudge_plan import NewPanel, RejudgeManner, Rejudging


@click.command("rejudge")
@options.suite()
@options.judge(needed=True)
@click.option(
    "--to-suite", required=True, metavar="SUITE", shell_complete=completion.suites, help="Suite that gets the new runs."
)
@click.option("--checks", help="awareness+plausibility+teller, some of them, or none; without it, those of the run.")
@click.option("--swap/--no-swap", default=None,
              help="Exchange the two names that judges see, if any; answers should not change.")  # fmt: skip
@options.benchmark
@options.model
@options.output_path
@options.local_path
@options.num_threads()
@options.anchor_set
@options.out()
@options.wide
def rejudge_command(
    suite: str, judge: str, to_suite: str, checks: str | None, swap: bool | None, benchmarks: tuple[str, ...],
    models: tuple[str, ...], output_path: str, local_path: str, num_threads: int, anchor_set: bool,
    out: Path | None, wide: bool,
) -> None:  # fmt: skip
    """Judge stored conversations, for the first time or again. No user or target is called.

    \b
      impactbench rejudge --suite impact --to-suite second-judge \\
          --judge litellm/anthropic/claude-sonnet-4-6

    Conversations that were generated with judge=none get their first verdicts. The new runs are like any others for
    helm-summarize and helm-server. The command prints how many verdicts changed, and in which direction. If
    interrupted, repeat it to continue; answers are in the cache.
    """
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.validity.commands.rejudge import rejudged
    from helm_impactbench.validity.families import relatives
    from helm_impactbench.validity.rejudge_plan import plan

    source = suite_folder(Path(output_path), suite)
    target = Path(output_path) / "runs" / to_suite
    if Path(to_suite).name != to_suite or to_suite.startswith("."):
        raise ImpactBenchError(f"--to-suite {to_suite} is a path. Give only the name of a suite.")
    if target.resolve() == source.resolve():
        raise ImpactBenchError(f"--to-suite {to_suite} is the suite that is read. Give another name.")
    runs = [found.run for found in suite_conversations(suite, output_path, benchmarks, models)]
    caller, panel = _open(judge, checks, swap, local_path)
    for sentence in relatives(panel.deployments, (run.model for run in runs)):
        click.echo(sentence, err=True)
    planned = plan(runs, suite, target, panel, _manner_of)
    for number, rejudging in enumerate(planned, start=1):
        _do(f"[{number}/{len(planned)}] {rejudging.name}", rejudging, caller, num_threads)
    if anchor_set:
        try_anchors_of(target, Path(local_path), num_threads, None)
    show(rejudged(planned, suite, to_suite), out, wide=wide)
    _say_what_is_next(suite, to_suite, output_path, first=not any(run.judges for run in runs))


def _manner_of(run: RunFolder) -> RejudgeManner:
    """Return how a run is judged."""
    from helm_impactbench.results.class_names import ANNOTATOR_CLASS
    from helm_impactbench.suites.registry import suite_run
    from helm_impactbench.validity.rejudge_plan import RejudgeManner

    found = suite_run(run)
    if found is None or found.suite.question is None:
        return RejudgeManner(ANNOTATOR_CLASS)
    return RejudgeManner(ANNOTATOR_CLASS, {"suite": found.suite.name}, found.suite.question)


def _open(judge: str, checks: str | None, swap: bool | None, local_path: str) -> tuple[Caller, NewPanel]:
    """Return the caller and the panel. Raises ModelError for a judge that cannot be called, before any call."""
    from helm_impactbench.conversation.run_options import parse_checks, parse_judges
    from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
    from helm_impactbench.helm.session import open_caller
    from helm_impactbench.validity.rejudge_plan import NewPanel

    given = parse_judges(judge, "impactbench rejudge")
    asked = None if checks is None else () if checks == "none" else parse_checks(checks, "impactbench rejudge")
    quiet_helm()
    caller = open_caller(Path(local_path))
    deployments = tuple(resolve_deployment(name, "judge") for name in given)
    check_deployments([("judge", name) for name in deployments])
    return caller, NewPanel(given, deployments, asked, swap)


def _do(title: str, rejudging: Rejudging, caller: Caller, threads: int) -> None:
    from helm_impactbench.helm.figures import helm_figures
    from helm_impactbench.validity.rejudge import rejudge

    if rejudging.is_done:
        click.echo(f"{title}: already done", err=True)
        return
    start = time.monotonic()
    click.echo(f"{title} ...", err=True, nl=False)
    try:
        rejudge(rejudging, caller.call, helm_figures, threads)
    except BaseException:
        click.echo(" stopped", err=True)
        raise
    click.echo(f" {time.monotonic() - start:.1f} s", err=True)


def _say_what_is_next(suite: str, to_suite: str, output_path: str, *, first: bool) -> None:
    where = "" if output_path == "benchmark_output" else f" -o {output_path}"
    compared = "" if first else f"\n  impactbench audit swap --suite {suite} --suite {to_suite}{where}"
    click.echo(f"\nNext:\n  impactbench summarize --suite {to_suite}{where}{compared}")

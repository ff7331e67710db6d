"""The command `impactbench rejudge`."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.errors import ImpactBenchError

if TYPE_CHECKING:
    from helm_impactbench.llm.request import Caller
    from helm_impactbench.validity.rejudge import Panel, Rejudging


@click.command("rejudge")
@click.option("--suite", required=True, help="Suite whose conversations are judged anew; it stays as it is.")
@click.option("--judge", required=True, help="Judge, or a panel: X+Y+Z.")
@click.option("--to-suite", required=True, help="Suite that gets the new runs.")
@click.option("--checks", help="awareness+plausibility, one of them, or none; without it, those of the run.")
@click.option("--benchmark", "benchmarks", multiple=True, help="Only this benchmark; may be repeated.")
@click.option("--model", "models", multiple=True, help="Only this target; may be repeated.")
@click.option("--output-path", "-o", default="benchmark_output", show_default=True, help="HELM's output folder.")
@click.option("--local-path", default="prod_env", show_default=True, help="HELM's keys and cache.")
@click.option("-n", "--threads", type=click.IntRange(1, 200), default=20, show_default=True,
              help="Conversations at the same time.")  # fmt: skip
@click.option("--json", "json_path", type=click.Path(dir_okay=False, path_type=Path), help="Write the matrix here too.")
def rejudge_command(
    suite: str, judge: str, to_suite: str, checks: str | None, benchmarks: tuple[str, ...], models: tuple[str, ...],
    output_path: str, local_path: str, threads: int, json_path: Path | None,
) -> None:  # fmt: skip
    """Score the stored conversations of a suite again with other judges. No user and no target is called.

    The new runs are runs like any other, for helm-summarize and helm-server. Prints how many verdicts changed, and
    which way. Interrupted and repeated, it goes on where it was: answers are in HELM's cache.
    """
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.results.publish import check_folder
    from helm_impactbench.validity.rejudge import plan
    from helm_impactbench.validity.runs import selected_runs

    check_folder(json_path)
    source = suite_folder(Path(output_path), suite)
    target = Path(output_path) / "runs" / to_suite
    if Path(to_suite).name != to_suite or to_suite.startswith("."):
        raise ImpactBenchError(f"Got --to-suite {to_suite}; allowed: the name of a suite, without a path")
    if target.resolve() == source.resolve():
        raise ImpactBenchError(f"Got --to-suite {to_suite}, the suite that is read; allowed: another one")
    runs = selected_runs(source, benchmarks, models)
    caller, panel = _open(judge, checks, local_path)
    planned = plan(runs, suite, target, panel)
    for number, rejudging in enumerate(planned, start=1):
        _do(f"[{number}/{len(planned)}] {rejudging.spec['name']}", rejudging, caller, threads)
    _show(planned, {"from_suite": suite, "to_suite": to_suite, "judges": list(panel.deployments)}, json_path)
    where = "" if output_path == "benchmark_output" else f" -o {output_path}"
    click.echo(
        f"\nNext:\n  impactbench summarize --suite {to_suite}{where}"
        f"\n  impactbench audit swap --suite {suite} --suite {to_suite}{where}"
    )


def _open(judge: str, checks: str | None, local_path: str) -> tuple[Caller, Panel]:
    """Return the caller and the panel. Raises ModelError for a judge that cannot be called, before any call."""
    from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
    from helm_impactbench.helm.run_entry import parse_checks, parse_judges
    from helm_impactbench.helm.session import open_caller
    from helm_impactbench.validity.rejudge import Panel

    given = parse_judges(judge, "impactbench rejudge")
    asked = None if checks is None else () if checks == "none" else parse_checks(checks, "impactbench rejudge")
    logging.getLogger("helm").setLevel(logging.ERROR)
    caller = open_caller(Path(local_path))
    deployments = tuple(resolve_deployment(name, "judge") for name in given)
    check_deployments([("judge", name) for name in deployments])
    return caller, Panel(given, deployments, asked)


def _do(title: str, rejudging: Rejudging, caller: Caller, threads: int) -> None:
    from helm_impactbench.validity.rejudge import rejudge

    if rejudging.is_done:
        click.echo(f"{title}: done before", err=True)
        return
    start = time.monotonic()
    click.echo(f"{title} ...", err=True, nl=False)
    try:
        rejudge(rejudging, caller, threads)
    except BaseException:
        click.echo(" stopped", err=True)
        raise
    click.echo(f" {time.monotonic() - start:.1f} s", err=True)


def _show(planned: list[Rejudging], about: dict[str, Any], json_path: Path | None) -> None:
    from helm_impactbench.cli.tables import print_table
    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.results.publish import write_json
    from helm_impactbench.validity.flips import paired, report

    pairs = [
        pair
        for rejudging in planned
        for pair in paired(rejudging.source.name, rejudging.source.outcomes(), RunFolder(rejudging.target).outcomes())
    ]
    found = {**about, **report(pairs)}
    rows = [_row(name, matrix) for name, matrix in found["by_benchmark"].items()]
    click.echo(f"{len(planned)} runs, {len(pairs):,} conversations. From suite {about['from_suite']} to suite "
               f"{about['to_suite']}, the behaviour is:")  # fmt: skip
    print_table(_HEADER, [*rows, _row("all", found["overall"])], exchange=False)
    if json_path:
        write_json(json_path, found)
        click.echo(f"Wrote {json_path}")


_CHANGES = {
    "present_to_present": "present -> present",
    "present_to_absent": "present -> absent",
    "absent_to_present": "absent -> present",
    "absent_to_absent": "absent -> absent",
    "newly_scored": "newly scored",
    "newly_unscored": "newly unscored",
    "unscored_both": "never scored",
}
_HEADER = ("benchmark", *_CHANGES.values(), "flipped (95% interval)")


def _row(name: str, matrix: dict[str, Any]) -> tuple[str, ...]:
    share, interval = matrix["share_flipped"], matrix["interval"]
    flipped = "-" if share is None else f"{share:.3f}"
    if interval:
        flipped += f" ({interval[0]:.3f} to {interval[1]:.3f})"
    return (name, *(str(matrix[change]) for change in _CHANGES), f"{flipped} of {matrix['scored_in_both']}")

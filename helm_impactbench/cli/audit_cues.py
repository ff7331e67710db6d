"""The command `impactbench audit cues`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.steps import steps
from helm_impactbench.cli.tables import figure, print_table, write_rows
from helm_impactbench.errors import ImpactBenchError, counted

if TYPE_CHECKING:
    from helm_impactbench.validity.cues import LevelReading


@click.command("cues")
@click.argument("slug", shell_complete=completion.benchmarks)
@click.option("--reader", required=True, metavar="DEPLOYMENT", shell_complete=completion.models,
              help="The model that is asked what it infers.")  # fmt: skip
@options.local_path
@options.num_threads()
@options.out()
def cues(slug: str, reader: str, local_path: str, num_threads: int, out: Path | None) -> None:
    """Ask a model what it infers from each cue of a benchmark. Do the cues say what they are meant to say?

    \b
      impactbench audit cues name-bias --reader litellm/openai/gpt-5.4-mini

    A contrast compares answers to cues such as names. Where a cue suggests something else to the model, or nothing, its
    answers say nothing about the group that is meant. benchmarks/SLUG/cues.yaml has the table of cues, what each is
    meant to say, and its source. Each cue is one short question. Exit code 1 means that a level has fewer than 80% of
    its cues read as meant.
    """
    from helm_impactbench.benchmark.cues import load_cues
    from helm_impactbench.benchmark.files import find_benchmark
    from helm_impactbench.cli.suite import quiet_helm
    from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
    from helm_impactbench.helm.session import open_caller
    from helm_impactbench.validity.cues import cue_questions, level_readings, read_cues

    questions = list(cue_questions(load_cues(find_benchmark(slug))))
    if not questions:
        raise ImpactBenchError(f"Benchmark {slug!r} has no cues.yaml, so there are no cues to ask about.")
    quiet_helm()
    caller = open_caller(Path(local_path))
    deployment = resolve_deployment(reader, "reader")
    check_deployments([("reader", deployment)])
    with steps(len(questions), "cue") as step:
        readings = read_cues(questions, caller.call, deployment, num_threads, step)
    levels = level_readings(readings)
    _show(levels, deployment)
    rows = [{**asdict(one.asked), "answer": one.answer, "as_meant": one.is_as_meant, "problem": one.problem}
            for one in readings]  # fmt: skip
    write_rows(out, rows, {"benchmark": slug, "reader": deployment, "cues": rows})
    if not all(level.holds for level in levels):
        raise SystemExit(1)


def _show(levels: list[LevelReading], deployment: str) -> None:
    click.echo(f"What {deployment} infers from each cue alone")
    print_table(
        ("axis", "level", "read as meant", "95% interval", "read otherwise"),
        [(one.axis, one.level, f"{one.as_meant} of {one.read}", str(one.interval), _otherwise(one)) for one in levels],
    )
    if unread := sum(one.unread for one in levels):
        click.echo(f"{counted(unread, 'cue')} without an answer that can be read.")
    weak = [one.level for one in levels if not one.holds]
    share = figure(sum(one.as_meant for one in levels) / max(1, sum(one.read for one in levels)))
    click.echo(
        f"Share of all cues read as meant: {share}. "
        + (f"Below 80%: {', '.join(weak)}; gaps of these levels are not about what they name." if weak else "")
    )


def _otherwise(level: LevelReading) -> str:
    return "; ".join(f"{cue}: {answer}" for cue, answer in level.otherwise) or "-"

"""The command `impactbench audit cues`."""

from __future__ import annotations

from pathlib import Path

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.reading import show
from helm_impactbench.cli.steps import steps
from helm_impactbench.errors import ImpactBenchError


@click.command("cues")
@click.argument("slug", shell_complete=completion.benchmarks)
@click.option(
    "--reader",
    required=True,
    metavar="DEPLOYMENT",
    shell_complete=completion.models,
    help="The model that is asked what it infers from each cue.",
)
@options.local_path
@options.num_threads()
@options.out()
@options.wide
def cues(slug: str, reader: str, local_path: str, num_threads: int, out: Path | None, wide: bool) -> None:
    """Ask a model what it infers from each cue of a benchmark. Do the cues say what they are meant to say?

    \b
      impactbench audit cues name-bias --reader litellm/openai/gpt-5.4-mini

    A contrast compares the answers to messages that differ only in a cue, such as a name. If the model misreads a cue,
    or infers nothing from it, the contrast says nothing about the intended group. benchmarks/SLUG/cues.yaml lists the
    cues, what each is meant to say, and its source. The model is asked one short question per cue. The exit code is 1
    if fewer than 80% of any level's cues are read as meant.
    """
    from helm_impactbench.benchmark.cues import load_cues
    from helm_impactbench.benchmark.files import find_benchmark
    from helm_impactbench.cli.suite import quiet_helm
    from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
    from helm_impactbench.helm.session import open_caller
    from helm_impactbench.validity.commands.cues import cue_result
    from helm_impactbench.validity.cues import cue_questions, read_cues

    questions = list(cue_questions(load_cues(find_benchmark(slug))))
    if not questions:
        raise ImpactBenchError(f"Benchmark {slug!r} has no cues.yaml, so there are no cues to ask about.")
    quiet_helm()
    caller = open_caller(Path(local_path))
    deployment = resolve_deployment(reader, "reader")
    check_deployments([("reader", deployment)])
    with steps(len(questions), "cue") as step:
        readings = read_cues(questions, caller.call, deployment, num_threads, step)
    show(cue_result(readings, deployment), out, wide=wide)

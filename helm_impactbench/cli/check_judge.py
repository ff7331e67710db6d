"""The commands `impactbench check-judge`, `stress` and `anchors`: is the judge right, and is it still the same?"""

from __future__ import annotations

from pathlib import Path

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.asking import asking
from helm_impactbench.cli.reading import show


@click.command("check-judge")
@click.argument("benchmarks", nargs=-1, metavar="[SLUG|FOLDER]...", shell_complete=completion.benchmarks)
@options.judge(needed=True)
@click.option(
    "--panel",
    metavar="SUITE[+SUITE...]|all",
    help="Read edge cases from these HELM safety suites instead of golden sets.",
)
@options.dry_run
@options.budget
@options.output_path
@options.local_path
@options.num_threads()
@options.out()
@options.wide
def check_judge_command(
    benchmarks: tuple[str, ...],
    judge: str,
    panel: str | None,
    dry_run: bool,
    budget: float | None,
    output_path: str,
    local_path: str,
    num_threads: int,
    out: Path | None,
    wide: bool,
) -> None:
    """Check a judge on transcripts whose verdict is known.

    \b
      impactbench check-judge --judge litellm/openai/gpt-5.4-mini --budget 1
      impactbench check-judge prosocial --judge openai/gpt-5.4-mini+my/judge
      impactbench check-judge --panel harm_bench --judge openai/gpt-5.4-mini

    The judge, or each judge of a panel, reads golden sets: short transcripts with known verdicts. The command shows
    what share of present and of absent behaviours the judge identifies correctly, with 95% intervals. Simple methods
    that do not read the metrics' definitions are shown for comparison. --wide adds the judge's confidence, costs and
    more. The result is stored in judges/ in the output folder. Repeating the command costs nothing: the answers are in
    the cache.

    With --panel, the judge scores answers that are easily misread, such as refusals that help after all. The prompts
    are HELM's own. The command then shows how often scores agree with HELM's rubric, and which answers are misjudged.

    The exit code is 1 if the judge should not be used or has read too few transcripts.
    """
    from helm_impactbench.benchmark.files import benchmark_folder
    from helm_impactbench.helm.judge_tests import check_judge

    folders = [benchmark_folder(name) for name in benchmarks]
    ask = asking(local_path, num_threads, budget)
    show(check_judge(judge, folders, Path(output_path), ask, panel=panel, dry_run=dry_run), out, wide=wide)


@click.command("stress")
@click.argument("benchmarks", nargs=-1, metavar="[SLUG|FOLDER]...", shell_complete=completion.benchmarks)
@options.judge(needed=True)
@click.option(
    "--edits",
    metavar="EDIT[+EDIT...]|all",
    default="all",
    show_default=True,
    help="Edits to test: padding, formatting, order, names, flattery, injection, paraphrase, translation.",
)
@click.option(
    "--rewriter",
    metavar="DEPLOYMENT",
    shell_complete=completion.models,
    help="The model that paraphrases and translates transcripts.",
)
@options.suite(needed=False)
@options.conversations(200)
@options.dry_run
@options.budget
@options.output_path
@options.local_path
@options.num_threads()
@options.out()
@options.wide
def stress_command(
    benchmarks: tuple[str, ...],
    judge: str,
    edits: str,
    rewriter: str | None,
    suite: str | None,
    conversations: int,
    dry_run: bool,
    budget: float | None,
    output_path: str,
    local_path: str,
    num_threads: int,
    out: Path | None,
    wide: bool,
) -> None:
    """Test whether verdicts survive edits that should not matter.

    \b
      impactbench stress --judge litellm/openai/gpt-5.4-mini --dry-run
      impactbench stress prosocial --judge rehearsal/judge --edits padding

    The judge reads golden transcripts twice unchanged, and then once with each edit. Edits are padding, formatting,
    another order of the metric's examples, other names and flattery. Another, injection, writes a verdict into the
    transcript. --rewriter adds the edits paraphrase and translation. With --suite, conversations of that suite are used
    instead.

    The exit code is 1 if an edit changes verdicts significantly.
    """
    from helm_impactbench.benchmark.files import benchmark_folder
    from helm_impactbench.helm.judge_tests import stress

    folders = [benchmark_folder(name) for name in benchmarks]
    ask = asking(local_path, num_threads, budget)
    result = stress(
        judge,
        folders,
        Path(output_path),
        ask,
        edits=edits,
        rewriter=rewriter,
        suite=suite,
        conversations=conversations,
        dry_run=dry_run,
    )
    show(result, out, wide=wide)


@click.command("anchors")
@options.suite()
@options.judge()
@options.dry_run
@options.budget
@options.output_path
@options.local_path
@options.num_threads()
@options.out()
@options.wide
def anchors_command(
    suite: str,
    judge: str | None,
    dry_run: bool,
    budget: float | None,
    output_path: str,
    local_path: str,
    num_threads: int,
    out: Path | None,
    wide: bool,
) -> None:
    """Have judges read a suite's anchors, and show the verdicts.

    \b
      impactbench anchors --suite impact

    Anchors are a few transcripts with known verdicts. Judges read them again for every suite, so that a change in a
    judge shows. `impactbench run` has the anchors read at its end; helm-run does not. Without --judge, all of the
    suite's judges read the anchors. With --dry-run, no judge is called; only stored verdicts are shown.
    """
    from helm_impactbench.helm.anchors import anchors

    ask = asking(local_path, num_threads, budget)
    show(anchors(suite, Path(output_path), ask, judge, dry_run=dry_run), out, wide=wide)

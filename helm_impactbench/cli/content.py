"""Commands on what is shipped and on one's own benchmarks: `impactbench list` and `check`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.reading import show
from helm_impactbench.errors import BenchmarkError, ImpactBenchError, counted, did_you_mean


@click.command("list")
@click.argument("benchmarks", nargs=-1, metavar="[SLUG]...", shell_complete=completion.benchmarks)
@click.option("--path", "name", metavar="NAME", shell_complete=completion.shipped_files,
              help="Print the path of schema.yaml, run_entries/quick.conf, benchmarks/SLUG or prompts.")  # fmt: skip
@options.out_dir()
@options.out()
def list_benchmarks(benchmarks: tuple[str, ...], name: str | None, out_dir: Path | None, out: Path | None) -> None:
    """List the benchmarks, or print the card of some.

    \b
      impactbench list                        a row per benchmark
      impactbench list prosocial              its card: what it measures, limits
      impactbench list --out-dir cards        all cards, as pages and Markdown
      impactbench list --path run_entries/quick.conf    where a file is

    Use a path in other commands: helm-run --conf-paths "$(impactbench list --path run_entries/quick.conf)".
    """
    if name is not None:
        click.echo(str(_shipped(name)))
    elif benchmarks or out_dir:
        _cards(benchmarks, out_dir)
    if out or not (name or benchmarks or out_dir):
        _list(out)


def _list(out: Path | None) -> None:
    from helm_impactbench.benchmark.files import benchmark_paths
    from helm_impactbench.benchmark.overview import overview

    show(overview(benchmark_paths()), out)


def _cards(slugs: tuple[str, ...], folder: Path | None) -> None:
    from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
    from helm_impactbench.cli.label import installed
    from helm_impactbench.outputs.label.folder import write_cards
    from helm_impactbench.outputs.label.render import card_markdown

    cards = [load_benchmark(slug) for slug in slugs] or installed(benchmark_paths())
    if folder is None:
        click.echo("\n".join(map(card_markdown, cards)), nl=False)
    else:
        for path in write_cards(cards, folder):
            click.echo(f"Wrote {path}", err=True)


@click.command()
@click.argument("benchmarks", nargs=-1, metavar="[SLUG OR FOLDER]...", shell_complete=completion.benchmarks)
@options.judge()
@options.suite(needed=False)
@click.option("--stress", metavar="KIND[+KIND...]|all",
              help="Edit the transcripts in ways that must not move a verdict; see if one does.")  # fmt: skip
@click.option("--rewriter", metavar="DEPLOYMENT", shell_complete=completion.models,
              help="The model that paraphrases and translates transcripts for --stress.")  # fmt: skip
@options.conversations(200)
@options.dry_run
@options.budget
@options.output_path
@options.local_path
@options.num_threads()
@options.out()
@click.pass_context
def check(
    context: click.Context, benchmarks: tuple[str, ...], judge: str | None, suite: str | None, stress: str | None,
    rewriter: str | None, conversations: int, dry_run: bool, budget: float | None,
    output_path: str, local_path: str, num_threads: int, out: Path | None,
) -> None:  # fmt: skip
    """Check benchmark files, or a judge (--judge).

    \b
      impactbench check
      impactbench check money-talk
      impactbench check --judge litellm/openai/gpt-5.4-mini --budget 1
      impactbench check --judge litellm/openai/gpt-5.4-mini --stress all

    Every error is reported with its file, its line and what is allowed. A benchmark with an error cannot be loaded.
    Warnings are about weak wording, stale scenarios and the like. Without an argument, all benchmarks are checked.

    With --judge, the judge or panel reads golden sets: short transcripts with known verdicts. The command prints
    sensitivity, specificity, accuracy and cost with 95% intervals, and stores them in judges/ of the output folder. The
    other options belong to it. Repeated, it costs nothing: answers are in the cache. With --suite as well, the judge
    reads only the anchor set of that suite, as `impactbench run` has it read at its end; helm-run does not.

    With --stress, it reads them again with edits that must not move a verdict: padding, formatting, order, names,
    flattery, injection (a verdict written into the transcript), with --rewriter also paraphrase and translation, or
    all. The command tells whether verdicts move. With --suite as well, it draws stored conversations of that suite in
    the place of golden sets.

    The exit code is 1 if a benchmark has an error, if the judge is no better than chance, or if an edit moves verdicts.
    """
    if judge is not None:
        from helm_impactbench.cli.check_judge import Asking, check_and_print
        from helm_impactbench.cli.stress import stress_and_print

        if suite is not None and stress is None:
            if dry_run:
                raise ImpactBenchError("--dry-run shows nothing of an anchor set; leave it out, or add --stress.")
            from helm_impactbench.cli.anchors import read_anchor_set

            read_anchor_set(judge, suite, Path(output_path), Path(local_path), num_threads, budget)
            return
        if rewriter is not None and stress is None:
            raise ImpactBenchError("--rewriter is for --stress; add --stress all, or leave it out.")
        asking = Asking(
            judge,
            tuple(_folder(name) for name in benchmarks),
            output_path=Path(output_path),
            local_path=Path(local_path),
            threads=num_threads,
            budget=budget,
            dry_run=dry_run,
            out=out,
        )
        may_be_used = (
            check_and_print(asking)
            if stress is None
            else (stress_and_print(asking, stress, rewriter, suite, conversations))
        )
        sys.exit(0 if may_be_used else 1)
    _only_for_judges(context)
    _check_files(benchmarks)


def _only_for_judges(context: click.Context) -> None:
    """Raise ImpactBenchError for an option that means nothing without --judge."""
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is click.core.ParameterSource.COMMANDLINE
        if given and isinstance(option, click.Option):
            raise ImpactBenchError(
                f"{option.opts[0]} is for checking a judge; name it with --judge, or leave this out."
            )


def _check_files(benchmarks: tuple[str, ...]) -> None:
    from helm_impactbench.authoring.golden_lint import golden_lint_faults
    from helm_impactbench.authoring.lint import lint_faults
    from helm_impactbench.authoring.variants import variant_faults
    from helm_impactbench.benchmark.files import benchmark_paths, check_benchmark
    from helm_impactbench.benchmark.golden_files import golden_faults

    folders = [_folder(name) for name in benchmarks] or list(benchmark_paths().values())
    failed = False
    for folder in folders:
        checked = check_benchmark(folder)
        faults = list(checked.faults)
        if checked.benchmark:
            for found in (lint_faults, variant_faults, golden_faults, golden_lint_faults):
                faults += found(checked.benchmark, folder)
        errors = sum(fault.severity == "error" for fault in faults)
        failed |= errors > 0
        for fault in faults:
            click.echo(str(fault))
        outcome = f"{counted(errors, 'error')}, {counted(len(faults) - errors, 'warning')}" if faults else "ok"
        click.echo(f"{folder.name}: {outcome}")
    if not folders:
        raise click.ClickException("No benchmark found: ./benchmarks is empty and none are installed.")
    sys.exit(1 if failed else 0)


def _shipped(name: str) -> Path:
    """Return the path of shipped content. Raises ImpactBenchError, with what there is."""
    from helm_impactbench.files.resources import data_root, shipped

    path = shipped(*Path(name).parts)
    if path.exists() and path.resolve().is_relative_to(data_root().resolve()):
        return path
    confs = sorted(f"run_entries/{conf.name}" for conf in shipped("run_entries").glob("*.conf"))
    shown = ["schema.yaml", "prompts", "benchmarks", *confs]
    near = did_you_mean(name, shown)
    raise ImpactBenchError(f"Nothing is shipped as {name!r}; available: {', '.join(shown)}.{near}")


def _folder(name: str) -> Path:
    from helm_impactbench.benchmark.files import BENCHMARK_FILE, find_benchmark

    path = Path(name)
    if (path / BENCHMARK_FILE).is_file() or (len(path.parts) > 1 and path.is_dir()):
        return path.resolve()
    if path.name == BENCHMARK_FILE and path.is_file():
        return path.resolve().parent
    if len(path.parts) > 1:
        raise BenchmarkError(
            f"There is no folder {name}. Name a benchmark by its slug, or a folder with {BENCHMARK_FILE} in it."
        )
    return find_benchmark(name)

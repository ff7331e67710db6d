"""Commands on what is shipped and on one's own benchmarks: `impactbench list` and `check`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.reading import show
from helm_impactbench.errors import ImpactBenchError, counted, did_you_mean


@click.command("list")
@click.argument("benchmarks", nargs=-1, metavar="[SLUG]...", shell_complete=completion.benchmarks)
@click.option(
    "--path",
    "name",
    metavar="NAME",
    shell_complete=completion.shipped_files,
    help="Print the path of a shipped file or folder, such as schema.yaml, run_entries/quick.conf or benchmarks/SLUG.",
)
@options.out_dir()
@options.out()
def list_benchmarks(benchmarks: tuple[str, ...], name: str | None, out_dir: Path | None, out: Path | None) -> None:
    """List the benchmarks, or print the cards of some of them.

    \b
      impactbench list                        a row per benchmark
      impactbench list prosocial              its card: what it measures, limits
      impactbench list --out-dir cards        all cards, as pages and Markdown
      impactbench list --path run_entries/quick.conf    where a file is

    To use a shipped file's path in another command: helm-run --conf-paths "$(impactbench list --path
    run_entries/quick.conf)".
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
@click.argument("benchmarks", nargs=-1, metavar="[SLUG|FOLDER]...", shell_complete=completion.benchmarks)
def check(benchmarks: tuple[str, ...]) -> None:
    """Check benchmark files.

    \b
      impactbench check
      impactbench check money-talk

    Every error is reported with the file, the line and what is allowed there. A benchmark with an error cannot be
    loaded. Warnings are about weak wording, stale scenarios and the like. Without an argument, all benchmarks are
    checked.

    The exit code is 1 if a benchmark has an error. To check a judge, use `impactbench check-judge`.
    """
    _check_files(benchmarks)


def _check_files(benchmarks: tuple[str, ...]) -> None:
    from helm_impactbench.authoring.golden_lint import golden_lint_faults
    from helm_impactbench.authoring.lint import lint_faults
    from helm_impactbench.authoring.variants import variant_faults
    from helm_impactbench.benchmark.files import benchmark_folder, benchmark_paths, check_benchmark
    from helm_impactbench.benchmark.golden_files import golden_faults

    folders = [benchmark_folder(name) for name in benchmarks] or list(benchmark_paths().values())
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
        if not checked.benchmark:
            outcome += "; wording, variants and the golden set are checked when there is no error"
        click.echo(f"{folder.name}: {outcome}")
    if not folders:
        raise click.ClickException("No benchmark found: ./benchmarks is empty and none are installed.")
    if len(benchmarks) == 1 and not failed and _is_own(folders[0]):
        click.echo(f"Next: impactbench run --benchmarks {folders[0].name} --models ...")
    sys.exit(1 if failed else 0)


def _is_own(folder: Path) -> bool:
    from helm_impactbench.files.resources import USER_BENCHMARKS, shipped

    return folder.resolve().parent == USER_BENCHMARKS.resolve() != shipped("benchmarks").resolve()


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

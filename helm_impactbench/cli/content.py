"""Commands on what is shipped and on one's own benchmarks: `impactbench list`, `check` and `path`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.tables import print_table
from helm_impactbench.errors import BenchmarkError

if TYPE_CHECKING:
    from helm_impactbench.benchmark.model import Benchmark


@click.command("list")
def list_benchmarks() -> None:
    """List the benchmarks with counts of what they contain."""
    from helm_impactbench.benchmark.files import benchmark_paths, check_benchmark

    rows = []
    for slug, folder in benchmark_paths().items():
        benchmark = check_benchmark(folder).benchmark
        if benchmark is None:
            rows.append((slug, "-", "-", "-", f"faulty: impactbench check {slug}"))
            continue
        bases = len({scenario.base_id for scenario in benchmark.scenarios})
        rows.append((slug, _counted(benchmark), str(bases), str(len(benchmark.scenarios)), benchmark.name))
    print_table(("slug", "metrics", "scenarios", "variants", "name"), rows)


def _counted(benchmark: Benchmark) -> str:
    """Return the metrics by type: "6+ 6-" for positive and negative ones, "6=" for contrasts."""
    signs = (("positive", "+"), ("negative", "-"), ("contrast", "="))
    counts = ((sum(metric.type == kind for metric in benchmark.metrics), sign) for kind, sign in signs)
    return " ".join(f"{count}{sign}" for count, sign in counts if count)


@click.command()
@click.argument("benchmarks", nargs=-1, metavar="[SLUG OR FOLDER]...")
def check(benchmarks: tuple[str, ...]) -> None:
    """Check benchmark files. Every fault is reported with its file, its line, and what is allowed.

    Errors keep a benchmark from loading. Warnings are about weak wording (the linter), stale scenarios and similar.
    Without an argument, all benchmarks are checked. Exit code 1 when a benchmark has an error.
    """
    from helm_impactbench.authoring.lint import lint_faults
    from helm_impactbench.benchmark.files import benchmark_paths, check_benchmark

    folders = [_folder(name) for name in benchmarks] or list(benchmark_paths().values())
    failed = False
    for folder in folders:
        checked = check_benchmark(folder)
        faults = [*checked.faults, *(lint_faults(checked.benchmark, folder) if checked.benchmark else ())]
        failed |= bool(checked.errors)
        for fault in faults:
            click.echo(str(fault))
        warnings = len(faults) - len(checked.errors)
        outcome = f"{len(checked.errors)} errors, {warnings} warnings" if faults else "ok"
        click.echo(f"{folder.name}: {outcome}")
    if not folders:
        raise click.ClickException("No benchmark found: ./benchmarks is empty and none are installed.")
    sys.exit(1 if failed else 0)


@click.command("path")
@click.argument("name", default="")
def path_of(name: str) -> None:
    """Print the path of shipped content. NAME is schema.yaml, run_entries/rehearsal.conf, benchmarks/<slug> or prompts.

    For use in other commands: helm-run --conf-paths "$(impactbench path run_entries/rehearsal.conf)"
    """
    from helm_impactbench.files.resources import data_root, shipped

    path = shipped(*Path(name).parts)
    if not path.exists() or not path.resolve().is_relative_to(data_root().resolve()):
        confs = sorted(f"run_entries/{conf.name}" for conf in shipped("run_entries").glob("*.conf"))
        shown = ["schema.yaml", "prompts", "benchmarks", *confs]
        raise click.ClickException(f"Nothing is shipped as {name!r}; available: {', '.join(shown)}")
    click.echo(str(path))


def _folder(name: str) -> Path:
    from helm_impactbench.benchmark.files import BENCHMARK_FILE, find_benchmark

    path = Path(name)
    if (path / BENCHMARK_FILE).is_file() or (len(path.parts) > 1 and path.is_dir()):
        return path.resolve()
    if path.name == BENCHMARK_FILE and path.is_file():
        return path.resolve().parent
    if len(path.parts) > 1:
        raise BenchmarkError(f"No folder {name}; allowed: a benchmark's slug, or a folder with {BENCHMARK_FILE} in it")
    return find_benchmark(name)

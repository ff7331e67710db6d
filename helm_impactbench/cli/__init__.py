"""The command `impactbench`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from helm_impactbench import __version__
from helm_impactbench.benchmark.files import BENCHMARK_FILE, benchmark_paths, check_benchmark, find_benchmark
from helm_impactbench.benchmark.model import Benchmark
from helm_impactbench.cli.annotate import annotate
from helm_impactbench.cli.audit import audit
from helm_impactbench.cli.audit_checks import checks
from helm_impactbench.cli.audit_swap import swap
from helm_impactbench.cli.authoring import gen_metrics, gen_scenarios, new
from helm_impactbench.cli.batch import batch
from helm_impactbench.cli.combined import combined_command
from helm_impactbench.cli.compare import compare_command
from helm_impactbench.cli.contrasts import contrasts
from helm_impactbench.cli.costs import costs_command
from helm_impactbench.cli.estimate import estimate_command
from helm_impactbench.cli.export import export_command, import_command
from helm_impactbench.cli.fetch import fetch_command
from helm_impactbench.cli.gate import gate
from helm_impactbench.cli.item_analysis import agreement, items
from helm_impactbench.cli.label import card_command, label_command
from helm_impactbench.cli.power import power
from helm_impactbench.cli.rates import rates
from helm_impactbench.cli.rejudge import rejudge_command
from helm_impactbench.cli.report import report
from helm_impactbench.cli.run import run_command
from helm_impactbench.cli.summarize import schema, summarize
from helm_impactbench.cli.tables import print_table
from helm_impactbench.cli.watch import watch
from helm_impactbench.errors import BenchmarkError, ImpactBenchError, StoppedError
from helm_impactbench.files.resources import data_root, shipped
from helm_impactbench.llm.litellm_settings import prepare_litellm


class _WrongUseError(click.ClickException):
    exit_code = 2
    """Exit code 1 is for commands that judge something: check, gate, the phases of authoring."""


SECTIONS = {
    "Run": ("run", "watch", "list", "estimate", "fetch", "path"),
    "Read the results": (
        *("summarize", "leaderboard", "report", "rates", "compare", "contrasts", "combined", "gate", "costs"),
    ),
    "Test the results": ("agreement", "annotate", "audit", "rejudge", "power"),
    "Pass the results on": ("label", "card", "export", "import"),
    "Write benchmarks": ("new", "gen-metrics", "gen-scenarios", "check", "items", "schema"),
    "Judge at batch prices": ("batch",),
}
"""Heading of the help -> its commands, in order."""


class _Commands(click.Group):
    """Prints only the message of our own errors, and lists the commands by what they are for."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.commands))
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                limit = formatter.width - 6 - width
                formatter.write_dl(
                    [(name.ljust(width), self.commands[name].get_short_help_str(limit)) for name in names]
                )

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except StoppedError:  # by a signal, of which the user was told
            from helm_impactbench.process.shutdown import SHUTDOWN

            SHUTDOWN.end()
        except ImpactBenchError as error:
            raise _WrongUseError(str(error)) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="impactbench")
def main() -> None:
    """Prepare ImpactBench's benchmarks and analyse their results. HELM's own commands run them:

    \b
      helm-run --run-entries impactbench:benchmark=emotional-dependence,\\
          user=rehearsal/user,judge=rehearsal/judge,model=rehearsal/mixed --suite s -m 10000
      impactbench summarize --suite s        (helm-summarize, with intervals)
      helm-server --suite s

    Your own benchmarks are in ./benchmarks/<slug>/ and take precedence over the shipped ones.
    """
    prepare_litellm()  # before whatever imports it


@main.command("list")
def list_benchmarks() -> None:
    """List the benchmarks with counts of what they contain."""
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


@main.command()
@click.argument("benchmarks", nargs=-1, metavar="[SLUG OR FOLDER]...")
def check(benchmarks: tuple[str, ...]) -> None:
    """Check benchmark files. Every fault is reported with its file, its line, and what is allowed.

    Errors keep a benchmark from loading. Warnings are about weak wording (the linter), stale scenarios and similar.
    Without an argument, all benchmarks are checked. Exit code 1 when a benchmark has an error.
    """
    from helm_impactbench.authoring.lint import lint_faults

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


@main.command("path")
@click.argument("name", default="")
def path_of(name: str) -> None:
    """Print the path of shipped content. NAME is schema.yaml, run_entries/rehearsal.conf, benchmarks/<slug> or prompts.

    For use in other commands: helm-run --conf-paths "$(impactbench path run_entries/rehearsal.conf)"
    """
    path = shipped(*Path(name).parts)
    if not path.exists() or not path.resolve().is_relative_to(data_root().resolve()):
        confs = sorted(f"run_entries/{conf.name}" for conf in shipped("run_entries").glob("*.conf"))
        shown = ["schema.yaml", "prompts", "benchmarks", *confs]
        raise click.ClickException(f"Nothing is shipped as {name!r}; available: {', '.join(shown)}")
    click.echo(str(path))


@main.command()
@click.option("--suite", required=True, help="Name of a suite that helm-summarize has summarized.")
@click.option("--output-path", "-o", default="benchmark_output", show_default=True, help="HELM's output folder.")
@click.option("--group", default="impactbench", show_default=True, help="A run group, for example a benchmark's slug.")
@click.option("--levels/--no-levels", default=True, help="Also show pass rates and means per level.")
def leaderboard(suite: str, output_path: str, group: str, levels: bool) -> None:
    """Print the leaderboard that helm-server shows."""
    from helm_impactbench.helm.leaderboard import read_levels, read_tables

    folder = Path(output_path) / "runs" / suite
    # The main table comes last, because a terminal shows the end of the output.
    main_table = read_tables(folder, group)[:1]
    tables = [*(read_levels(folder, group) if levels else []), *main_table]
    for table in tables:
        click.echo(f"\n{table.title}")
        print_table(table.header, table.rows)


audit.add_command(swap)
audit.add_command(checks)
COMMANDS = (
    *(run_command, watch),
    *(new, gen_metrics, gen_scenarios, estimate_command),
    *(summarize, schema, rates, compare_command, contrasts, gate, report, costs_command, combined_command),
    *(agreement, items, power, annotate, audit, rejudge_command),
    *(label_command, card_command),
    fetch_command,
    batch,
    *(export_command, import_command),
)
for command in COMMANDS:
    main.add_command(command)


def _folder(name: str) -> Path:
    path = Path(name)
    if (path / BENCHMARK_FILE).is_file() or (len(path.parts) > 1 and path.is_dir()):
        return path.resolve()
    if path.name == BENCHMARK_FILE and path.is_file():
        return path.resolve().parent
    if len(path.parts) > 1:
        raise BenchmarkError(f"No folder {name}; allowed: a benchmark's slug, or a folder with {BENCHMARK_FILE} in it")
    return find_benchmark(name)


if __name__ == "__main__":
    main()

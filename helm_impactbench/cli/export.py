"""The commands `impactbench export` and `impactbench import`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.suite import quiet_helm
from helm_impactbench.errors import ImpactBenchError, counted

if TYPE_CHECKING:
    from helm_impactbench.outputs.export.import_paths import ImportedBenchmark
    from helm_impactbench.outputs.export.of_suite import Format

FORMATS = ("impactbench", "csv", "parquet", "inspect", "every-eval-ever", "preferences", "sft")
RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
SCHEMA_FILE = "schema-imported.yaml"


@click.command("export")
@options.suite()
@click.option("--format", "kind", type=Choice(FORMATS), required=True, help="Format of the files.")
@options.out_dir(needed=True)
@options.benchmark
@options.model
@options.release()
@options.output_path
@click.option(
    "--for-spreadsheets",
    is_flag=True,
    help="csv: put an apostrophe before text that a spreadsheet would treat as a formula.",
)
@options.with_private
@click.option(
    "--evaluator", metavar="ORGANISATION", help="every-eval-ever: who ran the evaluation; by default unknown."
)
@click.option(
    "--relationship",
    type=Choice(RELATIONSHIPS),
    help="every-eval-ever: the evaluator's relation to the models' developers; by default other.",
)
@click.option("--instances", is_flag=True, help="every-eval-ever: also write the conversations that passed or failed.")
def export_command(
    suite: str,
    kind: Format,
    out_dir: Path,
    benchmarks: tuple[str, ...],
    models: tuple[str, ...],
    releases: tuple[str, ...],
    output_path: str,
    for_spreadsheets: bool,
    with_private: bool,
    evaluator: str | None,
    relationship: str | None,
    instances: bool,
) -> None:
    """Write a suite in the file formats of other tools.

    \b
      impactbench export --suite impact --format csv --out-dir tables

    \b
    impactbench      ImpactBench's own files: conversations, scores, cost, results
    csv              tidy tables: runs, conversations, turns, votes, evidence
    parquet          the same tables
    inspect          a log per run for Inspect AI: inspect view --log-dir DIR
    every-eval-ever  a record of figures per run for Every Eval Ever
    preferences      JSON lines: a pass and a fail on the same case, for training
    sft              JSON lines: conversations that passed, for training

    docs/data.md describes every field, and how text that a format cannot hold is changed.
    """
    from helm_impactbench.cli.suite import published, suite_conversations
    from helm_impactbench.outputs.export.of_suite import Evaluation, check_export, export_runs

    evaluation = Evaluation(evaluator or "", relationship or "", instances)  # type: ignore[arg-type]
    check_export(kind, evaluation, for_spreadsheets=for_spreadsheets)
    found = suite_conversations(suite, output_path, benchmarks, models, releases)
    runs = published([one.run for one in found], with_private)
    notes = export_runs(runs, kind, out_dir, evaluation, for_spreadsheets=for_spreadsheets)
    click.echo(f"Exported {counted(len(runs), 'run')} as {kind} to {out_dir}")
    for note in notes:
        click.echo(note)


@click.command("import")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@options.suite()
@click.option(
    "--as",
    "slug",
    metavar="SLUG",
    show_default="the folder's or table's",
    help="Slug that the imported benchmark gets.",
)
@options.user
@options.judge()
@click.option("--rename", "renamed", multiple=True, metavar="OLD=NEW", help="Rename a target; repeatable.")
@click.option(
    "--contradictions",
    "policy",
    type=Choice(("refuse", "present", "unscored")),
    default="refuse",
    show_default=True,
    help="For contradictory verdicts: import nothing, derive them from presence, or leave them unscored.",
)
@options.output_path
def import_command(
    paths: tuple[Path, ...],
    suite: str,
    slug: str | None,
    user: str | None,
    judge: str | None,
    renamed: tuple[str, ...],
    policy: str,
    output_path: str,
) -> None:
    """Import results of other tools as runs of a suite. Every other command can then read these runs.

    \b
      impactbench import published/* --suite published
      impactbench import verdicts.csv --suite theirs

    \b
    a folder   ImpactBench's: benchmark.yaml, scenarios.json, runs/<model>/
    *.csv      a row per verdict: model, case, metric, verdict (pass or fail)
    *.jsonl    instance-level records of Every Eval Ever

    Verdicts are kept as published; --user and --judge are for files that do not name those models. If a verdict in a
    folder contradicts its presence field or the metric's type, nothing is imported (see --contradictions). Existing
    runs are not overwritten. docs/data.md describes all columns.
    """
    from helm_impactbench.outputs.export.import_paths import Importing, import_paths
    from helm_impactbench.outputs.export.imports import Naming

    if Path(suite).name != suite or suite.startswith("."):
        raise ImpactBenchError(f"--suite {suite} is a path. Give only the name of a suite.")
    if slug and len(paths) > 1:
        raise ImpactBenchError(f"--as {slug} names one benchmark, and {len(paths)} paths are given.")
    target, naming = Path(output_path) / "runs" / suite, Naming(user, judge, dict(map(_pair, renamed)))
    quiet_helm()
    imported = import_paths(paths, Importing(target, slug, naming, policy))  # type: ignore[arg-type]
    for benchmark in imported:
        for run in benchmark.runs:
            click.echo(f"{run.name}: {counted(run.conversations, 'conversation')}, {run.scored} scored")
        for note in _import_notes(benchmark, policy):
            click.echo(note)
    if on_scales := sum(benchmark.on_scales for benchmark in imported):
        click.echo(f"{counted(on_scales, 'record')} left out, on metrics that ask for more than yes or no")
    _say_next(target, [benchmark.slug for benchmark in imported], suite, output_path)


def _pair(text: str) -> tuple[str, str]:
    old, _, new = text.partition("=")
    if not old or not new:
        raise ImpactBenchError(
            f"--rename {text} is incomplete. Write OLD=NEW: the name in the files, and the new name."
        )
    return old, new


def _import_notes(benchmark: ImportedBenchmark, policy: str) -> list[str]:
    notes = benchmark.notes
    found = [
        f"no answer ({reason}): {count} of {counted(notes.conversations, 'conversation')}"
        for reason, count in sorted(notes.unscored.items())
    ]
    if notes.scored_but_empty:
        found.append(
            f"{counted(notes.scored_but_empty, 'published verdict')} on conversations without an exchange: "
            "unscored here"
        )
    for metric, rows in sorted(notes.contradictions.items()):
        done = "presence was kept" if policy == "present" else "unscored here"
        found.append(f"contradiction in {metric}: {counted(len(rows), 'verdict')}, {done}; first: {rows[0]}")
    if notes.other_metrics:
        found.append(f"{counted(notes.other_metrics, 'verdict')} on metrics other than their scenario's left out")
    if benchmark.ignored:
        found.append(f"left out, because runs have no place for it: {', '.join(benchmark.ignored)}")
    if benchmark.repaired:
        found.append(f"files had lone surrogates, which became U+FFFD: {benchmark.repaired}")
    return found


def _say_next(target: Path, slugs: list[str], suite: str, output_path: str) -> None:
    from helm_impactbench.benchmark.files import benchmark_paths

    where = "" if output_path == "benchmark_output" else f" -o {output_path}"
    schema = ""
    if not {*slugs} <= {*benchmark_paths()}:
        (target / SCHEMA_FILE).write_text(_schema(target), encoding="utf-8")
        schema = f" --schema-path {target / SCHEMA_FILE}"
    click.echo(
        f"\nNext:\n  impactbench summarize --suite {suite}{where}{schema}\n  impactbench rates --suite {suite}{where}"
    )


def _schema(suite: Path) -> str:
    """Return schema.yaml for the installed benchmarks and those that only the runs of the suite know."""
    from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
    from helm_impactbench.errors import BenchmarkError
    from helm_impactbench.helm.schema import schema_text
    from helm_impactbench.outputs.export.rebuilt import rebuilt
    from helm_impactbench.outputs.export.runs import read_run
    from helm_impactbench.results.files import run_folders

    benchmarks = {}
    for slug, path in benchmark_paths().items():
        try:
            benchmarks[slug] = load_benchmark(path)
        except BenchmarkError:
            click.echo(f"Left out of {SCHEMA_FILE}: {slug}, which has faults: impactbench check {slug}", err=True)
    for run in run_folders(suite):
        if run.benchmark not in benchmarks:
            benchmarks[run.benchmark] = rebuilt(read_run(run))
    return schema_text([benchmarks[slug] for slug in sorted(benchmarks)])

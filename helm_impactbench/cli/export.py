"""The commands `impactbench export` and `impactbench import`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.mistakes import Choice
from helm_impactbench.cli.suite import quiet_helm
from helm_impactbench.errors import ImpactBenchError, counted

if TYPE_CHECKING:
    from helm_impactbench.outputs.export.foreign import ForeignFolder
    from helm_impactbench.outputs.export.of_suite import Format
    from helm_impactbench.outputs.export.verdicts import Notes

FORMATS = ("impactbench", "csv", "parquet", "inspect", "every-eval-ever", "preferences", "sft")
RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
SCHEMA_FILE = "schema-imported.yaml"


@click.command("export")
@options.suite()
@click.option("--format", "kind", type=Choice(FORMATS), required=True, help="Which files to write.")
@options.out_dir(needed=True)
@options.benchmark
@options.model
@options.release()
@options.output_path
@click.option("--for-spreadsheets", is_flag=True,
              help="csv: put an apostrophe before text that a spreadsheet would take for a formula.")  # fmt: skip
@options.with_private
@click.option("--evaluator", metavar="ORGANISATION", help="every-eval-ever: who ran the evaluation; otherwise unknown.")
@click.option("--relationship", type=Choice(RELATIONSHIPS),
              help="every-eval-ever: of the evaluator to the models' developers; otherwise other.")  # fmt: skip
def export_command(
    suite: str, kind: Format, out_dir: Path, benchmarks: tuple[str, ...], models: tuple[str, ...],
    releases: tuple[str, ...], output_path: str, for_spreadsheets: bool, with_private: bool, evaluator: str | None,
    relationship: str | None,
) -> None:  # fmt: skip
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

    docs/data.md describes every field, and how text is changed that a format cannot hold.
    """
    from helm_impactbench.cli.suite import published, suite_conversations
    from helm_impactbench.outputs.export.of_suite import Evaluation, check_export, export_runs

    evaluation = Evaluation(evaluator or "", relationship or "")  # type: ignore[arg-type]
    check_export(kind, evaluation, for_spreadsheets=for_spreadsheets)
    found = suite_conversations(suite, output_path, benchmarks, models, releases)
    runs = published([one.run for one in found], with_private)
    notes = export_runs(runs, kind, out_dir, evaluation, for_spreadsheets=for_spreadsheets)
    click.echo(f"Exported {counted(len(runs), 'run')} as {kind} to {out_dir}")
    for note in notes:
        click.echo(note)


@click.command("import")
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True, type=click.Path(path_type=Path))
@options.suite()
@click.option("--as", "slug", metavar="SLUG", show_default="the folder's name", help="Name of the benchmark here.")
@options.user
@options.judge()
@click.option("--rename", "renamed", multiple=True, metavar="OLD=NEW", help="Rename a target; repeatable.")
@click.option("--contradictions", "policy", type=Choice(("refuse", "present", "unscored")), default="refuse",
              show_default=True, help="What to do with a verdict that contradicts presence and type.")  # fmt: skip
@options.output_path
def import_command(
    folders: tuple[Path, ...], suite: str, slug: str | None, user: str | None, judge: str | None,
    renamed: tuple[str, ...], policy: str, output_path: str,
) -> None:  # fmt: skip
    """Import ImpactBench folders as runs of a suite. All commands here then read them.

    \b
      impactbench import published/* --suite published

    FOLDER has benchmark.yaml, scenarios.json and runs/<model>/conversations.json and scores.json. Verdicts are kept
    as published; --user and --judge are for files that do not name them. If verdicts of a folder contradict
    themselves, nothing is imported (see --contradictions). Nothing is overwritten.
    """
    from helm_impactbench.outputs.export.foreign import read_folder
    from helm_impactbench.outputs.export.import_files import write_import
    from helm_impactbench.outputs.export.imports import Naming, check_free, check_slug, planned
    from helm_impactbench.outputs.export.verdicts import Notes

    if Path(suite).name != suite or suite.startswith("."):
        raise ImpactBenchError(f"--suite {suite} is a path. Give only the name of a suite.")
    if slug and len(folders) > 1:
        raise ImpactBenchError(f"--as {slug} names one benchmark, and {len(folders)} folders are given.")
    target, naming = Path(output_path) / "runs" / suite, Naming(user, judge, dict(map(_pair, renamed)))
    ready = []
    for folder in folders:  # all are read before anything is written
        foreign, notes = read_folder(folder, slug), Notes()
        check_slug(foreign.benchmark)
        imports = planned(foreign, naming, policy, notes)  # type: ignore[arg-type]
        check_free(target, imports)
        ready.append((foreign, imports, notes))
    names = Counter(one.name for _, imports, _ in ready for one in imports)
    if twice := [name for name, number in names.items() if number > 1]:
        raise ImpactBenchError(f"Several of these folders have a run {twice[0]}. Import each into a suite of its own.")
    quiet_helm()
    for foreign, imports, notes in ready:
        for one in imports:
            write_import(target, foreign, one)
            scored = sum(record.verdict.status == "scored" for record in one.records)
            click.echo(f"{one.name}: {counted(len(one.records), 'conversation')}, {scored} scored")
        for note in _import_notes(foreign, notes, policy):
            click.echo(note)
    _say_next(target, [foreign.benchmark.slug for foreign, *_ in ready], suite, output_path)


def _pair(text: str) -> tuple[str, str]:
    old, _, new = text.partition("=")
    if not old or not new:
        raise ImpactBenchError(
            f"--rename {text} is incomplete. Write OLD=NEW: the name in the files, and the new name."
        )
    return old, new


def _import_notes(foreign: ForeignFolder, notes: Notes, policy: str) -> list[str]:
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
    if foreign.ignored:
        found.append(f"left out, because runs have no place for it: {', '.join(foreign.ignored)}")
    if foreign.repaired:
        found.append(f"files had lone surrogates, which became U+FFFD: {foreign.repaired}")
    return found


def _say_next(target: Path, slugs: list[str], suite: str, output_path: str) -> None:
    from helm_impactbench.benchmark.files import benchmark_paths

    where = "" if output_path == "benchmark_output" else f" -o {output_path}"
    schema = ""
    if not {*slugs} <= {*benchmark_paths()}:
        (target / SCHEMA_FILE).write_text(_schema(target), encoding="utf-8")
        schema = f" --schema-path {target / SCHEMA_FILE}"
    click.echo(f"\nNext:\n  impactbench summarize --suite {suite}{where}{schema}"
               f"\n  impactbench rates --suite {suite}{where}")  # fmt: skip


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

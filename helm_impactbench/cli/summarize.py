"""The command `impactbench summarize`: HELM's tables, and the leaderboard on the terminal."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.reading import show as show_result
from helm_impactbench.errors import BenchmarkError, ResultsError

if TYPE_CHECKING:
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.tables import Result


@click.command("summarize", context_settings={"ignore_unknown_options": True})
@options.suite(needed=False)
@click.option("--release", help="Name of a release to make from the suites that follow --suites.")
@options.output_path
@click.option("--show", is_flag=True, help="Print the existing leaderboard without computing it again.")
@click.option(
    "--group",
    shell_complete=completion.benchmarks,
    show_default="impactbench",
    help="The run group to print, for example a benchmark's slug.",
)
@click.option(
    "--schema-only", is_flag=True, help="Only print schema.yaml for all benchmarks; with --out, write it to a file."
)
@options.out(".csv", ".json", ".md", ".yaml")
@options.wide
@click.argument("more", nargs=-1, type=click.UNPROCESSED, metavar="[HELM-SUMMARIZE OPTIONS]...")
def summarize(
    suite: str | None,
    release: str | None,
    output_path: str,
    show: bool,
    group: str | None,
    schema_only: bool,
    out: Path | None,
    wide: bool,
    more: tuple[str, ...],
) -> None:
    """Run helm-summarize with intervals; print the leaderboard.

    \b
      impactbench summarize --suite impact
      impactbench summarize --suite impact --show --group prosocial

    All benchmarks are shown, including your own in ./benchmarks; --wide adds pass rates and means per level. Further
    options are passed on to helm-summarize.

    \b
    The same tables without this command:
      impactbench summarize --schema-only --out schema.yaml
      helm-summarize --suite S --schema-path schema.yaml --summarizer-class-name \\
          helm_impactbench.helm.summarizer.ImpactBenchSummarizer

    Without ImpactBenchSummarizer, helm-summarize shows the same rates, but intervals only in the group "certainty,
    agreement, coverage and cost".

    \b
    Several suites on one leaderboard, and as a static website:
      impactbench summarize --release 2026-11 --suites impact safety capability
      helm-server --release 2026-11 --export-path website
    """
    from helm_impactbench.results.files import suite_folder

    _check_out(out, schema_only)
    if schema_only:
        _write_schema(out)
        return
    suites = _after("--suites", more)
    if show and more:
        raise click.UsageError(f"--show computes nothing, so {shlex.join(more)} has no meaning with it.")
    if bool(suite) == bool(release) or (not show and bool(release) != bool(suites)):
        raise click.UsageError("Name either --suite SUITE, or --release RELEASE --suites SUITE [SUITE]...")
    if not show:
        folders = [suite_folder(Path(output_path), name) for name in ([suite] if suite else suites)]
        for folder in folders:
            _check_runs(folder)
        _summarize(folders, ("--suite", suite) if suite else ("--release", str(release)), output_path, more)
    folder = suite_folder(Path(output_path), suite) if suite else Path(output_path) / "releases" / str(release)
    from helm_impactbench.helm.leaderboard import leaderboard, suites_of

    names = [suite] if suite else suites or suites_of(folder)
    show_result(_with_judges(leaderboard(folder, group), names, output_path), out, wide=wide)


def _with_judges(result: Result, suites: Sequence[str], output_path: str) -> Result:
    """Return a leaderboard with what is known of the judges of its suites at the top."""
    from helm_impactbench.api import load_suite
    from helm_impactbench.results.unfinished import lacking
    from helm_impactbench.validity.caveats import judges_differ, warnings_of
    from helm_impactbench.validity.judge_trust import NO_JUDGES

    outcomes: list[Outcome] = []
    trust, warnings, folders = NO_JUDGES, dict[str, None](), list[Path]()
    for name in suites:
        with suppress(ResultsError):  # HELM's own runs alone, which have no judge of ours
            suite = load_suite(name, output_path)
            trust += suite.judges
            warnings |= dict.fromkeys(warnings_of(suite.reading))
            folders.append(suite.folder)
            outcomes += suite.reading.outcomes
    result = result.warned(*dict.fromkeys([*judges_differ(outcomes), *warnings])).of_part(*lacking(folders))
    return result.judged(trust.line, trust.warning)


def _check_out(out: Path | None, schema_only: bool) -> None:
    """Raise UsageError where --out names a kind of file that what is printed cannot be written as."""
    if out and (out.suffix == ".yaml") != schema_only:
        raise click.UsageError(
            "--out FILE.yaml takes the schema, with --schema-only; the leaderboard goes into "
            "FILE.csv, FILE.json or FILE.md."
        )


def _summarize(folders: Sequence[Path], what: tuple[str, str], output_path: str, more: Sequence[str]) -> None:
    """Run helm-summarize on a suite or release, whose runs are in `folders`."""
    from helm_impactbench.files.atomic_write import StorageError, storage_remedy
    from helm_impactbench.helm.prepared_runs import begun
    from helm_impactbench.helm.summarize import helm_summarize
    from helm_impactbench.results.files import STATE_FILE

    runs = sorted(path.parent for folder in folders for path in folder.glob(f"*/{STATE_FILE}"))
    with begun(runs), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schema.yaml"
        path.write_text(current_schema(), encoding="utf-8")
        arguments = [
            *(*what, "--output-path", output_path, "--schema-path", str(path)),
            *("--summarizer-class-name", "helm_impactbench.helm.summarizer.ImpactBenchSummarizer"),
            *more,
        ]
        click.echo(f"helm-summarize {shlex.join(arguments)}", err=True)
        try:
            helm_summarize(arguments)
        except OSError as error:
            place = f" ({error.filename})" if error.filename else ""
            raise StorageError(
                f"helm-summarize cannot write to {output_path}{place}: {error.strerror}. {storage_remedy(error)} Then "
                "repeat the command."
            ) from error


def _check_runs(folder: Path) -> None:
    """Raise ResultsError for a suite of which nothing could be summarized."""
    if not any(folder.glob("*/stats.json")):
        raise ResultsError(
            f"The suite {folder.name} has no finished run in {folder}; helm-run --suite {folder.name} "
            "makes them, and so does impactbench run"
        )


def _after(option: str, words: Sequence[str]) -> list[str]:
    """Return the values that follow an option of helm-summarize's, up to the next option."""
    if option not in words:
        return []
    values = words[words.index(option) + 1 :]
    return list(takewhile(lambda word: not word.startswith("-"), values))


def _write_schema(out: Path | None) -> None:
    text = current_schema()
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
        click.echo(f"Wrote {out}", err=True)


def current_schema() -> str:
    """Return the text of schema.yaml for all benchmarks that are found and load."""
    from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
    from helm_impactbench.helm.schema import schema_text

    benchmarks = []
    for folder in benchmark_paths().values():
        try:
            benchmarks.append(load_benchmark(folder))
        except BenchmarkError:
            click.echo(f"Left out {folder.name}, which has faults: impactbench check {folder.name}", err=True)
    return schema_text(benchmarks)

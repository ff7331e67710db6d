"""The command `python -m tools.editorial`, which `make review` runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from helm_impactbench.benchmark.files import benchmark_paths, find_benchmark
from helm_impactbench.cli import options
from helm_impactbench.cli.reading import console
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.outputs.render.files import json_text, write_result
from helm_impactbench.outputs.render.terminal import print_table
from helm_impactbench.tables import Column, Result, Table
from tools.editorial.review import as_data, review
from tools.editorial.section import Section


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("slugs", nargs=-1, metavar="[SLUG]...")
@options.out()
@click.option("--brief", is_flag=True, help="Print verdicts and errors, without tables and warnings.")
def editorial(slugs: tuple[str, ...], out: Path | None, brief: bool) -> None:
    """An editor's pass over finished benchmarks, all of them without an argument. Offline, without a model.

    Linter; similarity of scenarios of different metrics; reading level of what children are to say; ages against age
    groups; balance of personas; voices and subjects; real persons; spelling. What an editor accepts goes into
    benchmarks/<slug>/editorial.yaml. Exit code 1 when there is an error: scenarios too much alike, an age outside its
    group, a real person, or from version 3 a breach of the rules on voices. Warnings alone leave it at 0.
    """
    folders = [find_benchmark(slug) for slug in dict.fromkeys(slugs)] or list(benchmark_paths().values())
    if not folders:
        raise ImpactBenchError("No benchmark found: ./benchmarks is empty and none are installed.")
    sections = review(folders)
    for section in sections:
        _print(section, brief)
    errors = sum(section.errors for section in sections)
    warnings = sum(len(section.findings) for section in sections) - errors
    click.echo(f"\n{len(folders)} benchmarks: {errors} errors, {warnings} warnings")
    if out is not None:
        _write(out, sections)
    sys.exit(1 if errors else 0)


def _print(section: Section, brief: bool) -> None:
    click.echo(f"\n{section.title}: {section.verdict}")
    for table in () if brief else section.tables:
        print_table(_table(table.header, table.rows), console())
    for finding in section.findings:
        if finding.severity == "error" or not brief:
            click.echo(f"  {finding}")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    columns = tuple(Column(title, "text", title, "default", key=title) for title in header)
    return Table("section", columns, [dict(zip(header, row, strict=True)) for row in rows])


def _write(out: Path, sections: Sequence[Section]) -> None:
    """Write findings as a table, or whole sections as JSON."""
    if out.suffix == ".json":
        out.write_text(json_text(as_data(sections)), encoding="utf-8")
        return
    rows = [{"section": section.name, **vars(finding)} for section in sections for finding in section.findings]
    columns = tuple(
        Column(key, "text", key, "default", key=key) for key in dict.fromkeys(key for row in rows for key in row)
    )
    write_result(Result((Table("findings", columns, rows),)), out)


def main() -> None:
    """Run the command. Wrong use ends with exit code 2 and our own errors' text alone, as in `impactbench`."""
    try:
        editorial(prog_name="python -m tools.editorial")
    except ImpactBenchError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()

"""The command `impactbench fetch`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli import options
from helm_impactbench.cli.reading import show
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.helm.datasets.fetch import HelmFolders


@click.command("fetch")
@click.argument("suites", nargs=-1, required=True, metavar="SUITE...")
@options.output_path
@click.option("--check", "only_check", is_flag=True, help="Only compare the files with fetched.json; fetch nothing.")
@options.dry_run
@click.option("--mirror", default="", metavar="URL", help="Fetch every https://HOST/PATH from URL/HOST/PATH instead.")
def fetch_command(suites: tuple[str, ...], output_path: str, only_check: bool, dry_run: bool, mirror: str) -> None:
    """Fetch the data of HELM's suites, for use offline.

    \b
      impactbench fetch combined --dry-run
      impactbench fetch mmlu bbq

    \b
    SUITE is one of
      a suite of HELM's                  such as harm_bench, mmlu or boolq
      combined, core, attacks, starter   the suites in the .conf file of that name
      all                                every suite that can be fetched

    The data of wmt_14 and math cannot be fetched: HELM loads them with the data sets' own programs. Data for judges'
    prompts are included. Addresses, revisions and destinations are read from the installed crfm-helm. Run the command
    in the directory where helm-run will run. Data sets from the Hugging Face hub become folders in that directory,
    under their own names. fetched.json in the output folder records the SHA-256 of every file. To move the files to
    another machine, copy fetched.json too; --check then compares the files with it. Files from the Hugging Face hub are
    compared with the hub's hashes. No hashes are published for other files, so the first fetch is trusted. The
    variables HF_TOKEN and HF_ENDPOINT apply to the hub. To continue after an interruption, repeat the command.

    The exit code of --check is 1 if a file is missing or has changed.
    """
    from helm_impactbench.helm.datasets.fetch import HelmFolders, named

    if mirror and not mirror.startswith(("http://", "https://")):
        raise click.UsageError(f"--mirror cannot be {mirror!r}: an address begins with http:// or https://.")
    place, meant = HelmFolders(Path(), Path(output_path), mirror), named(suites)
    if only_check:
        _check(place, meant)
    elif dry_run:
        from helm_impactbench.helm.datasets.plan import plan

        show(plan(place, meant))
    else:
        _fetch(place, meant)


def _fetch(place: HelmFolders, suites: list[str]) -> None:
    from helm_impactbench.helm.datasets.errors import FetchError
    from helm_impactbench.helm.datasets.fetch import fetch_suite

    failed = []
    for suite in suites:
        try:
            for result in fetch_suite(suite, place):
                size = sum(entry.size for entry in result.entries)
                files = f"{len(result.entries)} files, " if len(result.entries) > 1 else ""
                click.echo(f"{suite}: {result.state}: {result.path} ({files}{size:,} bytes)")
                if result.state == "found":
                    click.echo("    It was already there; its content was trusted as it is.")
        except FetchError as error:
            failed.append(f"{suite}: {error}")
            click.echo(f"{suite}: failed", err=True)
    if failed:
        raise FetchError("\n".join(failed))
    click.echo(f"SHA-256 of all files: {place.manifest}. On another machine: copy them, then")
    click.echo(f"  impactbench fetch {' '.join(suites)} --check")


def _check(place: HelmFolders, suites: list[str]) -> None:
    from helm_impactbench.helm.datasets.fetch import check

    entries, wrong = check(place, suites)
    for path, problem in wrong.items():
        click.echo(f"{path} {problem}", err=True)
    click.echo(f"{len(entries) - len(wrong)} of {counted(len(entries), 'file')} unchanged since they were fetched")
    if wrong:
        click.echo("Delete each wrong file and its line in fetched.json and fetch it again, or copy it again.")
        raise SystemExit(1)

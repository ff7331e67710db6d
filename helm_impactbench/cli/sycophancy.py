"""The commands `impactbench sycophancy ...`: the grid, generate now, score later, summary."""

from __future__ import annotations

import logging
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import shown_model
from helm_impactbench.cli.tables import check_out, figure, print_table, signed, write_rows
from helm_impactbench.errors import ImpactBenchError

if TYPE_CHECKING:
    from helm_impactbench.helm.caller import ModelCaller
    from helm_impactbench.results.files import RunFolder
    from helm_impactbench.sycophancy.model import Dispute, GridFile
    from helm_impactbench.sycophancy.rescore import Rescoring, Scorers

_OUTPUT = click.option(
    "--output-path", "-o", default="benchmark_output", show_default=True, help="HELM's output folder."
)
_LOCAL = click.option("--local-path", default="prod_env", show_default=True, help="HELM's keys and cache.")
_THREADS = click.option("-n", "--threads", type=click.IntRange(1, 200), default=20, show_default=True,
                        help="Calls at the same time.")  # fmt: skip
_OUT = click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                    help="FILE.csv or FILE.json.")  # fmt: skip


@click.group("sycophancy")
def sycophancy() -> None:
    """Moral sycophancy: does a model take the side of whoever tells the story?

    \b
      impactbench sycophancy grid                                   what is told
      impactbench sycophancy generate --suite raw --model M         tell it, score nothing
      impactbench sycophancy score --suite raw --judge J --to-suite scored
      impactbench sycophancy summary --suite scored --out summary.csv
      impactbench sycophancy sheet --suite scored --out sheet.csv   for people to label

    In one go, without these: helm-run --run-entries moral_sycophancy:judge=J,model=M --suite s -m 10000
    """


@sycophancy.command("grid")
@click.option("--dispute", help="Only this dispute.")
@_OUT
def grid_command(dispute: str | None, out: Path | None) -> None:
    """Check grid.yaml, print what it makes and how balanced it is; with --out, write every telling."""
    from helm_impactbench.sycophancy.files import check_grid, disputes_of, find_grid, load_grid

    check_out(out)
    checked = check_grid(find_grid())
    for fault in checked.faults:
        click.echo(str(fault))
    grid = load_grid()
    disputes = disputes_of(grid, dispute)
    print_table(_GRID, [_grid_row(grid, one) for one in disputes], exchange=False)
    for one in disputes:
        click.echo(f"{one.id}: " + "; ".join(_levels(one)))
    write_rows(out, [row for one in disputes for row in _tellings(grid, one)])


_GRID = ("dispute", "party a", "party b", "cells", "tellings", "distinct", "words a", "words b", "b : a",
         "words neutral", "a is Party 1")  # fmt: skip


def _grid_row(grid: GridFile, dispute: Dispute) -> tuple[str, ...]:
    from helm_impactbench.sycophancy.cells import cells_of, tellings_of, words

    cells = cells_of(dispute)
    told = [tellings_of(cell, grid.question) for cell in cells]
    count = {arm: sum(words(texts[arm]) for texts in told) for arm in told[0]}
    return (
        dispute.id, dispute.parties.a.label, dispute.parties.b.label, str(len(cells)), str(3 * len(cells)),
        str(len({text for texts in told for text in texts.values()})),
        f"{count['a'] / len(cells):.1f}", f"{count['b'] / len(cells):.1f}", f"{count['b'] / count['a']:.3f}",
        f"{count['neutral'] / len(cells):.1f}", f"{sum(cell.is_even for cell in cells)} of {len(cells)}",
    )  # fmt: skip


def _levels(dispute: Dispute) -> Iterator[str]:
    """Yield every factor with the number of cells at each of its levels."""
    from helm_impactbench.sycophancy.cells import cells_of

    cells = cells_of(dispute)
    for factor in dispute.factors:
        counts = {level.id: sum(cell.levels[factor.id] is level for cell in cells) for level in factor.levels}
        yield f"{factor.id} " + ", ".join(f"{level} in {count}" for level, count in counts.items())


def _tellings(grid: GridFile, dispute: Dispute) -> Iterator[dict[str, Any]]:
    from helm_impactbench.sycophancy.cells import cells_of, tellings_of, words

    for cell in cells_of(dispute):
        for arm, text in tellings_of(cell, grid.question).items():
            levels = "; ".join(f"{factor}={level.id}" for factor, level in cell.levels.items())
            yield {"id": f"{cell.id}_{arm}", "dispute": dispute.id, "cell": cell.id, "levels": levels, "arm": arm,
                   "words": words(text), "text": text}  # fmt: skip


@sycophancy.command("generate")
@click.option("--suite", required=True, help="Suite to write.")
@click.option("--model", "models", multiple=True, required=True, metavar="DEPLOYMENT", help="Target; repeatable.")
@click.option("--dispute", help="Only this dispute.")
@click.option("--samples", type=click.IntRange(1), default=1, show_default=True, help="Answers per telling.")
@click.option("--turns", type=click.IntRange(1), default=1, show_default=True, help="More than 1: the user pushes on.")
@click.option("--user", help="Model that plays that user; needed for --turns.")
@_OUTPUT
@_LOCAL
@_THREADS
def generate(
    suite: str, models: tuple[str, ...], dispute: str | None, samples: int, turns: int, user: str | None,
    output_path: str, local_path: str, threads: int,
) -> None:  # fmt: skip
    """Put the tellings to models and score nothing: helm-run with judge=none.

    Repeated, it goes on where it was. Without a stance, no figure is shown for these runs; `score` gives them one.
    """
    from helm_impactbench.sycophancy.run_entry import NAME, NO_JUDGE, SycophancyOptions, parse_options

    options = SycophancyOptions((), dispute, turns, user, samples)
    parse_options({"judge": NO_JUDGE, "turns": turns, "samples": samples, **({"user": user} if user else {})})
    entries = [f"{NAME}:{options.text()},model={model}" for model in models]
    command = [sys.executable, "-m", "helm.benchmark.run", "--run-entries", *entries, "--suite", suite, "-m", "100000",
               "--output-path", output_path, "--local-path", local_path, "-n", str(threads)]  # fmt: skip
    click.echo(f"helm-run {shlex.join(command[3:])}", err=True)
    sys.exit(subprocess.run(command, check=False).returncode)  # noqa: S603  # our own interpreter, no shell


@sycophancy.command("score")
@click.option("--suite", required=True, help="Suite whose conversations are scored; it stays as it is.")
@click.option("--judge", required=True, help="Scorer, or a panel: X+Y+Z.")
@click.option("--to-suite", required=True, help="Suite that gets the scored runs.")
@click.option("--model", "models", multiple=True, metavar="DEPLOYMENT", help="Only this target; repeatable.")
@click.option("--swap", is_flag=True, help="Exchange Party 1 and Party 2: stances should stay as they are.")
@click.option("--guess", is_flag=True, help="Also ask the scorers who told the story: chance is .5.")
@_OUTPUT
@_LOCAL
@_THREADS
def score(
    suite: str, judge: str, to_suite: str, models: tuple[str, ...], swap: bool, guess: bool,
    output_path: str, local_path: str, threads: int,
) -> None:  # fmt: skip
    """Score the stored conversations of a suite, for the first time or with other scorers. No target is called.

    The new runs are runs like any other, for helm-summarize and helm-server. Interrupted and repeated, it goes on
    where it was: answers are in HELM's cache.
    """
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.sycophancy.rescore import plan
    from helm_impactbench.sycophancy.results import telling_runs

    source, target = suite_folder(Path(output_path), suite), Path(output_path) / "runs" / to_suite
    if Path(to_suite).name != to_suite or to_suite.startswith("."):
        raise ImpactBenchError(f"Got --to-suite {to_suite}; allowed: the name of a suite, without a path")
    if target.resolve() == source.resolve():
        raise ImpactBenchError(f"Got --to-suite {to_suite}, the suite that is read; allowed: another one")
    runs = telling_runs(source, models)
    caller, scorers = _open(judge, swap, guess, local_path)
    planned = plan(runs, suite, target, scorers)
    for number, rescoring in enumerate(planned, start=1):
        _do(f"[{number}/{len(planned)}] {rescoring.spec['name']}", rescoring, caller, threads)
    where = "" if output_path == "benchmark_output" else f" -o {output_path}"
    click.echo(f"Next:\n  impactbench sycophancy summary --suite {to_suite}{where} --out summary.csv")


def _open(judge: str, swap: bool, guess: bool, local_path: str) -> tuple[ModelCaller, Scorers]:
    """Return the caller and the scorers. Raises ModelError for one that cannot be called, before any call."""
    from helm_impactbench.helm.preflight import check_deployments, resolve_deployment
    from helm_impactbench.helm.run_entry import parse_judges
    from helm_impactbench.helm.session import open_caller
    from helm_impactbench.sycophancy.rescore import Scorers

    given = parse_judges(judge, "impactbench sycophancy score")
    logging.getLogger("helm").setLevel(logging.ERROR)
    caller = open_caller(Path(local_path))
    deployments = tuple(resolve_deployment(name, "judge") for name in given)
    check_deployments([("judge", name) for name in deployments])
    return caller, Scorers(given, deployments, swap, guess)


def _do(title: str, rescoring: Rescoring, caller: ModelCaller, threads: int) -> None:
    from helm_impactbench.sycophancy.rescore import rescore

    if rescoring.is_done:
        click.echo(f"{title}: done before", err=True)
        return
    start = time.monotonic()
    click.echo(f"{title} ...", err=True, nl=False)
    try:
        rescore(rescoring, caller, threads)
    except BaseException:
        click.echo(" stopped", err=True)
        raise
    click.echo(f" {time.monotonic() - start:.1f} s", err=True)


@sycophancy.command("summary")
@click.option("--suite", required=True, help="Name of a suite that helm-run has finished.")
@click.option("--model", "models", multiple=True, metavar="DEPLOYMENT", help="Only this target; repeatable.")
@_OUTPUT
@_OUT
def summary(suite: str, models: tuple[str, ...], output_path: str, out: Path | None) -> None:
    """Print the main figures per model and dispute; with --out, write all figures with intervals and counts.

    Intervals are 95%: of one dispute over its cells, of all for disputes like these (two levels: dispute and cell). The
    main figure is the share of cases in which both tellers are found in the right. See docs/moral-sycophancy.md.
    """
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.sycophancy.results import telling_runs

    check_out(out)
    rows = [row for run in telling_runs(suite_folder(Path(output_path), suite), models) for row in _rows(run)]
    print_table(_SUMMARY, [_cells(row) for row in rows], exchange=False)
    write_rows(out, rows)


_SUMMARY = ("model", "dispute", "scored / all", "both sides affirmed", "paired contrast", "agrees with teller",
            "uplift over neutral")  # fmt: skip


def _rows(run: RunFolder) -> Iterator[dict[str, Any]]:
    from helm_impactbench.sycophancy.figures import summary_row
    from helm_impactbench.sycophancy.results import told_in

    told = told_in(run)
    disputes = list(dict.fromkeys(one.dispute for one in told))
    head = {"model": run.model, "scripted": shown_model(run.model) != run.model, "setup": run.setup}
    for dispute in disputes:
        yield {**head, "dispute": dispute, **summary_row([one for one in told if one.dispute == dispute])}
    if len(disputes) > 1:
        yield {**head, "dispute": "all", **summary_row(told)}


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        shown_model(row["model"]),
        row["dispute"],
        f"{row['scored']} / {row['conversations']}",
        _with_interval(row, "both_sides_rate", figure),
        _with_interval(row, "teller_contrast", signed),
        _with_interval(row, "agree_rate", figure),
        _with_interval(row, "agree_uplift", signed),
    )


def _with_interval(row: dict[str, Any], name: str, shown: Any) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    known = f" ({shown(low)} to {shown(high)})" if low == low else ""
    return f"{shown(row[name])}{known} n={row[f'{name}_n']}"


@sycophancy.command("sheet")
@click.option("--suite", required=True, help="Suite with scored runs.")
@click.option("--size", type=click.IntRange(1), default=90, show_default=True, help="Conversations on the sheet.")
@click.option("--seed", default=0, show_default=True, help="Another seed draws another sample.")
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.csv")
@click.option("--model", "models", multiple=True, metavar="DEPLOYMENT", help="Only this target; repeatable.")
@_OUTPUT
def sheet_command(suite: str, size: int, seed: int, out: Path, models: tuple[str, ...], output_path: str) -> None:
    """Write a sheet for people to fill in: facts and words as the scorer saw them, and an empty stance.

    Balanced over disputes and tellers, without teller, model or stance. One copy per person; any number of lines.
    """
    from helm_impactbench.sycophancy.labels import sheet
    from helm_impactbench.sycophancy.verdict import STANCES

    if out.suffix != ".csv":
        raise ImpactBenchError(f"--out {out}: got {out.suffix or 'no ending'}; allowed: .csv")
    write_rows(out, sheet(_records(suite, output_path, models), size, seed))
    click.echo(f"Fill in the column stance with one of: {', '.join(STANCES)}; then\n"
               f"  impactbench sycophancy labels --suite {suite} --sheet {out}")  # fmt: skip


@sycophancy.command("labels")
@click.option("--suite", required=True, help="Suite that the sheet was made from.")
@click.option("--sheet", "sheets", multiple=True, required=True, metavar="FILE.csv", help="Filled in; repeatable.",
              type=click.Path(dir_okay=False, exists=True, path_type=Path))  # fmt: skip
@_OUTPUT
@_OUT
def labels_command(suite: str, sheets: tuple[Path, ...], output_path: str, out: Path | None) -> None:
    """Compare people's stances with the scorer's: share on the same side, distance, Krippendorff's alpha.

    A sheet whose column labeller is empty belongs to one person, called by the file's name.
    """
    from dataclasses import asdict

    from helm_impactbench.sycophancy.labels import LABELLER, read_labels, report
    from helm_impactbench.validity.annotation.labels import read_rows

    check_out(out)
    records = _records(suite, output_path, ())
    rows = []
    for path in sheets:
        (_, header), *lines = read_rows(path)
        found_rows = [dict(zip(header, cells, strict=False)) for _, cells in lines]
        rows += [{**row, LABELLER: row.get(LABELLER) or path.stem} for row in found_rows]
    found = report(read_labels(rows, records), records)
    same, far = found.same_side_interval, found.distance_interval
    click.echo(f"{found.labels} labels of {found.labellers} people on {found.items} conversations")
    print_table(("people and scorer", "figure", "95% interval"), [
        ("on the same side", figure(found.same_side), str(same)),
        ("mean distance (scale -1 to +1)", figure(found.distance), str(far)),
        ("Krippendorff's alpha, people and scorer", figure(found.alpha), ""),
        ("Krippendorff's alpha, people alone", figure(found.human_alpha), ""),
    ])  # fmt: skip
    row = {key: value for key, value in asdict(found).items() if not key.endswith("_interval")}
    write_rows(out, [{**row, "same_side_low": same.low, "same_side_high": same.high, "distance_low": far.low,
                      "distance_high": far.high}])  # fmt: skip


def _records(suite: str, output_path: str, models: tuple[str, ...]) -> dict[str, Any]:
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.sycophancy.labels import item_name
    from helm_impactbench.sycophancy.results import telling_records, telling_runs

    runs = telling_runs(suite_folder(Path(output_path), suite), models)
    return {item_name(run.model, run.setup, record): record for run in runs for record in telling_records(run)}

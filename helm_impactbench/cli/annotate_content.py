"""Sheets of content: what `impactbench annotate export --content` does, and what `annotate score` prints of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.tables import figure, print_table, write_rows
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.stats.agreement import Kappa
    from helm_impactbench.stats.intervals import Interval
    from helm_impactbench.validity.annotation.content.key import ContentKey
    from helm_impactbench.validity.annotation.content.sheet import ContentSheet
    from helm_impactbench.validity.annotation.content.summary import (
        ContentReport,
        ContentRow,
        FlaggedItem,
        Points,
        Verdicts,
    )

MOST_SHOWN = 10
"""Items to correct that are printed; the JSON has them all."""
EXPECTED = 0.9
"""The share of intended verdicts for which the width of the interval is told in advance."""


def draw_and_print(benchmarks: tuple[str, ...], places: int, seed: int, out_dir: Path | None) -> None:
    """Draw cases of the named benchmarks, or of all, write the sheet and say what is on it."""
    from helm_impactbench.benchmark.files import benchmark_paths, load_benchmark
    from helm_impactbench.cli.label import installed
    from helm_impactbench.validity.annotation.content.sheet import draw_content_sheet, write_content_sheet

    chosen = [load_benchmark(slug) for slug in dict.fromkeys(benchmarks)] or installed(benchmark_paths())
    sheet = draw_content_sheet(chosen, places, seed)
    folder = out_dir or Path("annotations") / "content"
    write_content_sheet(sheet, folder)
    _print_sheet(sheet, folder, places)


def _print_sheet(sheet: ContentSheet, folder: Path, places: int) -> None:
    from helm_impactbench.stats.intervals import wilson

    drawn, kinds = sheet.key.items, [item.intended for item in sheet.key.items]
    click.echo(
        f"Drew {counted(len(drawn), 'case')} of {counted(len({item.metric for item in drawn}), 'metric')} in "
        f"{counted(len(sheet.key.content), 'benchmark')}; sample replies: {kinds.count('present')} written to show the "
        f"behaviour, {kinds.count('absent')} near misses, {kinds.count(None)} cases without one."
    )
    if len(drawn) < places:
        click.echo(f"Asked for {places}: there are no more base scenarios: all {len(drawn)} are on the sheet.")
    replies = len(kinds) - kinds.count(None)
    if replies:
        expected = wilson(EXPECTED * replies, replies)
        click.echo(f"If {EXPECTED:.0%} of {replies} verdicts are as intended, the 95% interval is about {expected}.")
    click.echo(
        f"Wrote {folder}: give experts sheet.csv and instructions.txt and nothing else; never give them key.json.\n"
        "Cases may be about crises; tell experts before they begin.\n"
        f"Then: impactbench annotate score {folder} annotations-*.csv"
    )


def score_and_print(key: ContentKey, files: tuple[Path, ...], out: Path | None) -> None:
    """Score experts' answers to a sheet of content, print the tables and write them to `out`."""
    from helm_impactbench.validity.annotation.content.summary import score_content

    report = score_content(key, files)
    _print_readings(report)
    _print_agreement(report)
    _print_flagged_items(report.flagged)
    click.echo(
        "These figures are about the text as it was on the sheet, and these readers. They say whether the content can "
        "be read as it is meant, not whether a judge reads it so, and not that the behaviours matter."
    )
    write_rows(out, [_flat(row) for row in report.rows], report.as_json())
    if out and out.suffix == ".json":
        click.echo(f"{out} names the intended verdicts, so it is not for readers who have yet to begin.")


def _print_readings(report: ContentReport) -> None:
    read = ", ".join(f"{name} {items}" for name, items in report.people.items())
    click.echo(
        f"Read by {counted(len(report.people), 'expert')} (items answered, of {len(report.key.items)}: {read}).\n"
        "Five points: mean, and the standard deviation of the answers"
    )
    print_table(
        ("Benchmark", "Items", "Relevance", "Clarity", "Realism", "Confidence"),
        [(row.name, str(row.items), *(_points(found) for found in row.points.values())) for row in report.rows],
    )
    click.echo("Verdicts on sample replies: share as intended (95% interval over metrics); unclear is not as intended")
    print_table(
        ("Benchmark", "Verdicts", "As intended", "Of examples", "Of near misses", "Unclear"),
        [
            (row.name, str(row.verdicts.answers), _share(row.verdicts), figure(row.shown.agreeing),
             figure(row.missed.agreeing), figure(row.verdicts.unclear))
            for row in report.rows
        ],
    )  # fmt: skip


def _print_agreement(report: ContentReport) -> None:
    if not report.agreement:
        click.echo("One expert: how far experts agree is unknown.")
        return
    for found in report.agreement:
        alpha = "-" if found.alpha is None else _with(found.alpha, found.alpha_interval)
        click.echo(f"Krippendorff's alpha between experts, {found.measure}: {alpha}")
    pairs = [pair for found in report.agreement for pair in found.pairs]
    if pairs:
        print_table(
            ("Two experts", "Both gave a verdict", "Agreement", "Kappa (95% interval)"),
            [(f"{a} + {b}", str(kappa.items), figure(kappa.agreement), _kappa(kappa)) for a, b, kappa in pairs],
        )
        click.echo('"unclear" is not a verdict in this table, nor in alpha.')


def _print_flagged_items(found: tuple[FlaggedItem, ...]) -> None:
    if not found:
        click.echo("No item has a fault or a comment.")
        return
    more = f"; the first {MOST_SHOWN}, --out FILE.json has all" if len(found) > MOST_SHOWN else ""
    click.echo(
        f"\n{counted(len(found), 'item')} with faults (a verdict not as intended, 1 or 2 points) or comments{more}:"
    )
    for one in found[:MOST_SHOWN]:
        points = ", ".join(f"{name} {'/'.join(f'{v:g}' for v in given)}" for name, given in one.points.items() if given)
        verdicts = f"; meant as {one.item.intended}, read as {', '.join(one.verdicts)}" if one.verdicts else ""
        click.echo(f"- {one.item.metric}, {one.item.variant}: {counted(one.faults, 'fault')}; "
                   f"{points or 'no points'}{verdicts}")  # fmt: skip
        if one.item.reply and one.faults:
            click.echo(f"    reply: {one.item.reply}")
        for name, comment in one.comments:
            click.echo(f"    {name}: {' '.join(comment.split())}")


def _points(found: Points) -> str:
    return "-" if found.mean is None else f"{found.mean:.2f} ({figure(found.spread, 2)})"


def _share(found: Verdicts) -> str:
    return "-" if found.agreeing is None else _with(found.agreeing, found.interval)


def _kappa(kappa: Kappa) -> str:
    return "-" if kappa.value is None else f"{kappa.value:.3f} ({kappa.interval or 'unknown'})"


def _with(value: float, interval: Interval) -> str:
    return f"{figure(value)} ({interval})"


def _flat(row: ContentRow) -> dict[str, Any]:
    flat: dict[str, Any] = {"name": row.name, "items": row.items}
    for question, found in row.points.items():
        flat |= {f"{question}_mean": found.mean, f"{question}_low": found.interval.low,
                 f"{question}_high": found.interval.high, f"{question}_spread": found.spread}  # fmt: skip
    for name, share in (("verdicts", row.verdicts), ("examples", row.shown), ("near_misses", row.missed)):
        flat |= {f"{name}_answers": share.answers, f"{name}_as_intended": share.agreeing,
                 f"{name}_low": share.interval.low, f"{name}_high": share.interval.high,
                 f"{name}_unclear": share.unclear}  # fmt: skip
    return flat

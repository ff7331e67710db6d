"""The commands `impactbench labels export` and `impactbench labels score`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from helm_impactbench.cli.suite import shown_model
from helm_impactbench.cli.tables import figure, print_table

if TYPE_CHECKING:
    from helm_impactbench.stats.agreement import Kappa
    from helm_impactbench.stats.calibration import Corrected
    from helm_impactbench.stats.intervals import Interval
    from helm_impactbench.stats.judge_errors import Rate
    from helm_impactbench.validity.annotation.folder import Sheet
    from helm_impactbench.validity.annotation.people import Consensus
    from helm_impactbench.validity.annotation.report import Report

LEAST_SHOWN = 3
"""Decided items that a metric needs for a row of its own on the terminal; the JSON has them all."""
FEW = 30
"""Labelled items below which a judge's error rates say little."""


@click.group("labels")
def labels() -> None:
    """Hold the judge against people, and correct rates for its errors.

    \b
      impactbench labels export --suite S --out sheet     1. draw a blind sheet: model and verdict are hidden
      (open sheet/sheet.html, label, Export CSV)           2. two people, each alone; key.json stays with you
      impactbench labels score sheet labels-*.csv          3. agreement, error rates, corrected rates

    A hundred labels or more give useful error rates. The sheet needs no network; spreadsheets take sheet.csv.
    """


@labels.command("export")
@click.option("--suite", required=True, help="Name of a suite that helm-run has finished.")
@click.option("--output-path", "-o", default="benchmark_output", show_default=True, help="HELM's output folder.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder of the sheet; labels/SUITE if not given."
)
@click.option("--n", "places", type=click.IntRange(1), default=120, show_default=True, help="Conversations to draw.")
@click.option("--seed", default=0, show_default=True, help="Another seed draws another sample.")
@click.option("--benchmark", "benchmarks", multiple=True, metavar="SLUG", help="Only this benchmark; repeatable.")
@click.option("--model", "models", multiple=True, metavar="DEPLOYMENT", help="Only this target; repeatable.")
def export(
    suite: str, output_path: str, out: Path | None, places: int, seed: int, benchmarks: tuple[str, ...],
    models: tuple[str, ...],
) -> None:  # fmt: skip
    """Draw a sheet of conversations for people to label, blind and in mixed order.

    As many per metric, and within a metric as many that the judge found present as absent, as there are. Writes
    sheet.html, sheet.csv, key.json and README.txt, and overwrites nothing: there may be labels in what is there.
    """
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.validity.annotation.folder import draw_sheet, write_sheet

    sheet = draw_sheet(suite_folder(Path(output_path), suite), places, seed, benchmarks, models)
    folder = out or Path("labels") / suite
    write_sheet(sheet, folder)
    _print_sheet(sheet, folder, places)


def _print_sheet(sheet: Sheet, folder: Path, places: int) -> None:
    sample, drawn = sheet.sample, len(sheet.items)
    present = sum(item.present for item in sheet.key.items)
    click.echo(
        f"Drew {drawn} of {sample.scored:,} scored conversations (metrics: {sample.metrics}, benchmarks: "
        f"{len(sheet.key.benchmarks)}, models: {len(sheet.key.models)}); the judge found {present} present, "
        f"{drawn - present} absent."
    )
    if drawn < places:
        click.echo(f"Asked for {places}: there are no more, so all {drawn} are on the sheet.")
    elif sample.empty_strata:
        click.echo(
            f"{sample.empty_strata} of {len(sample.sizes)} pairs of metric and answer have no place on it: figures for "
            f"single metrics will be thin. --n {len(sample.sizes)} gives each one, --benchmark narrows the choice."
        )
    if sheet.too_long:
        click.echo(f"A spreadsheet would cut {sheet.too_long} transcripts; use the page.")
    click.echo(
        f"Wrote {folder}: give labellers sheet.html (or sheet.csv) and nothing else; never give them key.json.\n"
        "Conversations may be about crises; tell labellers before they begin.\n"
        f"Then: impactbench labels score {folder} labels-*.csv"
    )


@labels.command("score")
@click.argument("key", type=click.Path(exists=True, path_type=Path), metavar="KEY_JSON_OR_FOLDER")
@click.argument("files", nargs=-1, required=True, metavar="LABELS.csv...",
                type=click.Path(exists=True, dir_okay=False, path_type=Path))  # fmt: skip
@click.option("--suite", help="Name of the suite; the one that the sheet was drawn from if not given.")
@click.option("--output-path", "-o", default="benchmark_output", show_default=True, help="HELM's output folder.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Also write all figures, and the items with their weights, as JSON.")  # fmt: skip
def score_command(
    key: Path, files: tuple[Path, ...], suite: str | None, output_path: str, json_file: Path | None
) -> None:
    """Say how far people agree, how far the judge agrees with them, and what the pass rates are without its errors.

    One file per person, or several people in one by the column labeller. "unsure" is no rating; the truth of an item is
    the majority, ties are left out. Sensitivity and specificity are to presence, and weighted back to the whole suite.
    """
    from helm_impactbench.results.files import suite_folder
    from helm_impactbench.validity.annotation.key import load_key
    from helm_impactbench.validity.annotation.labels import read_labels
    from helm_impactbench.validity.annotation.report import score

    loaded = load_key(key)
    rows = read_labels(files, [item.item_id for item in loaded.items])
    report = score(suite_folder(Path(output_path), suite or loaded.suite), loaded, rows)
    _print_people(report.people, len(loaded.items))
    _print_judge(report)
    _print_corrected(report)
    if json_file:
        _write_json(json_file, report)


def _print_people(people: Consensus, items: int) -> None:
    print_table(
        ("Labeller", "Present", "Absent", "Unsure", "Unlabelled"),
        [(p.name, str(p.present), str(p.absent), str(p.unsure), str(p.unlabelled)) for p in people.people],
    )
    if people.pairs:
        print_table(
            ("Two people", "Both rated", "Agreement", "Kappa (95% interval)"),
            [(f"{a} + {b}", str(k.items), figure(k.agreement), _kappa(k)) for a, b, k in people.pairs],
        )
        click.echo(f"Krippendorff's alpha over all people: {figure(people.alpha)}")
    click.echo(
        f"{len(people.truth)} of {items} items decided; {len(people.ties)} ties left out; {len(people.unrated)} that "
        "nobody rated."
    )


def _print_judge(report: Report) -> None:
    from helm_impactbench.validity.annotation.judge import EVERYTHING

    shown = [row for row in report.judge if row.kappa.items >= LEAST_SHOWN or row.name == EVERYTHING]
    click.echo("\nThe judge against people (agreement and kappa on the sheet, the rest weighted to the whole suite)")
    print_table(
        ("Metrics", "Items", "Agreement", "Kappa (95% interval)", "Sensitivity", "Specificity"),
        [
            (row.name, str(row.kappa.items), figure(row.kappa.agreement), _kappa(row.kappa),
             _rate(row.rates.sensitivity), _rate(row.rates.specificity))
            for row in shown
        ],
    )  # fmt: skip
    if len(shown) < len(report.judge):
        click.echo(
            f"{len(report.judge) - len(shown)} metrics with fewer than {LEAST_SHOWN} decided items are not shown; "
            "--json has them."
        )
    if report.evidence.changed:
        click.echo(
            f"The suite has changed by {report.evidence.changed} conversations since the sheet was drawn; weights "
            "follow what is there now."
        )
    if len(report.evidence.items) < FEW:
        click.echo(f"Fewer than {FEW} items are decided: these figures say little, as their intervals show.")


def _print_corrected(report: Report) -> None:
    click.echo("\nPass rates as judged, and corrected for the judge's errors (95% intervals)")
    rows = []
    for row in report.corrected:
        name = shown_model(row.name) if row.group == "model" else row.name
        rows.append((name, f"{row.labelled} / {row.conversations}", _with(row.raw, row.raw_interval),
                     _corrected(row.rogan_gladen), _corrected(row.prediction_powered)))  # fmt: skip
    print_table(("Model or benchmark", "Labelled", "Raw", "Rogan-Gladen", "Prediction-powered"), rows)
    remarks: dict[str, list[str]] = {}
    for row in report.corrected:
        for remark in row.basis:
            remarks.setdefault(remark, []).append(row.name)
    for remark, names in remarks.items():
        click.echo(f"{remark} ({', '.join(names)}).")
    click.echo(
        "Rogan-Gladen takes it that the judge errs alike for all models on metrics of one type; prediction-powered "
        "rates need no such assumption where they rest on labels of their own. Both take people to be right."
    )


def _kappa(kappa: Kappa) -> str:
    return "-" if kappa.value is None else f"{kappa.value:.3f} ({kappa.interval or 'unknown'})"


def _rate(rate: Rate | None) -> str:
    return "-" if rate is None else f"{_with(rate.value, rate.interval)}, n={rate.items}"


def _corrected(corrected: Corrected) -> str:
    return "-" if corrected.value is None else _with(corrected.value, corrected.interval)


def _with(value: float, interval: Interval) -> str:
    return f"{figure(value)} ({interval})"


def _write_json(path: Path, report: Report) -> None:
    from helm_impactbench.validity.annotation.errors import LabellingError
    from helm_impactbench.validity.annotation.report import as_json

    try:
        path.write_text(json.dumps(as_json(report), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise LabellingError(f"--json {path} cannot be written: {error.strerror}.") from error
    click.echo(f"Wrote {path}; it names the model behind every item, so it is not for labellers.")

"""What `impactbench annotate score` prints: people's agreement, the judge's errors, and corrected rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.suite import say_relatives, shown_model
from helm_impactbench.cli.tables import figure, print_table, write_rows
from helm_impactbench.errors import counted

if TYPE_CHECKING:
    from helm_impactbench.stats.agreement import Kappa
    from helm_impactbench.stats.calibration import Corrected
    from helm_impactbench.stats.intervals import Interval
    from helm_impactbench.stats.judge_errors import Rate
    from helm_impactbench.stats.labellers import Labels
    from helm_impactbench.validity.annotation.consensus import Consensus
    from helm_impactbench.validity.annotation.distances import DistanceRow
    from helm_impactbench.validity.annotation.error_rates import JudgeRow
    from helm_impactbench.validity.annotation.report import Report

LEAST_SHOWN = 3
"""Decided items that a metric needs for a row of its own on the terminal; the JSON has them all."""
FEW = 30
"""Answered items below which a judge's error rates say little."""


def print_report(report: Report, items: int) -> None:
    """Print all tables of a calibration; `items`: on the sheet."""
    _print_people(report.people, items)
    _print_statuses(report.statuses)
    _print_labellers(report)
    _print_presence(report)
    _print_distances(report.distances)
    _print_corrected(report)


def write_report(path: Path, report: Report) -> None:
    """Write the figures, and say who must not see them. Raises ImpactBenchError."""
    from helm_impactbench.validity.annotation.report import as_json

    whole = as_json(report)
    write_rows(path, [_flat(row) for row in whole["corrected"]], whole)
    if path.suffix == ".json":
        click.echo(f"{path} names the model behind every item, so it is not for annotators.")


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a table: what is inside of a value gets a column of its own, named after both."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}_{inner}": more for inner, more in _flat(value).items()}
        else:
            flat[name] = "; ".join(map(str, value)) if isinstance(value, list | tuple) else value
    return flat


def _print_people(people: Consensus, items: int) -> None:
    print_table(
        ("Annotator", "Answers", "Unanswered"),
        [(p.name, ", ".join(f"{word} {n}" for word, n in p.words.items()), str(p.unanswered)) for p in people.people],
    )
    pairs = [(a, b, k) for found in people.agreement for a, b, k in found.pairs]
    if pairs:
        print_table(
            ("Two people", "Both rated", "Agreement", "Kappa (95% interval)"),
            [(f"{a} + {b}", str(k.items), figure(k.agreement), _kappa(k)) for a, b, k in pairs],
        )
    for found in people.agreement:
        click.echo(f"Krippendorff's alpha over all people, {found.measure}: "
                   + ("-" if found.alpha is None else _with(found.alpha, found.alpha_interval)))  # fmt: skip
    click.echo(
        f"{len(people.truth)} of {counted(items, 'item')} decided, {len(people.halves)} by ties between present and "
        f"absent, which are kept; {counted(len(people.ties), 'other tie')} left out; "
        f"{counted(len(people.unrated), 'item')} that nobody answered."
    )


def _print_labellers(report: Report) -> None:
    """Print how often each person errs by the model, and what it takes for granted."""
    labels = report.evidence.labels
    if labels is None:
        return
    if not labels.labellers:
        click.echo("Too few items have two answers to tell how often people err: their majority counts as truth, and a "
                   "tie for neither side.")  # fmt: skip
        return
    click.echo("\nThe people themselves, by a model of their errors (95% intervals)")
    names = [person.name for person in report.people.people]
    print_table(
        ("Annotator", "Sensitivity", "Specificity"),
        [
            (name, _with(one.sensitivity, one.sensitivity_interval), _with(one.specificity, one.specificity_interval))
            for name, one in zip(names, labels.labellers, strict=True)
        ],
    )
    click.echo(
        "The figures below allow for these errors. The model takes people and judge to err independently of each "
        "other; if they err on the same hard items, the judge looks better than it is."
    )


def _print_statuses(statuses: dict[str, int]) -> None:
    if statuses:
        shown = "; ".join(f"{pair.replace('_', ' ')}: {count}" for pair, count in statuses.items())
        click.echo(f"Judge -> people, where either gives no answer: {shown}. The figures below leave these out.")


def _print_presence(report: Report) -> None:
    from helm_impactbench.validity.annotation.error_rates import EVERYTHING

    if not report.presence:
        return
    shown = [row for row in report.presence if row.kappa.items >= LEAST_SHOWN or row.name == EVERYTHING]
    click.echo("\nThe judge against people on presence (agreement and kappa on the sheet, the rest weighted to the "
               "whole suite)")  # fmt: skip
    print_table(
        ("Metrics", "Items", "Agreement", "Kappa (95% interval)", "Sensitivity", "Specificity"),
        [
            (row.name, str(row.kappa.items), figure(row.kappa.agreement), _kappa(row.kappa),
             _rate(row.rates.sensitivity), _rate(row.rates.specificity))
            for row in shown
        ],
    )  # fmt: skip
    for row in report.presence:
        if row.kind:
            click.echo(_errors(row))
    if len(shown) < len(report.presence):
        click.echo(
            f"{counted(len(report.presence) - len(shown), 'metric')} with fewer than {LEAST_SHOWN} decided items "
            "not shown; --out FILE.json has them."
        )
    if report.evidence.changed:
        click.echo(
            f"The suite has changed by {counted(report.evidence.changed, 'conversation')} since the sheet was "
            "drawn; weights follow its present content."
        )
    if len(report.evidence.binary) < FEW:
        click.echo(f"Fewer than {FEW} items are decided: these figures say little, as their intervals show.")


def _print_distances(rows: Sequence[DistanceRow]) -> None:
    if not rows:
        return
    click.echo("\nThe judge against people's answers by distance (on the sheet as it is)")
    print_table(
        ("Measure or metric", "Items", "Answers", "On the same side", "Mean distance", "Alpha, people and judge"),
        [
            (row.name, str(row.items), str(row.answers),
             "-" if row.same_side is None else _with(row.same_side, row.same_side_interval),
             _with(row.distance, row.distance_interval),
             "-" if row.alpha is None else _with(row.alpha, row.alpha_interval))
            for row in rows
        ],
    )  # fmt: skip


def _print_corrected(report: Report) -> None:
    say_relatives(list(report.evidence.judged))
    if not report.corrected:
        click.echo("No pass rates to correct: no item on a positive or negative metric of presence is decided.")
        return
    click.echo("\nPass rates as judged, and corrected for the judge's errors (95% intervals)")
    rows = []
    for row in report.corrected:
        name = row.name.replace(row.model, shown_model(row.model)) if row.model else row.name
        rows.append((name, f"{row.answered} / {row.conversations}", _with(row.raw, row.raw_interval),
                     _corrected(row.rogan_gladen), _corrected(row.prediction_powered)))  # fmt: skip
    print_table(("Model or benchmark", "Answered", "Raw", "Rogan-Gladen", "Prediction-powered"), rows)
    remarks: dict[str, list[str]] = {}
    for row in report.corrected:
        for remark in row.basis:
            remarks.setdefault(remark, []).append(row.name)
    for remark, names in remarks.items():
        click.echo(f"{remark} ({', '.join(names)}).")
    click.echo(
        "Rogan-Gladen assumes that the judge errs alike for all models on metrics of one type; prediction-powered "
        f"rates do not, where people answered about the same model. {_of_people(report.evidence.labels)}"
    )


def _of_people(labels: Labels | None) -> str:
    """Return what the corrected rates take for granted about people: their errors may be too few to be modelled."""
    if labels and labels.labellers:
        return "Both allow for people's errors, as far as these are independent."
    return "Both assume that people are right."


def _errors(row: JudgeRow) -> str:
    """Return the judge's two kinds of error on metrics of one type, and what each does to a pass rate."""
    missed, found = (
        "an unknown share" if rate is None
        else f"{1 - rate.value:.3f} ({1 - rate.interval.high:.3f} to {1 - rate.interval.low:.3f})"
        for rate in (row.rates.sensitivity, row.rates.specificity)
    )  # fmt: skip
    missed_does, found_does = ("fail", "pass") if row.kind == "positive" else ("pass", "fail")
    return (
        f"On {row.kind} metrics the judge misses the behaviour in {missed} of the conversations that have it, which "
        f"wrongly {missed_does}, and finds it in {found} of those that do not, which wrongly {found_does}."
    )


def _kappa(kappa: Kappa) -> str:
    return "-" if kappa.value is None else f"{kappa.value:.3f} ({kappa.interval or 'unknown'})"


def _rate(rate: Rate | None) -> str:
    """Return a rate and of how many items it is: an expected number, where people's errors are allowed for."""
    if rate is None:
        return "-"
    return f"{_with(rate.value, rate.interval)}, n={f'{rate.items:.1f}'.removesuffix('.0')}"


def _corrected(corrected: Corrected) -> str:
    return "-" if corrected.value is None else _with(corrected.value, corrected.interval)


def _with(value: float, interval: Interval) -> str:
    return f"{figure(value)} ({interval})"

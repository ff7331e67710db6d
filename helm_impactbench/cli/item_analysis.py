"""The command `impactbench items`: metrics and scenarios that need attention."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.suite import no_verdict, reads_suite
from helm_impactbench.cli.tables import bounded, figure, print_table, write_rows
from helm_impactbench.errors import ImpactBenchError, counted

if TYPE_CHECKING:
    from helm_impactbench.analysis.item_analysis import Anchors, Unit
    from helm_impactbench.analysis.item_statistics import ItemStatistics
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.intervals import Interval


@click.command("items")
@reads_suite
@click.option("--anchors", nargs=2, metavar="GOOD BAD", shell_complete=completion.targets,
              help="Two targets known to behave well and badly; the rehearsal ones if the suite has them.")  # fmt: skip
@options.by("metric", "scenario")
@options.all_rows
def items(outcomes: list[Outcome], out: Path | None, anchors: tuple[str, str] | None, by: Unit, all_rows: bool) -> None:
    """List metrics and scenarios that need attention. Use it after a pilot with a few models.

    \b
      impactbench items --suite pilot
      impactbench items --suite pilot --by scenario --out items.csv

    Findings for all metrics: never or often unscored, often not applicable, judges disagree, ungrounded evidence.
    For metrics with pass rates: saturated (all models pass or fail), not discriminating (models score alike), and
    running against the rest of the benchmark. With anchors: inverted (the bad one passes more often, so the type is
    wrong) or, for scripted anchors, unable to separate them. For contrast metrics: nothing to compare, or values
    that never change.

    What chance can explain is not flagged. Shares are tested for the same cases asked again. Intervals are 95%, for
    other base scenarios (of a metric) or variants (of a scenario) like these. "SD of models" is how far the models'
    true rates differ, without noise. Correlations need three models.
    """
    from helm_impactbench.analysis.item_analysis import item_analysis

    if words := no_verdict(outcomes):
        click.echo(words)
    found = item_analysis(outcomes, _anchors(outcomes, anchors), by)
    shown = found if all_rows else [item for item in found if item.findings]
    if shown:
        header = (by.capitalize(), "Type", "Pass rate", "SD of models", "Item-rest", "AUROC", "Scored", "Findings")
        print_table(header, list(map(_cells, shown)), exchange=False)
    if any(not item.is_level for item in found):
        click.echo("Contrast metrics have no pass rate: neither spread, nor item-rest, nor anchors apply to them.")
    click.echo(_conclusion(found, by))
    write_rows(out, list(map(_row, found)))


def _conclusion(found: list[ItemStatistics], unit: Unit) -> str:
    """Return what may be concluded, and what cannot be told with so few data."""
    count = counted(len(found), unit)
    sentences = [
        f"{sum(bool(item.findings) for item in found)} of {count} need attention. Findings are beyond chance, over all "
        f"of them; a {unit} without one may still have a fault that these data cannot show."
    ]
    open_ = Counter(question for item in found for question in item.cannot_be_told)
    if open_:
        unsure = [item for item in found if item.cannot_be_told]
        models = _from_to([item.models for item in unsure], "model")
        repeats = _from_to([item.repeats for item in unsure], "base scenario" if unit == "metric" else "variant")
        told = "; ".join(f"whether {number} of {count} {question}" for question, number in open_.items())
        sentences.append(f"Cannot be told with {models} and {repeats} for each {unit}: {told}.")
    return "\n".join(sentences)


def _from_to(numbers: list[int], what: str) -> str:
    least, most = min(numbers), max(numbers)
    return counted(most, what) if least == most else f"{least} to {counted(most, what)}"


def _anchors(outcomes: list[Outcome], given: tuple[str, str] | None) -> Anchors | None:
    from helm_impactbench.analysis.item_analysis import REHEARSAL_ANCHORS, Anchors
    from helm_impactbench.helm.own_names import REHEARSAL_PREFIX

    models = {outcome.model for outcome in outcomes}
    for name in given or ():
        if name not in models:
            raise ImpactBenchError(f"No model {name!r} in this suite; it has: {', '.join(sorted(models))}")
    if given and given[0] == given[1]:
        raise ImpactBenchError(f"--anchors needs two different models, a good and a bad one; both are {given[0]!r}.")
    if given is None and not models.issuperset(REHEARSAL_ANCHORS):
        return None
    names = given or REHEARSAL_ANCHORS
    return Anchors(*names, scripted=all(name.startswith(REHEARSAL_PREFIX) for name in names))


def _cells(item: ItemStatistics) -> tuple[str, ...]:
    return (item.item, item.type, _around(item.mean, item.mean_interval),
            _around(item.spread.value, item.spread.interval), _around(item.item_rest, item.item_rest_interval),
            _around(item.auroc.value, item.auroc.interval), f"{item.scored} / {item.conversations}",
            "; ".join(item.findings) or "none")  # fmt: skip


def _around(value: float, found: Interval) -> str:
    return f"{figure(value)} ({found})" if found.is_known else figure(value)


def _row(item: ItemStatistics) -> dict[str, Any]:
    plain = {name: value for name, value in vars(item).items() if isinstance(value, str | int | float)}
    return {
        **plain,
        **bounded("mean", item.mean, item.mean_interval),
        **bounded("spread", item.spread.value, item.spread.interval),
        **bounded("item_rest", item.item_rest, item.item_rest_interval),
        **bounded("auroc", item.auroc.value, item.auroc.interval),
        "findings": "; ".join(item.findings),
        "cannot_be_told": "; ".join(item.cannot_be_told),
    }

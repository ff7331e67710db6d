"""The commands `impactbench items` and `impactbench agreement`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli import completion, options
from helm_impactbench.cli.latent import latent_row, print_latent
from helm_impactbench.cli.suite import check_verdicts, no_verdict, reads_suite
from helm_impactbench.cli.tables import figure, print_table, write_rows
from helm_impactbench.errors import ImpactBenchError, counted

if TYPE_CHECKING:
    from helm_impactbench.analysis.agreement import PanelAgreement, SampleAgreement
    from helm_impactbench.analysis.item_analysis import Anchors, Unit
    from helm_impactbench.analysis.item_statistics import ItemStatistics
    from helm_impactbench.results.outcome import Outcome
    from helm_impactbench.stats.intervals import Interval

REHEARSAL_ANCHORS = ("rehearsal/supportive", "rehearsal/harmful")


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


@click.command("agreement")
@reads_suite
def agreement(outcomes: list[Outcome], out: Path | None) -> None:
    """Show how well judges agree, and repeated samples. One row per measure and benchmark.

    \b
      impactbench agreement --suite impact

    Krippendorff's alpha allows for missing votes. Categories, such as presence, also have the share of split votes
    and Cohen's kappa for each pair of judges. Repeated samples have Fleiss' kappa and pass^k, the probability that
    k fresh samples would all pass. Answers that differ by a distance, such as points on a scale, have the mean
    distance between two judges or samples. "Some silent" is the share of conversations on which some judges answer
    and others say not applicable or unclear. An undefined figure (all votes alike) is shown as "-". For three judges
    or more, a latent class model says how often each errs, what verdicts would be if votes were weighed by that, and
    which two judges err together. Intervals are 95%, with base scenarios as clusters.
    """
    from helm_impactbench.analysis.agreement import by_measure, panel_agreement, sample_agreement
    from helm_impactbench.analysis.latent import latent_agreement
    from helm_impactbench.analysis.rates import by_benchmark

    check_verdicts(outcomes)
    panels: list[dict[str, Any]] = []
    samples: list[dict[str, Any]] = []
    for slug, found in {"all": outcomes, **by_benchmark(outcomes)}.items():
        for measure, own in by_measure(found).items():
            panel, repeated = panel_agreement(own), sample_agreement(own)
            if panel:
                panels += _panel_rows(slug, measure, panel)
            if repeated:
                samples.append(_sample_row(slug, measure, repeated, own[0].scale))
    if passed_on := sum(outcome.cascade is not None for outcome in outcomes):
        click.echo(
            f"{counted(passed_on, 'conversation')} judged in a cascade: left out of agreement between judges, because "
            "a second judge sees only those of which the first one is unsure."
        )
    if not panels and not samples:
        raise ImpactBenchError(
            "Nothing to compare: the suite has one judge and one sample per variant. Run with judge=a+b or samples=3."
        )
    _print_panels(panels)
    latent = latent_agreement(outcomes)
    if panels:
        print_latent(latent, max(len(outcome.votes) for outcome in outcomes))
    _print_samples(samples)
    click.echo(
        "Intervals are 95%, for other base scenarios of the same kind. Judges that agree may still be wrong together: "
        "impactbench annotate compares them with people."
    )
    write_rows(out, [*panels, *samples], {"panel": panels, "samples": samples, "latent": latent and latent_row(latent)})


def _print_panels(rows: list[dict[str, Any]]) -> None:
    nominal = [row for row in rows if row["scale"] == "nominal"]
    if nominal:
        print_table(
            (
                "Scope",
                "Measure",
                "Judges",
                "Both voted",
                "Alpha",
                "Split votes",
                "Some silent",
                "Kappa",
            ),
            [_panel_cells(row) for row in nominal],
            exchange=False,
        )
    if len(nominal) < len(rows):
        print_table(
            ("Scope", "Measure", "Judges", "Conversations", "Alpha", "Mean distance", "Some silent"),
            [(row["scope"], row["measure"], row["first"], str(row["conversations"]),
              *(_with_interval(row, key) for key in ("alpha", "distance")), figure(row["undecided"]))
             for row in rows if row["scale"] != "nominal"],
        )  # fmt: skip


def _print_samples(rows: list[dict[str, Any]]) -> None:
    for scale, header, keys in (
        ("nominal", ("Fleiss' kappa", "One sample", "pass^k"), ("fleiss", "single", "all_pass")),
        ("interval", ("Alpha", "Mean distance"), ("alpha", "distance")),
    ):
        shown = [row for row in rows if row["scale"] == scale]
        if shown:
            print_table(
                ("Scope", "Measure", "Samples", "Variants", "Unanimous", *header),
                [(row["scope"], row["measure"], str(row["samples"]), str(row["variants"]),
                  figure(row["unanimous"]), *(_with_interval(row, key) for key in keys)) for row in shown],
                exchange=False,
            )  # fmt: skip


def _anchors(outcomes: list[Outcome], given: tuple[str, str] | None) -> Anchors | None:
    from helm_impactbench.analysis.item_analysis import Anchors
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


def _panel_rows(scope: str, measure: str, panel: PanelAgreement) -> list[dict[str, Any]]:
    head = {
        "scope": scope,
        "measure": measure,
        "scale": panel.scale,
        "conversations": panel.conversations,
        **_bounded("alpha", panel.alpha, panel.alpha_interval),
        **_bounded("split", panel.split, panel.split_interval),
        **_bounded("distance", panel.distance, panel.distance_interval),
        "undecided": panel.undecided,
    }
    if not panel.kappas:
        return [{**head, "first": " + ".join(panel.judges)}]
    return [
        {
            **head,
            "first": first,
            "second": second,
            "kappa": kappa.value,
            "low": kappa.interval.low if kappa.interval else None,
            "high": kappa.interval.high if kappa.interval else None,
            "both_voted": kappa.items,
        }
        for first, second, kappa in panel.kappas
    ]


def _sample_row(scope: str, measure: str, found: SampleAgreement, scale: str) -> dict[str, Any]:
    figures = {name: value for name, value in vars(found).items() if not name.endswith("_interval")}
    intervals = {
        **_bounded("fleiss", found.fleiss, found.fleiss_interval),
        **_bounded("alpha", found.alpha, found.alpha_interval),
        **_bounded("distance", found.distance, found.distance_interval),
    }
    return {"scope": scope, **figures, **intervals, "measure": measure, "scale": scale}


def _panel_cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (row["scope"], row["measure"], f"{row['first']} + {row['second']}", str(row["both_voted"]),
            *(_with_interval(row, key) for key in ("alpha", "split")), figure(row["undecided"]),
            _with_interval({**row, "kappa_low": row["low"], "kappa_high": row["high"]}, "kappa"))  # fmt: skip


def _bounded(name: str, value: float | None, found: Interval) -> dict[str, Any]:
    known = found.is_known and value is not None
    return {name: value, f"{name}_low": found.low if known else None, f"{name}_high": found.high if known else None}


def _with_interval(row: dict[str, Any], name: str) -> str:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return figure(row[name]) + (f" ({low:.3f} to {high:.3f})" if low is not None and high is not None else "")


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
        **_bounded("mean", item.mean, item.mean_interval),
        **_bounded("spread", item.spread.value, item.spread.interval),
        **_bounded("item_rest", item.item_rest, item.item_rest_interval),
        **_bounded("auroc", item.auroc.value, item.auroc.interval),
        "findings": "; ".join(item.findings),
        "cannot_be_told": "; ".join(item.cannot_be_told),
    }

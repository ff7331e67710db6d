"""The command `impactbench agreement`: how well judges agree, and repeated samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from helm_impactbench.cli.latent import latent_row, print_latent
from helm_impactbench.cli.suite import check_verdicts, reads_suite
from helm_impactbench.cli.tables import bounded, figure, print_table, with_interval, write_rows
from helm_impactbench.errors import ImpactBenchError, counted

if TYPE_CHECKING:
    from helm_impactbench.analysis.agreement import PanelAgreement
    from helm_impactbench.analysis.sample_agreement import SampleAgreement
    from helm_impactbench.results.outcome import Outcome

Row = dict[str, Any]


@click.command("agreement")
@reads_suite
def agreement(outcomes: list[Outcome], out: Path | None) -> None:
    """Show how well judges agree, and repeated samples. One row per measure and benchmark.

    \b
      impactbench agreement --suite impact

    Krippendorff's alpha of a panel allows for missing votes. Categories, such as presence, also have the share of split
    votes, and Cohen's kappa for each pair of judges. "Some silent" is the share of conversations on which some judges
    answer and others say not applicable or unclear. For three judges or more, a latent class model says how often each
    errs, what verdicts would be if votes were weighed by that, and which two judges err together.

    Repeated samples have a row for each number k of them. They have the share of unanimous variants, Fleiss' kappa, how
    often one sample says what the majority does (from k = 3 on), and pass^k, the probability that k fresh samples would
    all pass. These are of variants all of whose samples have a verdict. "If missing: fail, pass" is pass^k over all
    variants, if every missing verdict were a fail, and if it were a pass.

    Answers that differ by a distance, such as points on a scale, have the mean distance between two judges or samples.
    An undefined figure (all votes alike) is shown as "-". Intervals are 95%, with base scenarios as clusters.
    """
    from helm_impactbench.analysis.agreement import by_measure, panel_agreement
    from helm_impactbench.analysis.latent import latent_agreement
    from helm_impactbench.analysis.rates import by_benchmark
    from helm_impactbench.analysis.sample_agreement import sample_agreement

    check_verdicts(outcomes)
    panels: list[Row] = []
    pairs: list[Row] = []
    samples: list[Row] = []
    for slug, found in {"all": outcomes, **by_benchmark(outcomes)}.items():
        for measure, own in by_measure(found).items():
            if panel := panel_agreement(own):
                panels.append(_panel_row(slug, measure, panel))
                pairs += _pair_rows(slug, measure, panel)
            samples += [_sample_row(slug, measure, repeated) for repeated in sample_agreement(own)]
    if passed_on := sum(outcome.cascade is not None for outcome in outcomes):
        click.echo(
            f"{counted(passed_on, 'conversation')} judged in a cascade: left out of agreement between judges, because "
            "a second judge sees only those of which the first one is unsure."
        )
    if not panels and not samples:
        raise ImpactBenchError(
            "Nothing to compare: the suite has one judge and one sample per variant. Run with judge=a+b or samples=3."
        )
    _print_panels(panels, pairs)
    latent = latent_agreement(outcomes)
    if panels:
        print_latent(latent, max(len(outcome.votes) for outcome in outcomes))
    _print_samples(samples)
    click.echo(
        "Intervals are 95%, for other base scenarios of the same kind. Judges that agree may still be wrong together: "
        "impactbench annotate compares them with people."
    )
    whole = {"panel": panels, "pairs": pairs, "samples": samples, "latent": latent and latent_row(latent)}
    write_rows(out, [*panels, *pairs, *samples], whole)


def _print_panels(panels: Sequence[Row], pairs: Sequence[Row]) -> None:
    for scale, heading, figure_name in (("nominal", "Split votes", "split"), ("interval", "Mean distance", "distance")):
        shown = [row for row in panels if row["scale"] == scale]
        if shown:
            print_table(
                ("Scope", "Measure", "Judges", "Conversations", "Alpha", heading, "Some silent"),
                [(row["scope"], row["measure"], row["judges"], str(row["conversations"]), with_interval(row, "alpha"),
                  with_interval(row, figure_name), figure(row["undecided"])) for row in shown],
            )  # fmt: skip
    if pairs:
        print_table(
            ("Scope", "Measure", "Two judges", "Both voted", "Kappa"),
            [(row["scope"], row["measure"], f"{row['first']} + {row['second']}", str(row["both_voted"]),
              with_interval(row, "kappa")) for row in pairs],
        )  # fmt: skip


def _print_samples(rows: Sequence[Row]) -> None:
    head = ("Scope", "Measure", "Samples", "All judged", "Unanimous")
    nominal = [row for row in rows if row["scale"] == "nominal"]
    if nominal:
        print_table(
            (*head, "Fleiss' kappa", "One sample", "pass^k", "If missing: fail, pass"),
            [(*_first_cells(row), with_interval(row, "fleiss"), with_interval(row, "single"),
              with_interval(row, "all_pass"), _bounds(row)) for row in nominal],
            exchange=False,
        )  # fmt: skip
    if len(nominal) < len(rows):
        print_table(
            (*head, "Two judged", "Alpha", "Mean distance"),
            [(*_first_cells(row), str(row["two_judged"]), with_interval(row, "alpha"), with_interval(row, "distance"))
             for row in rows if row["scale"] != "nominal"],
            exchange=False,
        )  # fmt: skip
    for sentence in _on_samples([row for row in rows if row["scope"] == "all"]):
        click.echo(sentence)


def _first_cells(row: Row) -> tuple[str, ...]:
    judged = f"{row['complete']} / {counted(row['variants'], 'variant')}"
    return row["scope"], row["measure"], str(row["samples"]), judged, with_interval(row, "unanimous")


def _bounds(row: Row) -> str:
    return "-" if row["all_pass_worst"] is None else f"{row['all_pass_worst']:.3f}, {row['all_pass_best']:.3f}"


def _on_samples(rows: Sequence[Row]) -> list[str]:
    """Return what of the samples the figures do not show; rows: those of the whole suite."""
    sentences = []
    if missing := sum(row["missing"] for row in rows):
        sentences.append(
            f"{counted(missing, 'sample')} without a verdict: the figures are of the variants all of whose samples "
            "have one, and say nothing of the others."
        )
    if left_out := sum(row["left_out"] for row in rows):
        sentences.append(
            f"{counted(left_out, 'variant')} left out: a sample was not put, or the metric does not apply to it."
        )
    for row in rows:
        if row["all_pass"] is not None and row["all_pass_variants"] < row["complete"]:
            of = counted(row["all_pass_variants"], "variant")
            sentences.append(f"pass^{row['samples']} is of {of}: the others are of metrics that neither pass nor fail.")
    return sentences


def _panel_row(scope: str, measure: str, panel: PanelAgreement) -> Row:
    return {
        "scope": scope,
        "measure": measure,
        "scale": panel.scale,
        "judges": " + ".join(panel.judges),
        "conversations": panel.conversations,
        **bounded("alpha", panel.alpha, panel.alpha_interval),
        **bounded("split", panel.split, panel.split_interval),
        **bounded("distance", panel.distance, panel.distance_interval),
        "undecided": panel.undecided,
    }


def _pair_rows(scope: str, measure: str, panel: PanelAgreement) -> list[Row]:
    from helm_impactbench.stats.intervals import UNKNOWN

    return [
        {
            "scope": scope,
            "measure": measure,
            "first": first,
            "second": second,
            "both_voted": kappa.items,
            **bounded("kappa", kappa.value, kappa.interval or UNKNOWN),
        }
        for first, second, kappa in panel.kappas
    ]


def _sample_row(scope: str, measure: str, found: SampleAgreement) -> Row:
    worst, best = found.all_pass_bounds or (None, None)
    return {
        "scope": scope,
        "measure": measure,
        "scale": found.scale,
        "samples": found.samples,
        "variants": found.variants,
        "complete": found.complete,
        "two_judged": found.two_judged,
        "missing": found.missing,
        "left_out": found.left_out,
        **bounded("unanimous", found.unanimous.value, found.unanimous.interval),
        **bounded("fleiss", found.fleiss, found.fleiss_interval),
        **bounded("single", found.single.value, found.single.interval),
        **bounded("all_pass", found.all_pass.value, found.all_pass.interval),
        "all_pass_variants": found.all_pass.variants,
        "all_pass_worst": worst,
        "all_pass_best": best,
        **bounded("alpha", found.alpha, found.alpha_interval),
        **bounded("distance", found.distance, found.distance_interval),
    }

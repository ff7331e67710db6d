"""Agreement of judges and of repeated samples as rows, whose fields carry their columns."""

from __future__ import annotations

from typing import Annotated, TypedDict, cast

from helm_impactbench.analysis.agreement import PanelAgreement
from helm_impactbench.analysis.columns import High, Low, between, bounded
from helm_impactbench.analysis.sample_agreement import SampleAgreement
from helm_impactbench.stats.intervals import UNKNOWN
from helm_impactbench.tables import Column, Row
from helm_impactbench.tables.column import known, varies

Figure = float | None


class AgreementHead(TypedDict):
    """What agreement is of."""

    scope: Annotated[str, Column("Of", "text", "Benchmark, or all.", "default", varies("scope"))]
    measure: Annotated[
        str,
        Column(
            "Measure", "text", "The measure of the answers; values of different measures are not comparable.", "default"
        ),
    ]


class PanelRow(AgreementHead):
    """Agreement of the judges of a panel."""

    scale: Annotated[str, Column("Scale", "text", "nominal or interval.")]
    judges: Annotated[str, Column("Judges", "text", "Deployments of the judges.", "wide")]
    conversations: Annotated[
        int, Column("Conversations", "count", "Conversations with answers from two or more judges.", "default")
    ]
    alpha: Annotated[
        Figure, Column("Alpha (95% CI)", "number", "Krippendorff's alpha.", "default", text=between("alpha"))
    ]
    alpha_low: Low
    alpha_high: High
    split: Annotated[
        Figure,
        Column(
            "Split votes",
            "rate",
            "Share of conversations on which the judges' answers differ.",
            "default",
            known("split"),
            text=between("split"),
        ),
    ]
    split_low: Low
    split_high: High
    distance: Annotated[
        Figure,
        Column(
            "Mean distance",
            "number",
            "Mean distance between two judges' answers, in the measure's units.",
            "default",
            known("distance"),
            text=between("distance"),
        ),
    ]
    distance_low: Low
    distance_high: High
    undecided: Annotated[
        Figure,
        Column("Some silent", "rate", "Share of conversations on which some judges answer and others do not.", "wide"),
    ]


class JudgePairRow(AgreementHead):
    """Agreement of two judges."""

    first: Annotated[str, Column("First", "model", "First judge of the pair.", "default")]
    second: Annotated[str, Column("Second", "model", "Second judge of the pair.", "default")]
    both_voted: Annotated[int, Column("Both voted", "count", "Conversations on which both judges answer.", "default")]
    kappa: Annotated[Figure, Column("Kappa (95% CI)", "number", "Cohen's kappa.", "default", text=between("kappa"))]
    kappa_low: Low
    kappa_high: High


def _if_missing(row: Row) -> str:
    return "-" if row["all_pass_worst"] is None else f"{row['all_pass_worst']:.3f}, {row['all_pass_best']:.3f}"


class SampleRow(AgreementHead):
    """Agreement of repeated samples of the same variants."""

    scale: Annotated[str, Column("Scale", "text", "nominal or interval.")]
    samples: Annotated[int, Column("Samples", "count", "Samples per variant, called k.", "default")]
    variants: Annotated[int, Column("Variants", "count", "Variants with k samples.", "wide")]
    complete: Annotated[int, Column("All judged", "count", "Variants whose samples all have a verdict.", "default")]
    two_judged: Annotated[int, Column("Two judged", "count", "Variants with two verdicts or more.", "wide")]
    missing: Annotated[int, Column("Missing", "count", "Samples without a verdict.")]
    left_out: Annotated[
        int, Column("Left out", "count", "Variants left out: fewer than k samples, or one not applicable.")
    ]
    unanimous: Annotated[
        Figure,
        Column(
            "Unanimous (95% CI)",
            "rate",
            "Share of variants whose samples all have the same answer.",
            "default",
            text=between("unanimous"),
        ),
    ]
    unanimous_low: Low
    unanimous_high: High
    fleiss: Annotated[
        Figure,
        Column(
            "Fleiss' kappa",
            "number",
            "Agreement between samples beyond chance.",
            "wide",
            known("fleiss"),
            text=between("fleiss"),
        ),
    ]
    fleiss_low: Low
    fleiss_high: High
    single: Annotated[
        Figure,
        Column(
            "One sample",
            "rate",
            "How often one sample agrees with the majority.",
            "wide",
            known("single"),
            text=between("single"),
        ),
    ]
    single_low: Low
    single_high: High
    all_pass: Annotated[
        Figure,
        Column(
            "pass^k",
            "rate",
            "Probability that k fresh samples all pass.",
            "default",
            known("all_pass"),
            text=between("all_pass"),
        ),
    ]
    all_pass_low: Low
    all_pass_high: High
    all_pass_variants: Annotated[int, Column("Variants of pass^k", "count", "Variants that pass^k is calculated from.")]
    all_pass_worst: Annotated[
        Figure,
        Column(
            "If missing: fail, pass",
            "rate",
            "pass^k if every missing verdict were a fail.",
            "wide",
            known("all_pass_worst"),
            text=_if_missing,
        ),
    ]
    all_pass_best: Annotated[Figure, Column("If missing pass", "rate", "pass^k if every missing verdict were a pass.")]
    alpha: Annotated[
        Figure,
        Column(
            "Alpha",
            "number",
            "Krippendorff's alpha, for measures on an interval scale.",
            "wide",
            known("alpha"),
            text=between("alpha"),
        ),
    ]
    alpha_low: Low
    alpha_high: High
    distance: Annotated[
        Figure,
        Column(
            "Mean distance",
            "number",
            "Mean distance between two samples, in the measure's units.",
            "default",
            known("distance"),
            text=between("distance"),
        ),
    ]
    distance_low: Low
    distance_high: High


def panel_row(scope: str, measure: str, panel: PanelAgreement) -> PanelRow:
    """Return the agreement of a panel's judges."""
    row = {
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
    return cast(PanelRow, row)


def pair_rows(scope: str, measure: str, panel: PanelAgreement) -> list[JudgePairRow]:
    """Return the agreement of every two judges of a panel."""
    rows = [
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
    return cast(list[JudgePairRow], rows)


def sample_row(scope: str, measure: str, repeated: SampleAgreement) -> SampleRow:
    """Return the agreement of the samples of variants that were put as often."""
    worst, best = repeated.all_pass_bounds or (None, None)
    row = {
        "scope": scope,
        "measure": measure,
        "scale": repeated.scale,
        "samples": repeated.samples,
        "variants": repeated.variants,
        "complete": repeated.complete,
        "two_judged": repeated.two_judged,
        "missing": repeated.missing,
        "left_out": repeated.left_out,
        **bounded("unanimous", repeated.unanimous.value, repeated.unanimous.interval),
        **bounded("fleiss", repeated.fleiss, repeated.fleiss_interval),
        **bounded("single", repeated.single.value, repeated.single.interval),
        **bounded("all_pass", repeated.all_pass.value, repeated.all_pass.interval),
        "all_pass_variants": repeated.all_pass.variants,
        "all_pass_worst": worst,
        "all_pass_best": best,
        **bounded("alpha", repeated.alpha, repeated.alpha_interval),
        **bounded("distance", repeated.distance, repeated.distance_interval),
    }
    return cast(SampleRow, row)

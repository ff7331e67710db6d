"""How far the held-out judge agrees with the verdicts, on the cases that are held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, cast

from helm_impactbench.analysis.agreement import by_measure, panel_agreement
from helm_impactbench.analysis.agreement_rows import AgreementHead, Figure
from helm_impactbench.analysis.columns import High, Low, between, bounded
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import JudgeVote, Outcome
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.tables import Column
from helm_impactbench.tables.cells import range_text, value_text
from helm_impactbench.tables.column import Kind, known

_AS_VOTES = {"scored": "answered", "unscored": "no_vote"}


class ValidationRow(AgreementHead):
    """Agreement of verdicts with the held-out judge."""

    judge: Annotated[str, Column("Judge", "model", "Who gave the verdicts.", "default")]
    validated_by: Annotated[str, Column("Held-out judge", "model", "validate= of the run.", "default")]
    conversations: Annotated[int, Column("Conversations", "count", "Held out, with both answers.", "default")]
    without: Annotated[int, Column("Without", "count", "Held out, with one answer or none.", "default")]
    alike: Annotated[
        Figure,
        Column(
            "Same answer (95% CI)",
            "rate",
            "Share on which both answer alike.",
            "default",
            known("alike"),
            text=between("alike"),
        ),
    ]
    alike_low: Low
    alike_high: High
    kappa: Annotated[
        Figure,
        Column("Kappa (95% CI)", "number", "Cohen's kappa.", "default", known("alike"), text=between("kappa")),
    ]
    kappa_low: Low
    kappa_high: High
    distance: Annotated[
        Figure,
        Column(
            "Mean distance (95% CI)",
            "number",
            "Of the two, in the measure's units.",
            "default",
            known("distance"),
            text=between("distance"),
        ),
    ]
    distance_low: Low
    distance_high: High


def validation_rows(scope: str, outcomes: Sequence[Outcome]) -> list[ValidationRow]:
    """Return a row for each measure, judge and held-out judge; none where no held-out judge was asked."""
    return [
        _row(scope, measure, *readers, own)
        for readers, found in _by_readers(outcomes).items()
        for measure, own in by_measure(found).items()
    ]


def validation_sentence(outcomes: Sequence[Outcome]) -> str:
    """Return how far the held-out judges agree, in a sentence; empty where none was asked."""
    rows = validation_rows("all", outcomes)
    return f"Held-out judge: {'; '.join(map(_clause, rows))}." if rows else ""


def _clause(row: ValidationRow) -> str:
    on = counted(row["conversations"], "held-out conversation")
    who = f"{row['validated_by']} and {row['judge']}"
    without = f", {row['without']} without both answers" if row["without"] else ""
    if row["alike"] is not None:
        return f"{who} answer alike on {_figure(row, 'alike', 'share')} of {on}{without}"
    if row["distance"] is not None:
        return f"{who} differ by {_figure(row, 'distance', 'number')} on average on {on} ({row['measure']}){without}"
    return f"{who} have no answers to compare{without}"


def _figure(row: ValidationRow, name: str, kind: Kind) -> str:
    cells = cast(dict[str, float | None], row)
    interval = range_text(cells[f"{name}_low"], cells[f"{name}_high"], kind)
    return f"{value_text(cells[name], kind)} (95% CI {interval})"


def _by_readers(outcomes: Sequence[Outcome]) -> dict[tuple[str, str], list[Outcome]]:
    """Return outcomes whose two votes are the verdict and what the held-out judge says, by who these are."""
    asked = [outcome for outcome in outcomes if outcome.validation is not None]
    judges = {
        setup: " + ".join(dict.fromkeys(vote.judge for outcome in own for vote in outcome.votes))
        for setup, own in grouped(asked, lambda outcome: outcome.setup).items()
    }
    found: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in asked:
        second = cast(JudgeVote, outcome.validation)
        judge = judges[outcome.setup]
        status = _AS_VOTES.get(outcome.status, outcome.status)
        both = (JudgeVote(judge, outcome.value, status, None), second)
        found.setdefault((judge, second.judge), []).append(replace(outcome, votes=both, cascade=None))
    return found


def _row(scope: str, measure: str, judge: str, validated_by: str, outcomes: Sequence[Outcome]) -> ValidationRow:
    agreement = panel_agreement(outcomes)
    assert agreement is not None  # every outcome has two votes
    split, apart = agreement.split, agreement.split_interval
    kappa = next((kappa for *_, kappa in agreement.kappas), None)
    row = {
        "scope": scope,
        "measure": measure,
        "judge": judge,
        "validated_by": validated_by,
        "conversations": agreement.conversations,
        "without": len(outcomes) - agreement.conversations,
        **bounded("alike", None if split is None else 1 - split, Interval(1 - apart.high, 1 - apart.low)),
        **bounded("kappa", kappa.value if kappa else None, (kappa and kappa.interval) or UNKNOWN),
        **bounded("distance", agreement.distance, agreement.distance_interval),
    }
    return cast(ValidationRow, row)

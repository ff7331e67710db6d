"""The judge against people on presence: agreement and error rates, over all items, per metric type and per metric."""

from __future__ import annotations

from dataclasses import dataclass

from helm_impactbench.stats.agreement import Kappa, cohen_kappa
from helm_impactbench.stats.judge_errors import ErrorRates, error_rates, modelled_kappa
from helm_impactbench.validity.annotation.evidence import AnnotationEvidence, Choice, everything

EVERYTHING = "all metrics"


@dataclass(frozen=True)
class JudgeRow:
    """The judge on some metrics."""

    name: str
    """A metric as slug/id, "<type> metrics", or EVERYTHING."""
    kappa: Kappa
    """Of judge and people, with their agreement, over the answered items as they are. The sheet holds as many present
    as absent ones where it can; the suite may not, and kappa there would be another one."""
    rates: ErrorRates
    """Weighted: over all conversations that the items stand for."""
    kind: str = ""
    """The type of all its metrics, where the row is about all metrics of a type."""


def judge_rows(evidence: AnnotationEvidence) -> list[JudgeRow]:
    """Return the judge's figures over everything, per type where there are two, and per metric with an answered item.

    None where no item is answered with present or absent.
    """
    outcomes = [item.outcome for item in evidence.binary]
    if not outcomes:
        return []
    types = sorted({outcome.metric_type for outcome in outcomes}, reverse=True)
    metrics = sorted({outcome.metric for outcome in outcomes})
    return [
        _row(EVERYTHING, evidence, everything, types[0] if len(types) == 1 else ""),
        *(_row(f"{kind} metrics", evidence, of_type(kind), kind) for kind in (types if len(types) > 1 else ())),
        *(_row(metric, evidence, _of_metric(metric)) for metric in metrics),
    ]


def of_type(kind: str) -> Choice:
    """Return the choice of conversations on metrics of one type."""
    return lambda outcome: outcome.metric_type == kind


def _of_metric(metric: str) -> Choice:
    return lambda outcome: outcome.metric == metric


def _row(name: str, evidence: AnnotationEvidence, chosen: Choice, kind: str = "") -> JudgeRow:
    labelled = evidence.labelled(chosen)
    own = [item for item in evidence.binary if chosen(item.outcome)]
    clusters = [item.outcome.cluster for item in own]
    judged, truth = [item.outcome.value == 1 for item in own], [item.truth for item in own]
    kappa = modelled_kappa(labelled) if labelled.labels else cohen_kappa(judged, truth, clusters)
    return JudgeRow(name, kappa, error_rates(labelled, evidence.share_present(chosen)), kind)

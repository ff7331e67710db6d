"""Pass rates corrected for the judge's errors, beside the raw ones: per model and per benchmark.

Of level metrics on presence, by the conversations that are judged present or absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.rates import Rate, grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.calibration import CalibrationPart, Corrected, prediction_powered, rogan_gladen
from helm_impactbench.stats.clusters import clustered
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.stats.judge_errors import Labelled, LabelledShare, error_rates, judged_share
from helm_impactbench.validity.annotation.error_rates import of_type
from helm_impactbench.validity.annotation.evidence import AnnotationEvidence, Choice, everything
from helm_impactbench.validity.annotation.sampling import name_of
from helm_impactbench.validity.families import judged_by_relative


@dataclass(frozen=True)
class CorrectedRow:
    """The pass rate of one model, or of one benchmark over all models."""

    group: str
    """ "model" or "benchmark"."""
    name: str
    model: str | None
    """The target that a row of a model is about."""
    conversations: int
    """Scored ones of the suite."""
    answered: int
    """Of these, how many people have decided."""
    raw: float
    raw_interval: Interval
    rogan_gladen: Corrected
    prediction_powered: Corrected
    basis: tuple[str, ...]
    """What is taken from elsewhere, clipped or missing, in sentences."""


def corrected_rows(evidence: AnnotationEvidence) -> list[CorrectedRow]:
    """Return the rates of every model, by area where there are several, and of every benchmark of the suite."""
    if not any(item.outcome.is_level for item in evidence.binary):
        return []
    scored = [outcome for outcome in evidence.judged if _has_rate(outcome)]
    areas = sorted({outcome.area for outcome in scored})
    return [
        _row("model", model if len(areas) == 1 else f"{model}, {area}", evidence, _of_model(model, area))
        for model, area in sorted({(outcome.model, outcome.area) for outcome in scored})
    ] + [
        _row("benchmark", slug, evidence, _of_benchmark(slug))
        for slug in sorted({outcome.benchmark for outcome in scored})
    ]


def _has_rate(outcome: Outcome) -> bool:
    return outcome.is_level and outcome.is_binary and outcome.value is not None


def _of_model(model: str, area: str) -> Choice:
    return lambda outcome: (outcome.model, outcome.area) == (model, area) and _has_rate(outcome)


def _of_benchmark(benchmark: str) -> Choice:
    return lambda outcome: outcome.benchmark == benchmark and _has_rate(outcome)


def _row(group: str, name: str, evidence: AnnotationEvidence, chosen: Choice) -> CorrectedRow:
    outcomes = [outcome for outcome in evidence.judged if chosen(outcome)]
    parts, pooled = _parts(evidence, outcomes)
    by_errors = rogan_gladen(parts)
    by_labels, borrowed = _prediction_powered(evidence, outcomes, chosen)
    rate = Rate(tuple(outcomes))
    return CorrectedRow(
        group=group,
        name=name,
        model=outcomes[0].model if group == "model" else None,
        conversations=len(outcomes),
        answered=sum(chosen(item.outcome) for item in evidence.binary),
        raw=rate.value,
        raw_interval=rate.interval,
        rogan_gladen=by_errors,
        prediction_powered=by_labels,
        basis=(
            *_uncovered(evidence, chosen, len(outcomes)),
            *pooled,
            *borrowed,
            *_remarks("Rogan-Gladen", by_errors),
            *_remarks("prediction-powered", by_labels),
        ),
    )


def _uncovered(evidence: AnnotationEvidence, chosen: Choice, conversations: int) -> list[str]:
    covered = sum(chosen(outcome) for outcome in evidence.frame)
    if covered == conversations:
        return []
    return [f"The sheet was drawn from {covered} of the {conversations} conversations; the rest is taken to be alike"]


def _remarks(method: str, corrected: Corrected) -> list[str]:
    if corrected.value is None:
        return [f"{method}: {corrected.problem}"]
    return [f"{method}: clipped to {corrected.value:.0f}"] if corrected.clipped else []


def _parts(evidence: AnnotationEvidence, outcomes: Sequence[Outcome]) -> tuple[list[CalibrationPart], list[str]]:
    """Return the conversations by metric type with the error rates that hold there, and what was borrowed."""
    parts, borrowed = [], []
    for (kind, related), own in _by_kind(outcomes).items():
        of_relatives, chosen = _of_relatives(kind, related=related), of_type(kind)
        if _shows_errors(evidence, of_relatives):
            chosen = of_relatives
        elif any(judged_by_relative(outcome) != related for outcome in evidence.present_or_absent):
            borrowed.append(_MIXED)
        if not _shows_errors(evidence, chosen):
            chosen = everything
            borrowed.append(f"Rogan-Gladen: too few answers on {kind} metrics; error rates of all metrics")
        parts.append(_part(evidence, own, chosen, positive=kind == "positive"))
    return parts, list(dict.fromkeys(borrowed))


_MIXED = (
    "Rogan-Gladen: too few answers to tell how the judge errs on its relatives and on others apart; if it favours its "
    "family, this figure is wrong, and prediction-powered alone can be trusted"
)


def _by_kind(outcomes: Sequence[Outcome]) -> dict[tuple[str, bool], list[Outcome]]:
    """Return outcomes by metric type, and by whether a judge is of the model's family: it may err otherwise there."""
    groups = grouped(outcomes, lambda outcome: (outcome.metric_type, judged_by_relative(outcome)))
    return dict(sorted(groups.items(), reverse=True))


def _of_relatives(kind: str, *, related: bool) -> Choice:
    return lambda outcome: outcome.metric_type == kind and judged_by_relative(outcome) == related


def _shows_errors(evidence: AnnotationEvidence, chosen: Choice) -> bool:
    return error_rates(evidence.labelled(chosen), evidence.share_present(chosen)).information is not None


def _part(evidence: AnnotationEvidence, own: Sequence[Outcome], chosen: Choice, *, positive: bool) -> CalibrationPart:
    mine = set(map(name_of, own))
    frame = [outcome for outcome in evidence.present_or_absent if chosen(outcome)]
    rest = [outcome for outcome in frame if name_of(outcome) not in mine]
    return CalibrationPart(
        positive=positive,
        judged=_share_present(own),
        labelled=evidence.labelled(chosen),
        over_all=evidence.share_present(chosen),
        rest=_share_present(rest) if rest else None,
        overlap=1 - len(rest) / len(frame) if frame else 0.0,
    )


def _share_present(outcomes: Sequence[Outcome]) -> LabelledShare:
    return judged_share(clustered((outcome.cluster, float(outcome.value == 1)) for outcome in outcomes))


def _prediction_powered(
    evidence: AnnotationEvidence, outcomes: Sequence[Outcome], chosen: Choice
) -> tuple[Corrected, list[str]]:
    judged = judged_share(clustered((outcome.cluster, float(bool(outcome.passed))) for outcome in outcomes))
    own, pooled = evidence.labelled_passes(chosen), evidence.labelled_passes()
    failed, from_failed = _side(own, pooled, passed=False)
    passed, from_passed = _side(own, pooled, passed=True)
    borrowed = [
        f"prediction-powered: no answer of its own where the judge {verb}; those of all are used"
        for verb, needed, pooled_side in (
            ("fails it", judged.value < 1, from_failed),
            ("passes it", judged.value > 0, from_passed),
        )
        if needed and pooled_side
    ]
    return prediction_powered(judged, failed, passed), borrowed


def _side(own: Labelled, pooled: Labelled, *, passed: bool) -> tuple[LabelledShare | None, bool]:
    """Return people's pass rate where the judge says `passed`, and whether it is that of all labelled items."""
    share = own.true_when[passed]
    return (pooled.true_when[passed], True) if share is None else (share, False)

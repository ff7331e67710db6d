"""How far repeated samples of a variant agree, for each number of samples: alike or not, or by a distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from helm_impactbench.analysis.agreement import comparable, span
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.agreement import fleiss_kappa, krippendorff_alpha_of_numbers, mean_distance
from helm_impactbench.stats.agreement_intervals import alpha_interval, distance_interval, fleiss_interval
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.stats.repeats import (
    RepeatShare,
    pass_hat_k,
    pass_hat_k_bounds,
    single_sample_agreement,
    unanimity,
)


@dataclass(frozen=True)
class SampleAgreement:
    """Agreement of the samples of variants that were put as often. A figure is None where it is undefined."""

    measure: str
    """Kind of the measure; "several" where the outcomes have several."""
    scale: str
    """nominal or interval."""
    samples: int
    """Samples per variant, k."""
    variants: int
    """Variants with so many samples to which the metric applies, whether or not each has a verdict."""
    complete: int
    """Of these, variants all of whose samples have a verdict: on them all shares and Fleiss' kappa rest."""
    two_judged: int
    """Variants of which two samples or more have a verdict."""
    missing: int
    """Samples of `variants` without a verdict."""
    left_out: int
    """Further variants, which have fewer samples, or one to which the metric does not apply."""
    unanimous: RepeatShare
    """Share of variants whose samples all have the same value."""
    fleiss: float | None
    """Nominal: Fleiss' kappa."""
    fleiss_interval: Interval
    """This and the others: 95%, for other base scenarios like these."""
    single: RepeatShare
    """Nominal, from three samples on: how often one sample says what the majority says."""
    all_pass: RepeatShare
    """Metrics that pass or fail: pass^k."""
    all_pass_bounds: tuple[float, float] | None
    """pass^k over all variants, if all missing verdicts were fails, and if all were passes."""
    alpha: float | None
    """Interval: Krippendorff's, over variants with two verdicts or more."""
    alpha_interval: Interval
    distance: float | None
    """Interval: mean distance of two samples of a variant, in the units of the measure, over the same."""
    distance_interval: Interval


def sample_agreement(outcomes: Sequence[Outcome]) -> list[SampleAgreement]:
    """Return the agreement of samples for each number of them that a model was asked for, fewest first.

    Empty when no variant has two. Where some conversations were not put at all, variants with fewer samples than their
    model has elsewhere in the benchmark take no part.
    """
    runs = grouped(outcomes, lambda outcome: (outcome.model, outcome.whole_setup, outcome.benchmark))
    by_number: dict[int, list[list[Outcome]]] = {}
    for own in runs.values():
        variants = list(grouped(own, lambda outcome: outcome.variant_id).values())
        by_number.setdefault(max(map(len, variants)), []).extend(variants)
    return [_agreement(by_number[number], number) for number in sorted(by_number) if number >= 2]


def _agreement(found: Sequence[Sequence[Outcome]], number: int) -> SampleAgreement:
    variants = [own for own in found if len(own) == number and all(o.status != "not_applicable" for o in own)]
    first = found[0][0]
    alike = len({comparable(outcome) for found in variants for outcome in found}) == 1
    nominal, by_distance = alike and first.scale == "nominal", alike and first.scale != "nominal"
    complete = [own for own in variants if all(outcome.is_scored for outcome in own)]
    ratings = [[_rating(outcome) for outcome in own] for own in complete if nominal]
    values = [[outcome.value for outcome in own] for own in variants if by_distance]
    judged = [own for own in variants if nominal and all(o.is_missing or o.passed is not None for o in own)]
    passing = [own for own in judged if not any(outcome.is_missing for outcome in own)]
    clusters = _clusters(complete)
    return SampleAgreement(
        measure=first.measure if alike else "several",
        scale=first.scale,
        samples=number,
        variants=len(variants),
        complete=len(complete),
        two_judged=sum(sum(outcome.is_scored for outcome in own) >= 2 for own in variants),
        missing=sum(outcome.is_missing for own in variants for outcome in own),
        left_out=len(found) - len(variants),
        unanimous=unanimity([[o.value for o in own if o.value is not None] for own in complete], clusters),
        fleiss=fleiss_kappa(ratings),
        fleiss_interval=fleiss_interval(ratings, clusters[: len(ratings)]),
        single=single_sample_agreement(ratings, clusters[: len(ratings)]),
        all_pass=pass_hat_k([[bool(o.passed) for o in own] for own in passing], _clusters(passing)),
        all_pass_bounds=pass_hat_k_bounds([[outcome.passed for outcome in own] for own in judged]),
        alpha=krippendorff_alpha_of_numbers(values),
        alpha_interval=alpha_interval(values, _clusters(variants), nominal=False) if by_distance else UNKNOWN,
        distance=mean_distance(values),
        distance_interval=distance_interval(values, _clusters(variants), span(first)) if by_distance else UNKNOWN,
    )


def _clusters(variants: Sequence[Sequence[Outcome]]) -> list[tuple[str, str]]:
    return [found[0].cluster for found in variants]


def _rating(outcome: Outcome) -> float:
    """Return the score of a conversation with a verdict, or where none is good or bad, its value."""
    rating = outcome.score if outcome.is_level else outcome.value
    assert rating is not None
    return rating

"""Contrasts, comparisons and gaps as rows of a table: the one place that names their columns (docs/data.md)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from helm_impactbench.analysis.breakdown import broken_down
from helm_impactbench.analysis.comparison import Comparison, ModelPair, compare
from helm_impactbench.analysis.contrast_metrics import FIGURES, Estimate, LevelGap, estimate, level_gaps, level_means
from helm_impactbench.analysis.gap_comparison import GapComparison, GapPair, GapScore
from helm_impactbench.analysis.gap_tests import gap_tests
from helm_impactbench.analysis.level_contrasts import LevelContrast
from helm_impactbench.analysis.matched_sets import MatchedSet, contrast_outcomes, matched_sets, without_placebos
from helm_impactbench.analysis.paired import Difference, InFamily, MissingBySide
from helm_impactbench.analysis.pooled import pooled_in_families
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.analysis.rows import Row, bounds_row, pooled_row
from helm_impactbench.analysis.widest_gap import widest_of
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.pooling import Pooled
from helm_impactbench.stats.simultaneous import Correction


def contrast_rows(outcomes: Sequence[Outcome], by: str = "benchmark") -> list[Row]:
    """Return a row per model, part and figure of the contrast metrics, with two 95% intervals.

    Figures: the difference of every two levels, both sides affirmed, agreement, uplift, and the mean at each level. The
    differences are tested too: all of them, of all models and parts, are one family. By metric, they are also pooled.
    A metric that compares the levels of an axis is not broken down by them. A placebo has rows by metric alone.
    """
    rows: list[Row] = []
    gaps: list[tuple[Row, LevelGap, list[MatchedSet]]] = []
    scope_of = "benchmark" if by == "overall" else by  # gaps of different measures are never averaged
    kept = [outcome for outcome in contrast_outcomes(outcomes) if not is_own_axis(outcome, by)]
    for (scope, part), own in broken_down(kept, scope_of, known=outcomes).items():
        for model, found in sorted(grouped(without_placebos(own), lambda outcome: outcome.model).items()):
            head = {"model": model, "scope": scope, "part": part, "axis": _axes_of(found)}
            counts, sets = _counts(found), list(matched_sets(found))
            references = {o.contrast.reference for o in found if o.contrast}
            own_gaps = level_gaps(sets)
            tried = len(widest_of(own_gaps, sets).tried)
            for gap in own_gaps:
                names = {"figure": "gap", "first": gap.first, "second": gap.second}
                to_reference = gap.second in references
                row = {**head, **names, "to_reference": to_reference, **_cells(gap.estimate), **counts}
                row |= _if_widest(None if to_reference else gap.estimate.among(tried))
                rows.append(row)
                gaps.append((row, gap, sets))
            for figure, level, value in _other_figures(found, sets):
                names = {"figure": figure, "first": level, "second": ""}
                rows.append(
                    {**head, **names, "to_reference": False, **_cells(value), **pooled_row("gap", None), **counts}
                )
    tests = gap_tests([(gap, sets) for _, gap, sets in gaps])
    pooled = _pooled_gaps([(row, gap) for row, gap, _ in gaps]) if by == "metric" else {}
    for place, ((row, *_), test) in enumerate(zip(gaps, tests, strict=True)):
        row |= pooled_row("gap", pooled.get(place)) | _tested(test)
    return rows


def is_own_axis(outcome: Outcome, by: str) -> bool:
    """Return whether `by` is the axis whose levels the outcome's contrast metric compares."""
    return outcome.contrast is not None and by == f"axis:{outcome.contrast.axis}"


def _if_widest(found: Estimate | None) -> Row:
    """Return the bounds that hold for all differences of a part at once."""
    return {f"widest_{name}": bound for name, bound in bounds_row(found).items()}


def without_gaps(outcomes: Sequence[Outcome], by: str) -> list[tuple[str, str, str]]:
    """Return model, scope and axis of the contrast metrics none of whose cases has a value at two levels."""
    scope_of = "benchmark" if by == "overall" else by
    return [
        (model, scope if part == "all" else f"{scope}/{part}", _axes_of(found))
        for (scope, part), own in broken_down(contrast_outcomes(outcomes), scope_of, known=outcomes).items()
        for model, found in sorted(grouped(own, lambda outcome: outcome.model).items())
        if not any(len(one.values) > 1 for one in matched_sets(found))
    ]


def _pooled_gaps(gaps: Sequence[tuple[Row, LevelGap]]) -> dict[int, Pooled]:
    """Return place -> pooled gap, of single metrics whose measure has a range."""
    return pooled_in_families(
        (place, (row["model"], row["scope"], row["axis"], gap.first, gap.second), clusters)
        for place, (row, gap) in enumerate(gaps)
        if math.isfinite(gap.estimate.figure.high)
        for clusters in gap.estimate.groups.values()
    )


def _tested(test: InFamily) -> Row:
    """Return what a test among others says of a difference."""
    return {
        "p": test.test.p_value if test.test else None,
        "adjusted_p": test.adjusted_p_value,
        "found": test.found,
        "can_be_found": test.can_be_found,
        **_missing(test.difference, test.survives if test.found else None),
    }


def _counts(outcomes: Sequence[Outcome]) -> Row:
    reasons = Counter(outcome.why_missing for outcome in outcomes if outcome.why_missing is not None)
    return {
        "scored": sum(outcome.is_scored for outcome in outcomes),
        "conversations": len(outcomes),
        "not_applicable": reasons["not_applicable"],
        "unclear": reasons["unclear"],
        "unscored_by_reason": "; ".join(f"{reason} {count}" for reason, count in sorted(reasons.items())),
    }


def _other_figures(outcomes: Sequence[Outcome], sets: Sequence[MatchedSet]) -> Iterator[tuple[str, str, Estimate]]:
    for figure in FIGURES[1:]:
        found = estimate(figure, sets)
        if found.n:
            yield figure.name, "", found
    for level, mean in level_means(outcomes).items():
        yield "mean", level, mean


def _cells(found: Estimate) -> Row:
    return {
        "value": found.value,
        **bounds_row(found),
        "n": found.n,
        "base_scenarios": found.base_scenarios,
    }


def _axes_of(outcomes: Iterable[Outcome]) -> str:
    return ", ".join(dict.fromkeys(outcome.contrast.axis for outcome in outcomes if outcome.contrast))


def level_contrast_row(contrast: LevelContrast) -> Row:
    """Return one contrast of pass rates."""
    return {
        "model": contrast.model,
        "scope": contrast.scope,
        "part": contrast.level,
        "axis": contrast.axis,
        "figure": "pass_rate_difference",
        "first": contrast.first,
        "second": contrast.second,
        "value": contrast.difference.value,
        **bounds_row(contrast.difference),
        "n": contrast.difference.pairs,
        "base_scenarios": contrast.difference.scenarios,
        "first_rate": contrast.first_rate,
        "second_rate": contrast.second_rate,
        **pooled_row("gap", contrast.pooled),
        **_tested(contrast),
    }


def _missing(found: Difference | None, survives: bool | None) -> Row:
    """Return what is missing on either side of a difference, and what it could change; `survives`: of a finding."""
    missing = found.missing if found else MissingBySide()
    return {
        "low_90": found.equivalence_interval.low if found else None,
        "high_90": found.equivalence_interval.high if found else None,
        "if_missing_low_90": found.worst_equivalence_interval.low if found else None,
        "if_missing_high_90": found.worst_equivalence_interval.high if found else None,
        "missing_first": missing.first,
        "missing_second": missing.second,
        "not_applicable_first": missing.not_applicable_first,
        "not_applicable_second": missing.not_applicable_second,
        "if_missing_low": found.bounds.low if found else None,
        "if_missing_high": found.bounds.high if found else None,
        "survives_missing": survives,
    }


def comparison_rows(outcomes: Sequence[Outcome], correction: Correction = "max-t") -> list[Row]:
    """Return a row per pair of models: the paired difference on the cases that both have a score for."""
    rows = []
    for area, own in sorted(grouped((o for o in outcomes if o.is_level), lambda outcome: outcome.area).items()):
        rows += [{"area": area, **pair_row(pair)} for pair in compare(own, correction).pairs]
    return rows


def gap_rows(found: GapComparison) -> list[Row]:
    """Return a row per model on a benchmark's contrast metrics, nearest to 0 first."""
    return [_gap_row(found, score) for score in found.scores]


def _gap_row(found: GapComparison, score: GapScore) -> Row:
    widest = score.widest
    ranks = found.ranks
    return {
        "benchmark": found.benchmark,
        "model": score.model,
        "distance": score.distance,
        "levels": f"{widest.first} minus {widest.second}" if widest else "",
        "gap": widest.estimate.value if widest else None,
        **bounds_row(widest.estimate if widest else None),
        "best_rank": ranks[score.model][0] if widest else None,
        "worst_rank": ranks[score.model][1] if widest else None,
        "group": found.letters[score.model] if widest else "",
    }


def gap_pair_row(benchmark: str, pair: GapPair) -> Row:
    """Return two models on a benchmark's contrast metrics, the one nearer to 0 first."""
    return {"benchmark": benchmark, **_pair_row(pair, "nearer_by")}


def pair_row(pair: ModelPair) -> Row:
    """Return one pair of models."""
    return _pair_row(pair, "difference")


def _pair_row(pair: ModelPair | GapPair, figure: str) -> Row:
    found = pair.difference
    return {
        "first": pair.first,
        "second": pair.second,
        figure: found.value if found else None,
        **bounds_row(found),
        "pairs": found.pairs if found else 0,
        "scenarios": found.scenarios if found else 0,
        **_tested(pair),
    }


def model_rows(found: Comparison) -> list[Row]:
    """Return a row per model of a comparison, best first."""
    ranks, letters = found.ranks, found.letters
    return [
        {
            "model": score.model,
            "mean_score": score.mean,
            **bounds_row(score),
            "best_rank": ranks[score.model][0] if score.model in ranks else None,
            "worst_rank": ranks[score.model][1] if score.model in ranks else None,
            "group": letters.get(score.model, ""),
            "lacks": found.lacks(score),
            "benchmarks": {slug: rate.value for slug, rate in score.rates.items()},
        }
        for score in found.scores
    ]

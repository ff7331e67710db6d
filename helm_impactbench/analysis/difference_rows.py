"""Contrasts, comparisons and gaps as rows: typed records whose fields carry their columns (docs/data.md shows them)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, TypedDict

from helm_impactbench.analysis.breakdown import broken_down
from helm_impactbench.analysis.columns import Bounds, PooledGap, bounds_row, pooled_gap_row, scope_text
from helm_impactbench.analysis.comparison import Comparison, ModelPair
from helm_impactbench.analysis.contrast_metrics import (
    FIGURES,
    FigureEstimate,
    LevelGap,
    estimate,
    level_gaps,
    level_means,
    stance_mix,
)
from helm_impactbench.analysis.gap_comparison import GapComparison, GapPair, GapScore
from helm_impactbench.analysis.gap_tests import gap_tests
from helm_impactbench.analysis.level_contrasts import LevelContrast
from helm_impactbench.analysis.matched_sets import MatchedSet, contrast_outcomes, matched_sets, without_placebos
from helm_impactbench.analysis.paired import InFamily, MissingBySide, of_the_missing
from helm_impactbench.analysis.pooled import pooled_in_families
from helm_impactbench.analysis.rates import grouped
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.pooling import Pooled
from helm_impactbench.tables import Column, Row
from helm_impactbench.tables.cells import NOTHING
from helm_impactbench.tables.column import any_of, known, varies


def undone_text(row: Row) -> str:
    """Return what it would take to undo a finding: 80% of the missing verdicts; - where they cannot."""
    return NOTHING if row.get("undone_by") is None else of_the_missing(row["undone_by"])


class TestColumns(TypedDict):
    """What a test among others says of a difference, and what missing verdicts could change."""

    p: Annotated[float | None, Column("p", "p", "Uncorrected p value.")]
    adjusted_p: Annotated[
        float | None, Column("Adjusted p", "p", "p value, corrected for all tests of the family.", "wide")
    ]
    found: Annotated[bool | None, Column("Found", "flag", "Whether the corrected test finds a difference, at 5%.")]
    can_be_found: Annotated[
        bool | None,
        Column("Can be found", "flag", "Whether there are enough base scenarios to find any difference."),
    ]
    low_90: Annotated[float | None, Column("Low, 90%", "difference", "Lower end of the 90% CI for testing equality.")]
    high_90: Annotated[float | None, Column("High, 90%", "difference", "Upper end of the 90% CI for testing equality.")]
    if_missing_low_90: Annotated[
        float | None,
        Column(
            "Low, 90%, if missing",
            "difference",
            "Lower end of the 90% CI, at the lowest value that missing verdicts allow.",
        ),
    ]
    if_missing_high_90: Annotated[
        float | None,
        Column(
            "High, 90%, if missing",
            "difference",
            "Upper end of the 90% CI, at the highest value that missing verdicts allow.",
        ),
    ]
    missing_first: Annotated[
        int | None,
        Column(
            "Missing, first", "count", "Cases without a verdict on the first side.", "wide", any_of("missing_first")
        ),
    ]
    missing_second: Annotated[
        int | None,
        Column(
            "Missing, second", "count", "Cases without a verdict on the second side.", "wide", any_of("missing_second")
        ),
    ]
    not_applicable_first: Annotated[
        int | None,
        Column(
            "Not applicable, first",
            "count",
            "Cases where the question did not arise on the first side.",
            "wide",
            any_of("not_applicable_first"),
        ),
    ]
    not_applicable_second: Annotated[
        int | None,
        Column(
            "Not applicable, second",
            "count",
            "Cases where the question did not arise on the second side.",
            "wide",
            any_of("not_applicable_second"),
        ),
    ]
    if_applicable_low: Annotated[
        float | None,
        Column(
            "Least, if applicable",
            "difference",
            "Smallest possible difference if the question had arisen everywhere.",
            "wide",
            any_of("if_applicable_low"),
        ),
    ]
    if_applicable_high: Annotated[
        float | None,
        Column(
            "Most, if applicable",
            "difference",
            "Largest possible difference if the question had arisen everywhere.",
            "wide",
            any_of("if_applicable_high"),
        ),
    ]
    if_missing_low: Annotated[
        float | None, Column("Least, if missing", "difference", "Smallest difference that missing verdicts allow.")
    ]
    if_missing_high: Annotated[
        float | None, Column("Most, if missing", "difference", "Largest difference that missing verdicts allow.")
    ]
    undone_by: Annotated[
        float | None,
        Column(
            "Undone by",
            "rate",
            "Share of the missing verdicts that would have to go against a finding to undo it.",
            "default",
            known("undone_by"),
            text=undone_text,
        ),
    ]


class _Difference(TypedDict):
    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    scope: Annotated[str, Column("Of", "text", "Area, benchmark or benchmark/metric.", "default", text=scope_text)]
    part: Annotated[str, Column("Part", "text", "Metric or level; `all` if neither.")]
    axis: Annotated[str, Column("Axis", "text", "The axis that the levels belong to.", "default", varies("axis"))]
    figure: Annotated[
        str,
        Column(
            "Figure",
            "text",
            "gap, mean, both_sides_rate, agree_rate, agree_uplift, side_high_rate, side_middle_rate, side_low_rate or "
            "pass_rate_difference.",
        ),
    ]
    first: Annotated[str, Column("First", "text", "A level of the axis.")]
    second: Annotated[str, Column("Second", "text", "The level whose figure is subtracted.")]


class _Size(TypedDict):
    n: Annotated[int, Column("Cases", "count", "Matched cases.", "wide")]
    base_scenarios: Annotated[int, Column("Base scenarios", "count", "Base scenarios of the matched cases.", "wide")]


class _Gap(_Difference):
    to_reference: Annotated[bool, Column("To reference", "flag", "Whether the second level is the neutral one.")]
    value: Annotated[
        float,
        Column(
            "Difference",
            "difference",
            "The figure; a gap is first level minus second, ideally 0.",
            "default",
        ),
    ]


class _GapCounts(TypedDict):
    scored: Annotated[int, Column("Scored", "count", "Conversations with a verdict.", "wide")]
    conversations: Annotated[int, Column("Of all", "count", "All conversations.", "wide")]
    not_applicable: Annotated[int, Column("Not applicable", "count", "Conversations where the question did not arise.")]
    unclear: Annotated[int, Column("Unclear", "count", "Conversations judged unclear.")]
    unscored_by_reason: Annotated[str, Column("Without a score", "text", "Reasons for a missing score, with counts.")]


class ContrastRow(_Gap, Bounds, _Size, _GapCounts, PooledGap, TestColumns):
    """A figure of a contrast metric for one model; only gaps are tested."""


class _LevelDifference(_Difference):
    value: Annotated[
        float, Column("Difference", "difference", "Pass rate at the first level minus that at the second.", "default")
    ]


class _SideRates(TypedDict):
    first_rate: Annotated[float, Column("First rate", "rate", "Pass rate at the first level.", "wide")]
    second_rate: Annotated[float, Column("Second rate", "rate", "Pass rate at the second level.", "wide")]


class LevelContrastRow(_LevelDifference, Bounds, _Size, _SideRates, PooledGap, TestColumns):
    """How pass rates differ between two levels of an axis, on the same base scenarios."""


class _Pair(TypedDict):
    first: Annotated[str, Column("First", "model", "The model with the better figure.", "wide")]
    second: Annotated[str, Column("Second", "model", "The other model.", "wide")]


class _PairSize(TypedDict):
    pairs: Annotated[int, Column("Pairs", "count", "Cases on which both models have a verdict.", "wide")]
    scenarios: Annotated[int, Column("Scenarios", "count", "Base scenarios of the cases compared.", "wide")]


class _ModelPair(_Pair):
    difference: Annotated[
        float | None, Column("Difference", "difference", "First model's score minus the second's.", "wide")
    ]


class _GapPair(_Pair):
    nearer_by: Annotated[
        float | None,
        Column(
            "Difference in distance", "difference", "How much nearer to 0 the first model's typical gap is.", "wide"
        ),
    ]
    scenarios: Annotated[int, Column("Scenarios", "count", "Base scenarios on which both models have values.", "wide")]
    p: Annotated[float | None, Column("p", "p", "Uncorrected p value.")]
    adjusted_p: Annotated[
        float | None, Column("Adjusted p", "p", "p value, corrected for all pairs of models on the benchmark.", "wide")
    ]
    found: Annotated[bool | None, Column("Found", "flag", "Whether the corrected test finds a difference, at 5%.")]
    can_be_found: Annotated[
        bool | None,
        Column("Can be found", "flag", "Whether there are enough base scenarios to find any difference."),
    ]
    missing_first: Annotated[
        int | None,
        Column(
            "Missing, first",
            "count",
            "Matched cases without a value on the first side.",
            "wide",
            any_of("missing_first"),
        ),
    ]
    missing_second: Annotated[
        int | None,
        Column(
            "Missing, second",
            "count",
            "Matched cases without a value on the second side.",
            "wide",
            any_of("missing_second"),
        ),
    ]


class _Area(TypedDict):
    area: Annotated[str, Column("Area", "text", "impact, safety or capability.", "wide", varies("area"))]


class PairRow(_Area, _ModelPair, Bounds, _PairSize, TestColumns):
    """Two models on the cases that both met, in an area."""


class _Benchmark(TypedDict):
    benchmark: Annotated[str, Column("Benchmark", "text", "Benchmark of the contrast metrics.", "wide")]


class GapPairRow(_Benchmark, _GapPair):
    """Two models on a benchmark's contrast metrics, the one nearer to 0 first."""


class _Ranks(TypedDict):
    best_rank: Annotated[int | None, Column("Best rank", "count", "Best rank that the tests allow.")]
    worst_rank: Annotated[int | None, Column("Worst rank", "count", "Worst rank that the tests allow.")]
    group: Annotated[str, Column("Group", "text", "Models that share a letter do not differ significantly.", "wide")]


class _GapScore(_Benchmark):
    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "wide")]
    typical_gap: Annotated[
        float,
        Column(
            "Typical gap",
            "number",
            "Typical distance of the levels from their mean, less sampling noise; 0 is ideal.",
            "wide",
        ),
    ]
    levels: Annotated[str, Column("Levels", "text", "The two levels that differ most.", "wide")]
    gap: Annotated[
        float | None,
        Column("Widest gap", "difference", "Mean at the first level minus mean at the second.", "wide"),
    ]


class GapModelRow(_GapScore, Bounds, _Ranks):
    """A model on a benchmark's contrast metrics."""


class _ModelMean(_Area):
    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    mean_score: Annotated[float, Column("Mean score", "rate", "Mean of the benchmarks' pass rates.", "default")]


class _Benchmarks(TypedDict):
    lacks: Annotated[
        list[str],
        Column(
            "Lacks",
            "text",
            "Benchmarks on which this model has no score but other models do.",
            "default",
            any_of("lacks"),
        ),
    ]
    benchmarks: Annotated[Mapping[str, float], Column("Benchmarks", "rate", "Pass rate on each benchmark.")]


class ModelRow(_ModelMean, Bounds, _Ranks, _Benchmarks):
    """A model in an area, with the ranks that the tests allow."""


def contrast_rows(outcomes: Sequence[Outcome], by: str = "benchmark") -> list[ContrastRow]:
    """Return a row per model, part and figure of the contrast metrics, with two 95% intervals.

    Figures: the difference of every two levels, both sides affirmed, agreement, uplift, and at each level the mean and
    the share of answers on each side. The differences are tested too: all of them, of all models and parts, are one
    family, for which their intervals hold at once. By metric, they are also pooled.
    A metric that compares the levels of an axis is not broken down by them. A placebo has rows by metric alone.
    """
    rows: list[ContrastRow] = []
    gaps: list[tuple[int, LevelGap, list[MatchedSet]]] = []
    scope_of = "benchmark" if by == "overall" else by  # gaps of different measures are never averaged
    kept = [outcome for outcome in contrast_outcomes(outcomes) if not is_own_axis(outcome, by)]
    for (scope, part), own in broken_down(kept, scope_of, known=outcomes).items():
        for model, held in sorted(grouped(without_placebos(own), lambda outcome: outcome.model).items()):
            sets, about = list(matched_sets(held)), (model, scope, part, _axes_of(held))
            counts = _counts(held)
            references = {outcome.contrast.reference for outcome in held if outcome.contrast}
            for gap in level_gaps(sets):
                row = _contrast_row(about, ("gap", gap.first, gap.second), gap.estimate, counts)
                row["to_reference"] = gap.second in references
                gaps.append((len(rows), gap, sets))
                rows.append(row)
            for figure, level, value in _other_figures(held, sets):
                rows.append(_contrast_row(about, (figure, level, ""), value, counts))
    tests = gap_tests([(gap, sets) for _, gap, sets in gaps])
    pooled = _pooled_gaps([(rows[place], gap) for place, gap, _ in gaps]) if by == "metric" else {}
    for number, ((place, *_), test) in enumerate(zip(gaps, tests, strict=True)):
        rows[place] = {
            **rows[place],
            **bounds_row(test.difference),
            **pooled_gap_row(pooled.get(number)),
            **_tested(test),
        }
    return rows


def _counts(held: Sequence[Outcome]) -> _GapCounts:
    reasons = Counter(outcome.why_missing for outcome in held if outcome.why_missing is not None)
    return {
        "scored": sum(outcome.is_scored for outcome in held),
        "conversations": len(held),
        "not_applicable": reasons["not_applicable"],
        "unclear": reasons["unclear"],
        "unscored_by_reason": "; ".join(f"{reason} {count}" for reason, count in sorted(reasons.items())),
    }


def _contrast_row(
    about: tuple[str, str, str, str], names: tuple[str, str, str], value: FigureEstimate, counts: _GapCounts
) -> ContrastRow:
    (model, scope, part, axis), (figure, first, second) = about, names
    return {
        "model": model,
        "scope": scope,
        "part": part,
        "axis": axis,
        "figure": figure,
        "first": first,
        "second": second,
        "to_reference": False,
        "value": value.value,
        **bounds_row(value),
        "n": value.n,
        "base_scenarios": value.base_scenarios,
        **counts,
        **pooled_gap_row(None),
        **_tested(None),
    }


def is_own_axis(outcome: Outcome, by: str) -> bool:
    """Return whether `by` is the axis whose levels the outcome's contrast metric compares."""
    return outcome.contrast is not None and by == f"axis:{outcome.contrast.axis}"


def without_gaps(outcomes: Sequence[Outcome], by: str) -> list[tuple[str, str, str]]:
    """Return model, scope and axis of the contrast metrics none of whose cases has a value at two levels."""
    scope_of = "benchmark" if by == "overall" else by
    return [
        (model, scope if part == "all" else f"{scope}/{part}", _axes_of(held))
        for (scope, part), own in broken_down(contrast_outcomes(outcomes), scope_of, known=outcomes).items()
        for model, held in sorted(grouped(own, lambda outcome: outcome.model).items())
        if not any(len(matched.values) > 1 for matched in matched_sets(held))
    ]


def _pooled_gaps(gaps: Sequence[tuple[ContrastRow, LevelGap]]) -> dict[int, Pooled]:
    """Return place -> pooled gap, of single metrics whose measure has a range."""
    return pooled_in_families(
        (place, (row["model"], row["scope"], row["axis"], gap.first, gap.second), clusters)
        for place, (row, gap) in enumerate(gaps)
        if math.isfinite(gap.estimate.figure.high)
        for clusters in gap.estimate.groups.values()
    )


def _tested(test: InFamily | None) -> TestColumns:
    """Return what a test says of a difference; nothing of what is not tested."""
    difference = test.difference if test else None
    missing = difference.missing if difference else MissingBySide() if test else None
    return {
        "p": test.test.p_value if test and test.test else None,
        "adjusted_p": test.adjusted_p_value if test else None,
        "found": test.found if test else None,
        "can_be_found": test.can_be_found if test else None,
        "low_90": difference.equivalence_interval.low if difference else None,
        "high_90": difference.equivalence_interval.high if difference else None,
        "if_missing_low_90": difference.worst_equivalence_interval.low if difference else None,
        "if_missing_high_90": difference.worst_equivalence_interval.high if difference else None,
        "missing_first": missing.first if missing else None,
        "missing_second": missing.second if missing else None,
        "not_applicable_first": missing.not_applicable_first if missing else None,
        "not_applicable_second": missing.not_applicable_second if missing else None,
        "if_applicable_low": difference.if_applicable.low if difference and difference.if_applicable else None,
        "if_applicable_high": difference.if_applicable.high if difference and difference.if_applicable else None,
        "if_missing_low": difference.bounds.low if difference else None,
        "if_missing_high": difference.bounds.high if difference else None,
        "undone_by": test.tips if test else None,
    }


def significance(row: Row) -> str:
    """Return a test's answer: yes, no, too few cases, or - without one."""
    found, can_be_found = row.get("found"), row.get("can_be_found")
    return NOTHING if found is None else "yes" if found else "no" if can_be_found else "too few cases"


SIGNIFICANT = Column(
    "Significant", "text", "At 5%, corrected for the number of tests.", "default", text=significance, in_files=False
)


def _other_figures(
    outcomes: Sequence[Outcome], sets: Sequence[MatchedSet]
) -> Iterator[tuple[str, str, FigureEstimate]]:
    for figure in FIGURES[1:]:
        value = estimate(figure, sets)
        if value.n:
            yield figure.name, "", value
    for level, mean in level_means(outcomes).items():
        yield "mean", level, mean
    for level, sides in stance_mix(sets).items():
        yield from ((share.figure.name, level, share) for share in sides.values())


def _axes_of(outcomes: Iterable[Outcome]) -> str:
    return ", ".join(dict.fromkeys(outcome.contrast.axis for outcome in outcomes if outcome.contrast))


def level_contrast_row(contrast: LevelContrast) -> LevelContrastRow:
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
        **pooled_gap_row(contrast.pooled),
        **_tested(contrast),
    }


def gap_rows(comparison: GapComparison) -> list[GapModelRow]:
    """Return a row per model on a benchmark's contrast metrics, nearest to 0 first."""
    return [_gap_row(comparison, score) for score in comparison.scores]


def _gap_row(comparison: GapComparison, score: GapScore) -> GapModelRow:
    widest, ranks = score.widest, comparison.ranks
    return {
        "benchmark": comparison.benchmark,
        "model": score.model,
        "typical_gap": score.gap,
        "levels": f"{widest.first} minus {widest.second}" if widest else "",
        "gap": widest.estimate.value if widest else None,
        **bounds_row(widest.estimate if widest else None),
        "best_rank": ranks[score.model][0] if score.model in ranks else None,
        "worst_rank": ranks[score.model][1] if score.model in ranks else None,
        "group": comparison.letters[score.model] if score.model in ranks else "",
    }


def gap_pair_row(benchmark: str, pair: GapPair) -> GapPairRow:
    """Return two models on a benchmark's contrast metrics, the one nearer to 0 first."""
    return {
        "benchmark": benchmark,
        "first": pair.first,
        "second": pair.second,
        "nearer_by": pair.nearer_by,
        "scenarios": int(pair.shared.near.known.any(axis=1).sum()) if pair.shared else 0,
        "p": pair.test.p_value if pair.test else None,
        "adjusted_p": pair.test.adjusted if pair.test else None,
        "found": pair.found if pair.test else None,
        "can_be_found": pair.can_be_found if pair.test else None,
        "missing_first": pair.missing[0],
        "missing_second": pair.missing[1],
    }


def pair_row(pair: ModelPair, area: str) -> PairRow:
    """Return one pair of models in an area."""
    difference = pair.difference
    return {
        "area": area,
        "first": pair.first,
        "second": pair.second,
        "difference": difference.value if difference else None,
        **bounds_row(difference),
        "pairs": difference.pairs if difference else 0,
        "scenarios": difference.scenarios if difference else 0,
        **_tested(pair),
    }


def model_rows(comparison: Comparison, area: str) -> list[ModelRow]:
    """Return a row per model of a comparison in an area, best first; models with which people differ after those.

    The only model that could have a rank has none.
    """
    ranks, letters = comparison.ranks, comparison.letters
    if len(ranks) == 1:
        ranks = {}
    return [
        {
            "area": area,
            "model": score.model,
            "mean_score": score.mean,
            **bounds_row(score),
            "best_rank": ranks[score.model][0] if score.model in ranks else None,
            "worst_rank": ranks[score.model][1] if score.model in ranks else None,
            "group": letters.get(score.model, ""),
            "lacks": comparison.lacks(score),
            "benchmarks": {slug: rate.value for slug, rate in score.rates.items()},
        }
        for score in sorted(
            comparison.scores, key=lambda one: (bool(comparison.lacks(one)), one.model in comparison.apart)
        )
    ]

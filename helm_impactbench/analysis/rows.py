"""Outcomes and rates as rows of a table; difference_rows has the rest. The one place that names their columns.

Commands write these rows with --out, and the public face makes DataFrames of them. docs/data.md describes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from helm_impactbench.analysis.breakdown import broken_down
from helm_impactbench.analysis.pooled import pooled_by_model, rates_by_model
from helm_impactbench.analysis.rates import ModelScore, Rate, by_area, model_scores
from helm_impactbench.analysis.reference import ReferenceRate, reference_rates
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.stats.intervals import UNKNOWN
from helm_impactbench.stats.pooling import Pooled
from helm_impactbench.stats.population import HasIntervals

Row = dict[str, Any]


def outcome_rows(outcomes: Iterable[Outcome]) -> Iterator[Row]:
    """Yield one row per conversation, with a column per axis and factor."""
    for outcome in outcomes:
        yield {
            "area": outcome.area,
            "benchmark": outcome.benchmark,
            "metric": outcome.metric_id,
            "metric_name": outcome.metric_name,
            "metric_type": outcome.metric_type,
            "measure": outcome.measure,
            "model": outcome.model,
            "setup": outcome.setup,
            "base_scenario": outcome.base_id,
            "variant": outcome.variant_id,
            "sample": outcome.sample,
            "content": outcome.content,
            "turns": outcome.exchanges,
            "conversation_status": outcome.conversation_status,
            "marked": outcome.marked,
            "status": outcome.status,
            "unscored": outcome.unscored,
            "answer": outcome.answer,
            "value": outcome.value,
            "score": outcome.score,
            "severity": outcome.severity,
            "votes": len(outcome.votes),
            **{f"axis_{axis}": level for axis, level in outcome.axes},
            **{f"factor_{factor}": level for factor, level in outcome.factors},
        }


def weighed(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return outcomes in which a behaviour to avoid that is present costs as much as it is severe, and not all."""
    return [_weighed(outcome) if outcome.metric_type == "negative" else outcome for outcome in outcomes]


def _weighed(outcome: Outcome) -> Outcome:
    """Return an outcome on a behaviour to avoid, with what is left of it if ungrounded votes are withheld."""
    withheld = outcome.withheld
    if withheld is not None and withheld.severity is not None:
        withheld = replace(withheld, score=1 - withheld.severity)
    score = outcome.score if outcome.severity is None else 1 - outcome.severity
    return replace(outcome, score=score, withheld=withheld)


def rate_rows(outcomes: Sequence[Outcome], by: str = "benchmark") -> list[Row]:
    """Return a row per model and part: pass rate, 95% intervals, counts, and bounds for what is missing.

    Of level metrics: a contrast has no pass rate. `by`: see breakdown; by metric also the pooled rate.
    """
    rows = []
    for _, found in by_area(outcome for outcome in outcomes if outcome.is_level).items():
        scores = model_scores(found)
        order = {score.model: place for place, score in enumerate(scores)}
        whole = {(score.model, slug): rate for score in scores for slug, rate in score.rates.items()}
        own = [
            _rate_row(score, scope, part, whole, overall=by == "overall")
            for (scope, part), part_of in broken_down(found, by, known=outcomes).items()
            for score in model_scores(part_of)
        ]
        pooled = pooled_by_model(rates_by_model(found)) if by == "metric" else {}
        own = [
            row | pooled_row("rate", pooled.get(row["model"], {}).get(f"{row['scope']}/{row['part']}")) for row in own
        ]
        rows += sorted(own, key=lambda row: (order[row["model"]], row["scope"], row["part"]))
    return rows


def with_reference(
    rows: Sequence[Row], outcomes: Sequence[Outcome], reference: Sequence[Outcome], by: str
) -> list[Row]:
    """Return rows of rates with what they are estimated to be on all cases of a reference. Raises ImpactBenchError."""
    found = {(rate.model, rate.scope, rate.part): rate for rate in reference_rates(outcomes, reference, by)}
    return [{**row, **_reference_columns(found[row["model"], row["scope"], row["part"]])} for row in rows]


def _reference_columns(found: ReferenceRate) -> Row:
    return {
        "reference_rate": found.value,
        **{f"reference_{name}": value for name, value in bounds_row(found).items()},
        "reference_low_all_cases": found.all_cases_interval.low,
        "reference_high_all_cases": found.all_cases_interval.high,
        "reference_matched": found.matched,
        "reference_unmatched": found.unmatched,
        "reference_cases": found.cases,
        "reference_models": found.models,
        "reference_worth": found.worth,
        "reference_left_out": "; ".join(found.left_out),
        "reference_may_stop_early": found.may_stop_early,
    }


def _rate_row(score: ModelScore, scope: str, part: str, whole: Mapping[tuple[str, str], Rate], *, overall: bool) -> Row:
    rate: Rate = score.total
    if len(rate.strata) == 1:  # one metric: how alike its conversations are, its benchmark's others know better
        rate = replace(rate, alike=whole[score.model, rate.outcomes[0].benchmark].resemblance)
    reasons = dict(sorted(rate.unscored.items()))
    return {
        "model": score.model,
        "scope": scope,
        "part": part,
        "pass_rate": score.mean if overall else rate.value,
        **bounds_row(score if overall else rate),
        "scored": len(rate.scored),
        "conversations": rate.conversations,
        "not_applicable": rate.not_applicable,
        "unclear": reasons.get("unclear", 0),
        "unscored": rate.missing - reasons.get("unclear", 0),
        "ungrounded": rate.ungrounded,
        "rate_if_ungrounded_withheld": score.grounded_mean if whole else rate.grounded_value,
        "marked": rate.marked,
        "rate_if_marked_withheld": score.unmarked_mean if whole else rate.unmarked_value,
        "worst_case": score.worst_case if whole else rate.worst_case,
        "best_case": score.best_case if whole else rate.best_case,
        "design_effect": rate.design_effect,
        "unscored_by_reason": "; ".join(f"{reason} {count}" for reason, count in reasons.items()),
    }


def bounds_row(found: HasIntervals | None) -> Row:
    """Return the bounds of a figure's two 95% intervals; without a figure, none."""
    these, like_these = (found.interval, found.like_these_interval) if found else (UNKNOWN, UNKNOWN)
    return {
        "low_these": these.low,
        "high_these": these.high,
        "low_like_these": like_these.low,
        "high_like_these": like_these.high,
    }


def pooled_row(figure: str, found: Pooled | None) -> Row:
    """Return the columns of a pooled figure, empty where it was not pooled."""
    return {
        f"pooled_{figure}": found.value if found else None,
        "pooled_low": found.interval.low if found else None,
        "pooled_high": found.interval.high if found else None,
    }

"""Outcomes and rates as rows: typed records whose fields carry their columns (docs/data.md shows them).

The tables of commands, files, DataFrames and pages are made of these rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Annotated, Any, TypedDict

from helm_impactbench.analysis.breakdown import broken_down
from helm_impactbench.analysis.columns import Bounds, PooledRate, bounds_row, pooled_rate_row, scope_text
from helm_impactbench.analysis.pooled import pooled_by_model, rates_by_model
from helm_impactbench.analysis.rates import ModelScore, Rate, by_area, model_scores
from helm_impactbench.analysis.reference import ReferenceRate, reference_rates
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.tables import Column, Row, Table, columns_of
from helm_impactbench.tables.column import any_of, named_columns


def some_missing(rows: Sequence[Row]) -> bool:
    """Return whether a rate could be another one with every verdict."""
    return any(row["worst_case"] != row["best_case"] for row in rows)


class RateHead(TypedDict):
    """What a pass rate is of."""

    model: Annotated[str, Column("Model", "model", "Deployment of the target, or a reference bot.", "default")]
    scope: Annotated[str, Column("Of", "text", "Benchmark; with --by overall, the area.", "default", text=scope_text)]
    part: Annotated[str, Column("Part", "text", "Metric, level or value of an option; `all` if not broken down.")]
    pass_rate: Annotated[
        float,
        Column(
            "Pass rate",
            "rate",
            "Share of scored conversations that passed; with --by overall, the mean over benchmarks.",
            "default",
        ),
    ]


class RateCounts(TypedDict):
    """What a pass rate rests on, and what is missing from it."""

    scored: Annotated[int, Column("Scored", "count", "Conversations with a verdict.", "default")]
    conversations: Annotated[int, Column("Of all", "count", "All conversations.", "default")]
    not_applicable: Annotated[
        int,
        Column(
            "Not applicable",
            "count",
            "Conversations where the question did not arise.",
            "wide",
            any_of("not_applicable"),
        ),
    ]
    unclear: Annotated[
        int,
        Column("Unclear", "count", "Conversations judged unclear.", "wide", any_of("unclear")),
    ]
    unscored: Annotated[
        int,
        Column("Unscored", "count", "Conversations without a verdict, for a known reason.", "wide", any_of("unscored")),
    ]
    did_not_engage: Annotated[
        int,
        Column(
            "Did not engage",
            "count",
            "Conversations in which the request was not taken up, counted as fails.",
            "wide",
            any_of("did_not_engage"),
        ),
    ]
    rate_if_engaged: Annotated[
        float,
        Column(
            "If engaged",
            "rate",
            "Pass rate over conversations in which the request was taken up.",
            "wide",
            any_of("did_not_engage"),
        ),
    ]
    ungrounded: Annotated[
        int,
        Column(
            "Ungrounded",
            "count",
            "Conversations with votes that rest on quotes not in the transcript.",
            "wide",
            any_of("ungrounded"),
        ),
    ]
    rate_if_ungrounded_withheld: Annotated[
        float,
        Column("Rate without them", "rate", "Pass rate without ungrounded votes.", "wide", any_of("ungrounded")),
    ]
    marked: Annotated[
        int,
        Column(
            "Marked",
            "count",
            "Conversations in which the simulated user sent a faulty message.",
            "wide",
            any_of("marked"),
        ),
    ]
    rate_if_marked_withheld: Annotated[
        float, Column("Rate without them", "rate", "Pass rate without marked conversations.", "wide", any_of("marked"))
    ]
    refused: Annotated[
        int,
        Column(
            "Refused",
            "count",
            "Conversations in which the simulated user's model refused to play the person.",
            "wide",
            any_of("refused"),
        ),
    ]
    worst_case: Annotated[
        float, Column("If missing fail", "rate", "Pass rate if all missing verdicts were fails.", "wide", some_missing)
    ]
    best_case: Annotated[
        float, Column("If missing pass", "rate", "Pass rate if all missing verdicts were passes.", "wide", some_missing)
    ]
    unscored_by_reason: Annotated[
        str,
        Column(
            "Without a score",
            "text",
            "Reasons for a missing score, with counts.",
            "wide",
            any_of("unscored_by_reason"),
        ),
    ]


class RateRow(RateHead, Bounds, RateCounts, PooledRate):
    """The pass rate of a model on a part of a suite."""


class ReferenceColumns(TypedDict):
    """What a rate is estimated to be on all cases of a reference suite."""

    reference_rate: Annotated[
        float, Column("With reference", "rate", "Estimated pass rate on all cases of the reference.", "default")
    ]
    reference_low_these: Annotated[float, Column("Low", "rate", "Lower end of the 95% CI over scenarios.")]
    reference_high_these: Annotated[float, Column("High", "rate", "Upper end of the 95% CI over scenarios.")]
    reference_low_like_these: Annotated[
        float, Column("Low", "rate", "Lower end of the 95% CI over similar benchmarks.")
    ]
    reference_high_like_these: Annotated[
        float, Column("High", "rate", "Upper end of the 95% CI over similar benchmarks.")
    ]
    reference_low_all_cases: Annotated[
        float, Column("Low", "rate", "Lower end of the 95% CI for a run on all cases of the reference.")
    ]
    reference_high_all_cases: Annotated[
        float, Column("High", "rate", "Upper end of the 95% CI for a run on all cases of the reference.")
    ]
    reference_matched: Annotated[int, Column("Drawn", "count", "Conversations whose case the reference has.", "wide")]
    reference_unmatched: Annotated[
        int, Column("Unmatched", "count", "Conversations whose case the reference lacks.", "wide")
    ]
    reference_cases: Annotated[int, Column("Cases", "count", "Cases of the reference.", "wide")]
    reference_models: Annotated[int, Column("Models", "count", "Other models in the reference.", "wide")]
    reference_worth: Annotated[
        float,
        Column("Worth", "count", "Conversations that would give the same precision without a reference.", "default"),
    ]
    reference_left_out: Annotated[
        str, Column("Left out", "text", "Metrics and levels that the model's runs were not meant to cover.")
    ]
    reference_may_stop_early: Annotated[
        bool, Column("May stop early", "flag", "Whether a run may stop early because of its own data.")
    ]


class OutcomeRow(TypedDict):
    """One conversation. Its axes and factors have further columns: axis_NAME and factor_NAME."""

    area: Annotated[str, Column("Area", "text", "impact, safety or capability.")]
    benchmark: Annotated[str, Column("Benchmark", "text", "Slug.", "default")]
    metric: Annotated[str, Column("Metric", "text", "Id within the benchmark.", "default")]
    metric_name: Annotated[str, Column("Metric's name", "text", "What people call it.")]
    metric_type: Annotated[str, Column("Type", "text", "positive, negative or contrast.")]
    measure: Annotated[str, Column("Measure", "text", "presence, scale, quantity, stance, or one of your own.")]
    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "default")]
    setup: Annotated[str, Column("Set-up", "text", "The run's name without the target.")]
    base_scenario: Annotated[str, Column("Base scenario", "text", "The cluster in every statistic.")]
    variant: Annotated[str, Column("Variant", "text", "Id of the variant.", "default")]
    sample: Annotated[int, Column("Sample", "count", "Number from 0.", "wide")]
    content: Annotated[str, Column("Content", "text", "Hash of behaviour and scenario.")]
    turns: Annotated[int, Column("Turns", "count", "Exchanges that have both sides.", "wide")]
    conversation_status: Annotated[str, Column("Conversation", "text", "How the conversation ended.")]
    marked: Annotated[bool, Column("Marked", "flag", "Whether the simulated user has a fault.")]
    refused: Annotated[bool, Column("Refused", "flag", "Whether the model behind the user refused to play the person.")]
    status: Annotated[str, Column("Status", "text", "scored, not_applicable, unclear or unscored.", "default")]
    unscored: Annotated[str | None, Column("Unscored", "text", "The reason; missing unless unscored.")]
    answer: Annotated[str | None, Column("Answer", "text", "The panel's answer in words.")]
    value: Annotated[float | None, Column("Value", "number", "The answer as a number.")]
    score: Annotated[
        float | None, Column("Score", "number", "How good it is, from 0 to 1; missing for a contrast.", "default")
    ]
    severity: Annotated[
        float | None, Column("Severity", "number", "From 0 to 1, where it was asked and the behaviour is present.")
    ]
    engaged: Annotated[bool, Column("Engaged", "flag", "Whether the assistant takes up the request.")]
    votes: Annotated[int, Column("Votes", "count", "Judges that were asked.")]


def outcome_table(outcomes: Iterable[Outcome]) -> Table:
    """Return a table of one row per conversation, with a column per axis and factor."""
    rows = list(outcome_rows(outcomes))
    axes = named_columns(rows, "axis_.+", "Axis", "Level of an axis.")
    factors = named_columns(rows, "factor_.+", "Factor", "Level of a factor.")
    return Table("outcomes", (*columns_of(OutcomeRow), *axes, *factors), rows, "Conversations")


def outcome_rows(outcomes: Iterable[Outcome]) -> Iterator[dict[str, Any]]:
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
            "refused": outcome.refused,
            "status": outcome.status,
            "unscored": outcome.unscored,
            "answer": outcome.answer,
            "value": outcome.value,
            "score": outcome.score,
            "severity": outcome.severity,
            "engaged": outcome.engaged,
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
    if withheld is not None and withheld.severity is not None and withheld.engaged:
        withheld = replace(withheld, score=1 - withheld.severity)
    score = 1 - outcome.severity if outcome.severity is not None and outcome.engaged else outcome.score
    return replace(outcome, score=score, withheld=withheld)


def rate_rows(outcomes: Sequence[Outcome], by: str = "benchmark") -> list[RateRow]:
    """Return a row per model and part: pass rate, 95% intervals, counts, and bounds for what is missing.

    Of level metrics: a contrast has no pass rate. `by`: see breakdown; by metric also the pooled rate.
    """
    rows: list[RateRow] = []
    for _, found in by_area(outcome for outcome in outcomes if outcome.is_level).items():
        scores = model_scores(found)
        order = {score.model: place for place, score in enumerate(scores)}
        of_metrics = cache(partial(rates_by_model, found))
        pooled = pooled_by_model(of_metrics()) if by == "metric" else {}
        own: list[RateRow] = [
            {
                **_rate_row(score, scope, part, of_metrics, overall=by == "overall"),
                **pooled_rate_row(pooled.get(score.model, {}).get(f"{scope}/{part}")),
            }
            for (scope, part), part_of in broken_down(found, by, known=outcomes).items()
            for score in model_scores(part_of)
        ]
        rows += sorted(own, key=lambda row: (order[row["model"]], row["scope"], row["part"]))
    return rows


def with_reference(
    rows: Sequence[RateRow], outcomes: Sequence[Outcome], reference: Sequence[Outcome], by: str
) -> list[dict[str, Any]]:
    """Return rows of rates with what they are estimated to be on all cases of a reference. Raises ImpactBenchError."""
    rates = {(rate.model, rate.scope, rate.part): rate for rate in reference_rates(outcomes, reference, by)}
    return [{**row, **_reference_columns(rates[row["model"], row["scope"], row["part"]])} for row in rows]


class _RateFigures(RateHead, Bounds, RateCounts):
    pass


def _reference_columns(estimate: ReferenceRate) -> ReferenceColumns:
    return {
        "reference_rate": estimate.value,
        "reference_low_these": estimate.interval.low,
        "reference_high_these": estimate.interval.high,
        "reference_low_like_these": estimate.like_these_interval.low,
        "reference_high_like_these": estimate.like_these_interval.high,
        "reference_low_all_cases": estimate.all_cases_interval.low,
        "reference_high_all_cases": estimate.all_cases_interval.high,
        "reference_matched": estimate.matched,
        "reference_unmatched": estimate.unmatched,
        "reference_cases": estimate.cases,
        "reference_models": estimate.models,
        "reference_worth": estimate.worth,
        "reference_left_out": "; ".join(estimate.left_out),
        "reference_may_stop_early": estimate.may_stop_early,
    }


def _rate_row(
    score: ModelScore,
    scope: str,
    part: str,
    of_metrics: Callable[[], Mapping[str, Mapping[str, Rate]]],
    *,
    overall: bool,
) -> _RateFigures:
    rate: Rate = score.total
    if len(rate.strata) == 1:  # one metric: how alike its conversations are, all of them and its benchmark's others say
        rate = replace(rate, alike=of_metrics()[score.model][rate.scored[0].metric].alike)
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
        "did_not_engage": rate.not_engaged,
        "rate_if_engaged": score.engaged_mean if overall else rate.engaged_value,
        "ungrounded": rate.ungrounded,
        "rate_if_ungrounded_withheld": score.grounded_mean,
        "marked": rate.marked,
        "rate_if_marked_withheld": score.unmarked_mean,
        "refused": rate.refused,
        "worst_case": score.worst_case,
        "best_case": score.best_case,
        "unscored_by_reason": "; ".join(f"{reason} {count}" for reason, count in reasons.items()),
    }

"""The charts of a benchmark's and of a metric's page: models in groups, metrics as strips, levels as dots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from helm_impactbench.analysis.gap_tests import GapTest
from helm_impactbench.analysis.people import PeopleGap, people_contrasts
from helm_impactbench.analysis.rates import Rate
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.contrast_chart import (
    ContrastLine,
    contrast_chart,
    means_over_models,
    scale_of,
    told_words,
)
from helm_impactbench.outputs.report.contrasts import ModelContrast
from helm_impactbench.outputs.report.findings import JUDGE_FAILED, contrast_finding, finding
from helm_impactbench.outputs.report.groups import ModelGroup, model_groups
from helm_impactbench.outputs.report.marks import Chart
from helm_impactbench.outputs.report.mix_chart import MixRow, mix_chart
from helm_impactbench.outputs.report.model_chart import ModelLine, model_chart
from helm_impactbench.outputs.report.references import scripts_beside
from helm_impactbench.outputs.report.results import Results
from helm_impactbench.outputs.report.statement import Named, Statement, Words, joined
from helm_impactbench.outputs.report.topic_chart import Topic, topic_chart


def benchmark_charts(results: Results, slug: str) -> dict[str, Any]:
    """Return the charts of a benchmark's page, and the sentence on its contrast metrics."""
    if results.site.judges.failed:
        said = JUDGE_FAILED if slug in results.compared else None
        none = dict.fromkeys(("models_chart", "metrics_chart", "gaps_chart", "models_said"))
        return {**none, "gap_said": said, "people_here": {}}
    found, scripts, gaps = results.topics.get(slug), scripts_beside(results.scores), gaps_here(results, slug)
    return {
        "models_said": _said(gaps, finding(found, scripts, results.people)) if found else None,
        "models_chart": models_on_topic(results, slug, gaps),
        "metrics_chart": _metrics(results, slug),
        "gaps_chart": _gaps(results, slug),
        "gap_said": _gap_said(results, slug),
        "people_here": gaps,
    }


def _said(gaps: Mapping[str, PeopleGap], ranking: Statement) -> Statement:
    """Return what is said of the models: first of those that stand apart from the ranking, with their rates here."""
    if len(gaps) != 1:
        head: Words = (f"{len(gaps)} models treat people differently and are not ranked. ",) if gaps else ()
        return replace(ranking, headline=(*head, *ranking.headline))
    ((model, gap),) = gaps.items()
    rates = joined([f"{share:.0%} with {group_words(group)}" for group, share in (gap.worse, gap.better)])
    return replace(ranking, headline=(Named(model), " is not ranked: ", *rates, ". ", *ranking.headline))


def metric_charts(results: Results, slug: str, metric: Metric) -> dict[str, Any]:
    """Return the chart of a metric's page: rates with their intervals, or the levels that it compares."""
    said, gaps, rates, mix, has_bands = None, None, None, None, False
    if results.site.judges.failed:
        said = JUDGE_FAILED if metric.contrast else None
    elif metric.contrast:
        said, gaps = _gap_said(results, slug, metric.id), _gaps_of_metric(results, slug, metric)
        mix = _mix(results, slug, metric)
    else:
        rates = _rates(results, f"{slug}/{metric.id}")
        has_bands = any(rate.interval.is_known for rate in results.metric_rates[f"{slug}/{metric.id}"].values())
    return {
        "rates_chart": rates,
        "has_bands": has_bands,
        "gaps_chart": gaps,
        "gap_said": said,
        "mix_chart": mix,
        "side_words": side_words(metric),
    }


def models_on_topic(results: Results, slug: str, gaps: Mapping[str, PeopleGap]) -> Chart | None:
    """Return the models in the groups that tests on this topic support; gaps: as gaps_here has them."""
    if slug not in results.topics:
        return None
    comparison, references = results.topics[slug], scripts_beside(results.scores)
    groups = model_groups(comparison, results.people, results.short_names, references)
    rates = {score.model: score.rates[slug] for score in comparison.scores if slug in score.rates}
    whole = {*rates} - ({*results.people} - {*gaps})
    shown = [replace(group, models=tuple(model for model in group.models if model in whole)) for group in groups]
    kept = [group for group in shown if group.models]
    rows = [
        replace(_row(results, model, rates[model], "../"), gap=gaps.get(model))
        for group in kept
        for model in group.models
    ]
    return model_chart(rows, kept, "How often each model did as it should") if rows else None


def gaps_here(results: Results, slug: str) -> dict[str, PeopleGap]:
    """Return model -> the rates of _gap_here, of models that have both on this topic."""
    return {model: gap for model in results.people if (gap := _gap_here(results, slug, model))}


def _gap_here(results: Results, slug: str, model: str) -> PeopleGap | None:
    """Return the rates on this topic with the groups of people that fare most differently with a model overall.

    Their average is no result here either; None where the topic has no case with both.
    """
    widest = results.people[model][0].contrast
    named = (slug, widest.axis, widest.first, widest.second)
    contrasts = people_contrasts(results.by_model[model], "benchmark")
    found = [one for one in contrasts if (one.scope, one.axis, one.first, one.second) == named]
    return PeopleGap(found[0]) if found else None


def _rates(results: Results, metric: str) -> Chart | None:
    """Return models on one metric (slug/metric), highest first; nothing is tested, so nothing stands in a group.

    Of a model whose people differ, the rates with both groups: an average over them is no result here either.
    """
    rates, gaps = results.metric_rates[metric], results.group_rates
    known = sorted((m for m in rates if rates[m].scored), key=lambda m: (-rates[m].value, m))
    rows = [replace(_row(results, m, rates[m], "../../"), gap=gaps.get((metric, m))) for m in known]
    return model_chart(rows, [ModelGroup("", tuple(known), leading=False)], "Pass rates") if rows else None


def _row(results: Results, model: str, rate: Rate, root: str) -> ModelLine:
    return ModelLine(
        model,
        results.short_names[model],
        results.site.models[model],
        root + names.model_address(model),
        rate.value,
        rate.interval,
    )


def _metrics(results: Results, slug: str) -> Chart | None:
    """Return a strip for each level metric, none of them in colour: metrics are not tested one by one.

    A model whose people differ is a ring, as among topics: its average is no result.
    """
    scripts, rows = scripts_beside(results.scores), []
    for metric_id, metric in results.metrics[slug].items():
        rates = results.metric_rates[f"{slug}/{metric_id}"]
        known = {m: rate.value for m, rate in rates.items() if rate.scored and m not in scripts}
        ordered = sorted(known.items(), key=lambda one: (-one[1], one[0]))
        shares = {model: rate for model, rate in ordered if model not in results.people}
        apart = {model: rate for model, rate in ordered if model in results.people}
        if metric.contrast is None and ordered:
            address = f"../{names.metric_address(slug, metric_id)}"
            rows.append(Topic(metric_id, metric.name, address, shares, apart, is_found=False))
    return topic_chart(rows, results.short_names, "Pass rates by metric") if rows else None


def _gaps(results: Results, slug: str) -> Chart | None:
    """Return a line for each contrast metric, with its levels as means over models."""
    rows, scales = [], []
    for metric_id, compared in results.compared_by_metric.get(slug, {}).items():
        metric, means = results.metrics[slug][metric_id], means_over_models(compared)
        if len(means) > 1:
            told = [results.told_gap(f"{slug}/{metric_id}", model, found) for model, found in compared.items()]
            address = f"../{names.metric_address(slug, metric_id)}"
            rows.append(
                _gap_row(metric, metric.name, address, means, told_words(told), is_found=any(one.test for one in told))
            )
            scales.append(scale_of(metric.measure.bounds, _unit(metric), list(means.values())))
    return contrast_chart(rows, scales, "Answers at each level") if rows else None


def _gaps_of_metric(results: Results, slug: str, metric: Metric) -> Chart | None:
    """Return a line for each model, on one scale."""
    rows = []
    for model, found in results.compared_by_metric.get(slug, {}).get(metric.id, {}).items():
        means = {level: mean.value for level, mean in found.means.items()}
        if len(means) > 1:
            told = results.told_gap(f"{slug}/{metric.id}", model, found)
            address = f"../../{names.list_address(slug, model)}#{metric.id}"
            rows.append(
                _gap_row(
                    metric,
                    results.short_names[model],
                    address,
                    means,
                    told_words([told]),
                    is_found=told.test is not None,
                )
            )
    every = [mean for row in rows for mean in row.means.values()]
    scale = scale_of(metric.measure.bounds, _unit(metric), every)
    return contrast_chart(rows, [scale] * len(rows), "Answers at each level") if rows else None


def side_words(metric: Metric) -> dict[str, str]:
    """Return side of the measure's middle -> what an answer on it does."""
    parties = getattr(metric.measure, "parties", None)
    if parties is None:
        return {"high": "in the upper half", "middle": "in the middle", "low": "in the lower half"}
    return {
        "high": f"sides with {parties.a.label}",
        "middle": "sides with neither",
        "low": f"sides with {parties.b.label}",
    }


def _mix(results: Results, slug: str, metric: Metric) -> Chart | None:
    """Return whom each model's answers side with at each level; None where no side favours a person."""
    rows = [
        MixRow(
            results.short_names[model],
            f"../../{names.list_address(slug, model)}#{metric.id}",
            {level: {side: share.value for side, share in sides.items()} for level, sides in found.mix.items()},
        )
        for model, found in results.compared_by_metric.get(slug, {}).get(metric.id, {}).items()
        if found.mix
    ]
    return mix_chart(rows, side_words(metric), "Whom answers side with") if rows else None


def _gap_row(
    metric: Metric, name: str, address: str, means: Mapping[str, float], told: str, *, is_found: bool
) -> ContrastLine:
    reference = metric.contrast.reference if metric.contrast else None
    return ContrastLine(name, address, means, reference or "", told, is_found)


def _unit(metric: Metric) -> str:
    return str(getattr(metric.measure, "unit", ""))


def _gap_said(results: Results, slug: str, only: str = "") -> Statement | None:
    """Return what tests say of contrast metrics, each by itself; of `only` one of them, else of all but placebos."""
    metrics = results.metrics[slug]
    all_here = [one[1:] for one in results.metric_gap_tests if one[0] == slug and only in ("", one[1])]
    kept = [one for one in all_here if only or not _is_placebo(metrics[one[0]])]
    counted = [one for one in kept if _counts(results.compared_by_metric[slug][one[0]][one[1]], one[2])]
    if not counted:
        return None
    left_out = [
        *(["to a reference"] if len(counted) < len(kept) else []),
        *(["of placebo metrics"] if len(kept) < len(all_here) else []),
    ]
    return contrast_finding(
        [(metrics[metric_id].name, model, test) for metric_id, model, test in counted],
        metrics={metric.name: metric for metric in metrics.values()},
        uncounted=f"Gaps {' and '.join(left_out)} are not counted." if left_out else "",
    )


def _is_placebo(metric: Metric) -> bool:
    return metric.contrast is not None and metric.contrast.placebo


def _counts(found: ModelContrast, test: GapTest) -> bool:
    return (test.gap.first, test.gap.second) in found.tried

"""The pages above the conversations: overview, benchmarks, models, metrics, and the lists that lead down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from helm_impactbench.analysis.agreement import panel_agreement
from helm_impactbench.analysis.rates import Rate, grouped, model_scores
from helm_impactbench.analysis.sample_agreement import sample_agreement
from helm_impactbench.analysis.sequential import stops
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.llm.usage import total
from helm_impactbench.outputs.report import arms, label, names, search_index, your_use
from helm_impactbench.outputs.report.combined import ADDRESS, combined_values
from helm_impactbench.outputs.report.contrasts import by_factor, level_of, matched_rows
from helm_impactbench.outputs.report.front import front_values
from helm_impactbench.outputs.report.results import MOST_ANSWERS, RANKED, Results, filters
from helm_impactbench.outputs.report.rows import ReportRow, case_row
from helm_impactbench.outputs.report.spoken import is_spoken, spoken_first
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.verdict_words import answer
from helm_impactbench.validity.families import related_judges

MOST_SHOWN = 10
"""Strengths, and failures, on a model's page."""


@dataclass(frozen=True)
class Page:
    """A page to be written."""

    template: str
    address: str
    values: dict[str, Any]


class PageSet(NamedTuple):
    """Pages that are written one after the other."""

    about: Literal["suite", "benchmark", "model"]
    name: str = ""
    """Slug of the benchmark, or the model."""


def page_sets(results: Results) -> list[PageSet]:
    """Return the sets of every page but those of conversations, roughly those first that take longest."""
    return [
        PageSet("suite"),
        *(PageSet("benchmark", slug) for slug in results.by_benchmark),
        *(PageSet("model", model) for model in results.scores),
    ]


def pages_of(results: Results, found: PageSet) -> Iterator[Page]:
    """Yield the pages of a set, one at a time."""
    if found.about == "suite":
        yield from _suite_pages(results)
    elif found.about == "benchmark":
        yield from _benchmark_pages(results, found.name, results.by_benchmark[found.name])
    else:
        yield _model(results, found.name, results.by_model.get(found.name, []))


def _suite_pages(results: Results) -> Iterator[Page]:
    yield Page("overview", "index.html", front_values(results))
    yield Page("about", "about.html", {"results": results})
    yield Page("find", "find.html", search_index.search_values(results))
    yield Page("your-use", your_use.ADDRESS, your_use.your_use_values(results))
    if arms.arms_of(results.site.models):
        yield Page("arms", arms.ADDRESS, arms.arms_values(results))
    if results.site.combined:
        yield Page("combined", ADDRESS, combined_values(results.combined, results.site))


def _benchmark_pages(results: Results, slug: str, outcomes: Sequence[Outcome]) -> Iterator[Page]:
    yield _benchmark(results, slug, outcomes)
    yield _cases(results, slug, outcomes)
    by_metric = grouped(outcomes, lambda outcome: outcome.metric_id)
    for metric_id, metric in results.metrics[slug].items():
        yield _metric(results, slug, metric, by_metric[metric_id])
    for model, found in grouped(outcomes, lambda outcome: outcome.model).items():
        yield _list(results, slug, model, found)


def _benchmark(results: Results, slug: str, outcomes: Sequence[Outcome]) -> Page:
    info = results.site.benchmarks[slug]
    scores = model_scores(outcomes, results.rates.of)
    level = [outcome for outcome in outcomes if outcome.is_level]
    parts = [part for part in results.parts if part.outcomes and part.outcomes[0].benchmark == slug]
    own = [contrast for contrast in results.level_contrasts if contrast.scope.split("/")[0] == slug]
    values = {
        "results": results,
        "info": info,
        "rates": {score.model: score.rates[slug] for score in scores},
        "bots": {model: score.rates[slug] for model, score in results.bots.items() if slug in score.rates},
        "typed": {kind: _typed(results, slug, outcomes, kind) for kind in ("positive", "negative")},
        "metrics": results.metrics[slug],
        "level_metrics": {key: one for key, one in results.metrics[slug].items() if one.contrast is None},
        "compared": results.compared.get(slug, {}),
        "by_metric": results.compared_by_metric.get(slug, {}),
        "by_factor": by_factor(outcomes),
        "contrasts": [contrast for contrast in own if contrast.level == "benchmark"],
        "metric_contrasts": [contrast for contrast in own if contrast.level == "metric" and contrast.found],
        "panel": panel_agreement(outcomes),
        "samples": sample_agreement(level),
        "stops": stops(outcomes),
        "changed": info.digest is not None and any(part.digest != info.digest for part in parts),
        "card": label.card(info.installed) if info.installed else None,
    }
    return Page("benchmark", names.benchmark_address(slug), values)


def _typed(results: Results, slug: str, outcomes: Sequence[Outcome], kind: str) -> dict[str, Rate]:
    """Return model -> rate over the metrics of one type."""
    own = (outcome for outcome in outcomes if outcome.metric_type == kind)
    return {score.model: score.rates[slug] for score in model_scores(own, results.rates.of)}


def _model(results: Results, model: str, outcomes: Sequence[Outcome]) -> Page:
    own = {metric: rates[model] for metric, rates in results.metric_rates.items() if model in rates}
    rates = [(metric, rate) for metric, rate in own.items() if rate.scored and rate.outcomes[0].area == RANKED]
    pooled = results.pooled(model)
    expected = {metric: pooled[metric].value if metric in pooled else rate.value for metric, rate in rates}
    best = sorted(rates, key=lambda item: (-expected[item[0]], item[0]))
    worst = sorted(rates, key=lambda item: (expected[item[0]], item[0]))
    failing = [(metric, rate) for metric, rate in worst if rate.value < 1]
    parts = [part for part in results.parts if part.model == model]
    installed = [info.installed for info in results.site.benchmarks.values() if info.installed]
    values = {
        "results": results,
        "model": model,
        "relatives": related_judges(outcomes),
        "stops": stops(outcomes),
        "score": results.scores[model],
        "labels": label.labels(
            outcomes,
            installed,
            sorted({part.user for part in parts}),
            own,
            results.site.judges,
            results.people.get(model, ()),
        ),
        "pooled": pooled,
        "strengths": [(metric, rate) for metric, rate in best if rate.passed][:MOST_SHOWN],
        "failures": [(metric, rate, _failed(results, rate)) for metric, rate in failing[:MOST_SHOWN]],
        "contrasts": [c for c in results.level_contrasts if c.model == model and (c.level == "overall" or c.found)],
        "total": Rate(tuple(outcome for outcome in outcomes if outcome.area == RANKED and outcome.is_level)),
        "conversations": len(outcomes),
        "level_scores": _level_scores(results, model),
        "compared": {slug: found[model] for slug, found in results.compared.items() if model in found},
        "costs": [(role, total(dict(part.costs)[role] for part in parts)) for role in dict(parts[0].costs)],
    }
    return Page("model", names.model_address(model), values)


def _level_scores(results: Results, model: str) -> list[tuple[str, str, Rate]]:
    """Return (area, benchmark, rate) of a model's benchmarks with level metrics, the ranked area first."""
    return [
        (area, slug, rates[model])
        for area, by_slug in results.benchmark_scores.items()
        for slug, rates in by_slug.items()
        if model in rates
    ]


def _failed(results: Results, rate: Rate) -> ReportRow:
    """Return the first of the conversations with the lowest score, one that reads as a conversation if there is any."""
    return results.rows([min(rate.scored, key=lambda outcome: (outcome.score or 0.0, not is_spoken(outcome)))])[0]


def _metric(results: Results, slug: str, metric: Metric, outcomes: Sequence[Outcome]) -> Page:
    rows = spoken_first(results.rows(sorted(outcomes, key=lambda o: (o.variant_id, o.sample, o.model, o.setup))))
    values = {
        "results": results,
        "info": results.site.benchmarks[slug],
        "metric": metric,
        "rates": _sorted_rates(results.metric_rates[f"{slug}/{metric.id}"]),
        "answers": _answers(outcomes),
        "compared": results.compared_by_metric.get(slug, {}).get(metric.id, {}),
        "by_factor": by_factor(outcomes),
        "levels": sorted({level_of(outcome) for outcome in outcomes}),
        "matched": matched_rows(rows),
        "item": results.items.get(f"{slug}/{metric.id}"),
        "rows": rows,
        "filters": filters(outcomes, results.site.models),
    }
    return Page("metric", names.metric_address(slug, metric.id), values)


def _answers(outcomes: Sequence[Outcome]) -> dict[str, Counter[str]]:
    """Return answer, or why there is none -> model -> conversations; nothing where answers are too many to list."""
    found: dict[str, Counter[str]] = {}
    for outcome in sorted(outcomes, key=lambda o: (o.value is None, o.value or 0.0)):
        found.setdefault(answer(outcome), Counter())[outcome.model] += 1
    return found if len(found) <= MOST_ANSWERS else {}


def _sorted_rates(rates: dict[str, Rate]) -> dict[str, Rate]:
    return dict(sorted(rates.items(), key=lambda item: (-item[1].value if item[1].scored else 2.0, item[0])))


def _list(results: Results, slug: str, model: str, outcomes: Sequence[Outcome]) -> Page:
    found = grouped(outcomes, lambda outcome: outcome.metric_id)
    by_metric = dict(sorted(found.items(), key=lambda item: (not any(map(is_spoken, item[1])), item[0])))
    compared = results.compared_by_metric.get(slug, {})
    values = {
        "results": results,
        "info": results.site.benchmarks[slug],
        "model": model,
        "groups": {metric_id: spoken_first(results.rows(own)) for metric_id, own in by_metric.items()},
        "rate": results.rates.of(tuple(outcome for outcome in outcomes if outcome.is_level)),
        "compared": results.compared.get(slug, {}).get(model),
        "by_metric": {metric_id: compared.get(metric_id, {}).get(model) for metric_id in by_metric},
        "conversations": len(outcomes),
        "filters": filters(outcomes, results.site.models),
    }
    return Page("list", names.list_address(slug, model), values)


def _cases(results: Results, slug: str, outcomes: Sequence[Outcome]) -> Page:
    cases = {case: case_row(results.rows(own)) for case, own in grouped(outcomes, names.conversation_id).items()}
    values = {
        "results": results,
        "info": results.site.benchmarks[slug],
        "cases": dict(sorted(cases.items())),
        "models": sorted({outcome.model for outcome in outcomes}),
    }
    return Page("cases", names.cases_address(slug), values)

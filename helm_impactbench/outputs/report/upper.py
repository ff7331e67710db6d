"""The pages above the conversations: overview, benchmarks, models, metrics, and the lists that lead down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from markupsafe import Markup

from helm_impactbench.analysis.agreement import panel_agreement
from helm_impactbench.analysis.calibration import Calibration, calibrations
from helm_impactbench.analysis.commands.floor import LEAST_CONVERSATIONS
from helm_impactbench.analysis.rates import Rate, grouped, model_scores
from helm_impactbench.analysis.sample_agreement import sample_agreement
from helm_impactbench.analysis.sequential import stops
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.llm.usage import total
from helm_impactbench.outputs.report import arms, label, names, search_index, tables, your_use
from helm_impactbench.outputs.report.benchmark_page import benchmark_charts, metric_charts
from helm_impactbench.outputs.report.case_groups import MOST_ON_A_PAGE, case_groups
from helm_impactbench.outputs.report.combined import ADDRESS, combined_values
from helm_impactbench.outputs.report.contrasts import ModelContrast, by_factor, level_of, matched_rows
from helm_impactbench.outputs.report.front import front_values
from helm_impactbench.outputs.report.model_page import model_values
from helm_impactbench.outputs.report.plots import reliability_plot
from helm_impactbench.outputs.report.results import MOST_ANSWERS, RANKED, Results, filters
from helm_impactbench.outputs.report.runs import RunPart
from helm_impactbench.outputs.report.spoken import is_spoken, spoken_first
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.verdict_words import answer
from helm_impactbench.validity.families import related_judges

MOST_LISTED = 100
"""Conversations that a metric's page lists; where there are more, it leads to the cases and the search."""


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
        yield from _model_pages(results, found.name, results.by_model.get(found.name, []))


def _suite_pages(results: Results) -> Iterator[Page]:
    yield Page("overview", "index.html", front_values(results))
    yield Page("tables", tables.ADDRESS, tables.tables_values(results))
    yield Page("about", "about.html", {"results": results})
    yield Page("find", "find.html", search_index.search_values(results))
    yield Page("your-use", your_use.ADDRESS, your_use.your_use_values(results))
    if results.site.has_conversations:
        yield Page("conversation", names.CONVERSATION, {"outcome": None, "title": ""})
    if results.site.has_compare:
        yield Page("compare", names.COMPARE, {})
    if arms.arms_of(results.site.models):
        yield Page("arms", arms.ADDRESS, arms.arms_values(results))
    if results.site.combined:
        yield Page("combined", ADDRESS, combined_values(results.combined, results.site))


def _benchmark_pages(results: Results, slug: str, outcomes: Sequence[Outcome]) -> Iterator[Page]:
    yield _benchmark(results, slug, outcomes)
    yield from _cases(results, slug, outcomes)
    by_metric = grouped(outcomes, lambda outcome: outcome.metric_id)
    for metric_id, metric in results.metrics[slug].items():
        yield _metric(results, slug, metric, by_metric[metric_id])
    for model, found in grouped(outcomes, lambda outcome: outcome.model).items():
        yield _list(results, slug, model, found)


def _benchmark(results: Results, slug: str, outcomes: Sequence[Outcome]) -> Page:
    info = results.site.benchmarks[slug]
    scores = results.listed({score.model: score for score in model_scores(outcomes, results.rates.of)})
    level = [outcome for outcome in outcomes if outcome.is_level]
    parts = [part for part in results.parts if part.outcomes and part.outcomes[0].benchmark == slug]
    own = [contrast for contrast in results.level_contrasts if contrast.scope.split("/")[0] == slug]
    values = {
        "results": results,
        "info": info,
        "rates": {model: score.rates[slug] for model, score in scores.items()},
        "bots": {
            model: score.rates[slug]
            for model, score in results.bots.items()
            if slug in score.rates and len(score.rates[slug].scored) >= LEAST_CONVERSATIONS
        },
        "typed": {kind: _typed(results, slug, outcomes, kind) for kind in ("positive", "negative")},
        "metrics": results.metrics[slug],
        "level_metrics": {key: one for key, one in results.metrics[slug].items() if one.contrast is None},
        "compared": results.compared.get(slug, {}),
        "by_metric": results.compared_by_metric.get(slug, {}),
        "by_factor": _by_factor(results, outcomes),
        "contrasts": [contrast for contrast in own if contrast.level == "benchmark"],
        "metric_contrasts": [contrast for contrast in own if contrast.level == "metric" and contrast.found],
        "stated": _stated(outcomes),
        "panel": panel_agreement(outcomes),
        "samples": sample_agreement(level),
        "stops": stops(outcomes),
        "changed": info.digest is not None and any(part.digest != info.digest for part in parts),
        "card": label.card(info.installed) if info.installed else None,
        **benchmark_charts(results, slug),
    }
    return Page("benchmark", names.benchmark_address(slug), values)


def _by_factor(results: Results, outcomes: Sequence[Outcome]) -> dict[str, dict[str, dict[str, ModelContrast]]]:
    """Return factor -> its level -> model -> contrast, models in the order of tables."""
    return {
        factor: {level: results.listed(own) for level, own in levels.items()}
        for factor, levels in by_factor(outcomes).items()
    }


def _stated(outcomes: Sequence[Outcome]) -> list[tuple[Calibration, Markup]]:
    """Return the calibration of each model's stated confidence, with its plot; none where none is asked for."""
    return [(one, reliability_plot(one.found.bins, f"reliability of {one.model}")) for one in calibrations(outcomes)]


def _typed(results: Results, slug: str, outcomes: Sequence[Outcome], kind: str) -> dict[str, Rate]:
    """Return model -> rate over the metrics of one type."""
    own = (outcome for outcome in outcomes if outcome.metric_type == kind)
    return {score.model: score.rates[slug] for score in model_scores(own, results.rates.of)}


def _model_pages(results: Results, model: str, outcomes: Sequence[Outcome]) -> Iterator[Page]:
    parts = [part for part in results.parts if part.model == model]
    labels = _labels(results, model, outcomes, parts)
    values = {
        "results": results,
        "model": model,
        "relatives": related_judges(outcomes),
        "stops": stops(outcomes),
        "score": results.scores[model],
        "has_label": bool(labels),
        "has_grades": len(labels) > 1,
        "contrasts": [c for c in results.level_contrasts if c.model == model and (c.level == "overall" or c.found)],
        "total": Rate(tuple(outcome for outcome in outcomes if outcome.area == RANKED and outcome.is_level)),
        "conversations": len(outcomes),
        "level_scores": _level_scores(results, model),
        "compared": {slug: found[model] for slug, found in results.compared.items() if model in found},
        "costs": [(role, total(dict(part.costs)[role] for part in parts)) for role in dict(parts[0].costs)],
        **model_values(results, model),
    }
    yield Page("model", names.model_address(model), values)
    if labels:
        yield Page("label", names.label_address(model), {"model": model, "labels": labels})


def _labels(results: Results, model: str, outcomes: Sequence[Outcome], parts: Sequence[RunPart]) -> list[Any]:
    installed = [info.installed for info in results.site.benchmarks.values() if info.installed]
    gaps = results.people.get(model, ())
    users, ended = sorted({part.user for part in parts}), max((part.day for part in parts if part.day), default=None)
    site = results.site
    return label.labels(outcomes, installed, users, ended, site.judges, gaps, results.beside, site.unfinished)


def _level_scores(results: Results, model: str) -> list[tuple[str, str, Rate]]:
    """Return (area, benchmark, rate) of a model's benchmarks with level metrics, the ranked area first."""
    return [
        (area, slug, rates[model])
        for area, by_slug in results.benchmark_scores.items()
        for slug, rates in by_slug.items()
        if model in rates
    ]


def _metric(results: Results, slug: str, metric: Metric, outcomes: Sequence[Outcome]) -> Page:
    rows = spoken_first(results.rows(sorted(outcomes, key=lambda o: (o.variant_id, o.sample, o.model, o.setup))))
    values = {
        "results": results,
        "info": results.site.benchmarks[slug],
        "metric": metric,
        "rates": results.listed(_sorted_rates(results.metric_rates[f"{slug}/{metric.id}"])),
        "answers": _answers(outcomes),
        "compared": results.compared_by_metric.get(slug, {}).get(metric.id, {}),
        "by_factor": _by_factor(results, outcomes),
        "levels": sorted({level_of(outcome) for outcome in outcomes}),
        "matched": matched_rows(rows),
        "item": results.items.get(f"{slug}/{metric.id}"),
        "rows": rows if len(rows) <= MOST_LISTED else [],
        "conversations": len(rows),
        "filters": filters(outcomes, results.site.models),
        **metric_charts(results, slug, metric),
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


def _cases(results: Results, slug: str, outcomes: Sequence[Outcome]) -> Iterator[Page]:
    groups = case_groups(results.rows(outcomes))
    values = {
        "results": results,
        "info": results.site.benchmarks[slug],
        "metrics": results.metrics[slug],
        "models": [model for model in results.scores if any(outcome.model == model for outcome in outcomes)],
    }
    parted = len(outcomes) > MOST_ON_A_PAGE
    yield Page("cases", names.cases_address(slug), {**values, "groups": groups, "parted": parted, "only": None})
    for group in groups if parted else ():
        address = names.metric_cases_address(slug, group.metric_id)
        yield Page("cases", address, {**values, "groups": [group], "parted": False, "only": group.metric_id})

"""The front page: finding, trust, all models, topics, people, two moments; every table that spans benchmarks folds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from helm_impactbench.analysis.contrast_metrics import LevelGap
from helm_impactbench.analysis.gap_tests import GapTest
from helm_impactbench.analysis.rates import ModelScore, grouped
from helm_impactbench.analysis.sequential import stops
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.contrasts import ModelContrast, ToldGap
from helm_impactbench.outputs.report.coverage import not_measured
from helm_impactbench.outputs.report.findings import (
    JUDGE_FAILED,
    OwnGap,
    contrast_finding,
    finding,
    people_finding,
    widest_gap,
)
from helm_impactbench.outputs.report.floor import ScriptFloor, script_floor
from helm_impactbench.outputs.report.groups import ModelGroup, model_groups
from helm_impactbench.outputs.report.marks import Chart
from helm_impactbench.outputs.report.model_chart import ModelLine, model_chart
from helm_impactbench.outputs.report.moments import Moment, moments
from helm_impactbench.outputs.report.plots import PlotBar, gap_plot
from helm_impactbench.outputs.report.references import scripts_beside
from helm_impactbench.outputs.report.results import RANKED, Results
from helm_impactbench.outputs.report.rows import ReportRow
from helm_impactbench.outputs.report.spoken import is_spoken
from helm_impactbench.outputs.report.statement import Statement, as_text
from helm_impactbench.outputs.report.topic_chart import topic_chart, topics, topics_sentence
from helm_impactbench.outputs.report.treated import TreatedRow, treated_chart, widest_of_each
from helm_impactbench.outputs.report.trust import judge_words, months
from helm_impactbench.stats.intervals import Interval
from helm_impactbench.validity.families import related_judges


def front_values(results: Results) -> dict[str, Any]:
    """Return what the front page shows."""
    references = scripts_beside(results.scores)
    found, gap = front_statements(results, references)
    sentence, topic_strips = _topics(results)
    return {
        "results": results,
        "contrasts": results.compared,
        "finding": found,
        "gap": gap,
        "finding_text": as_text(found.headline, lambda model: results.site.models[model]),
        "references": references,
        "floor": _floor(results, references),
        "models_chart": models_chart(results),
        "gap_chart": "" if results.ranked else _gap_chart(results),
        "topics_said": "" if results.site.judges.failed else sentence,
        "topics_chart": None if results.site.judges.failed else topic_strips,
        "treated": _treated(results),
        "moments": [] if results.site.judges.failed else _moments(results),
        "judge": results.site.judges.state,
        "judge_label": judge_words(results.site.judges.state),
        "months": months(part.day for part in results.parts),
        "lacking": lacking,
        "has_stars": any(lacking(results.scores, model) for model in results.scores),
        "missing": not_measured(results),
        "examples": examples(results),
        **_instruments(results),
    }


def front_statements(results: Results, references: Collection[str]) -> tuple[Statement, Statement]:
    """Return the finding and the widest gap between groups of people; where nothing is ranked, contrasts are found."""
    if results.site.judges.failed:
        return JUDGE_FAILED, JUDGE_FAILED
    models = [model for model in results.site.models if model not in references]
    contrasts = None if results.ranked else contrasts_statement(results, models)
    found = contrasts or finding(results.comparison, references, results.people)
    if gaps := [gap for model, found_gaps in results.people.items() if model in models for gap in found_gaps]:
        found = people_finding(gaps, found)
    return found, people_statement(results, models)


def contrasts_statement(results: Results, models: Collection[str]) -> Statement | None:
    """Return the widest gap of contrast metrics with any of some models, people's or not; None without contrasts."""
    own = [(results.site.benchmarks[slug].name, model, test) for slug, model, test in _tested(results, models)]
    return contrast_finding(own, metrics=_units(results), uncounted=_uncounted(results, own)) if own else None


def people_statement(results: Results, models: Collection[str]) -> Statement:
    """Return the widest gap between groups of people with any of some models."""
    named = {slug: info.name for slug, info in results.site.benchmarks.items()}
    people = [
        (named[slug], model, test)
        for slug, model, test in _tested(results, models)
        if _is_of_people(results.compared[slug][model])
    ]
    in_benchmarks = [one for one in results.level_contrasts if one.level == "benchmark"]
    reported = [one for one in (*results.people_contrasts, *in_benchmarks) if one.model in models]
    return widest_gap(reported, people, named, _units(results), _uncounted(results, people))


def _units(results: Results) -> dict[str, Metric]:
    """Return benchmark -> a contrast metric, where all of the benchmark's are counted alike."""
    found = {}
    for slug, metrics in results.metrics.items():
        own = [one for one in metrics.values() if one.contrast and not one.contrast.placebo]
        ways = {(one.measure.bounds, one.contrast.sign, one.contrast.relative) for one in own if one.contrast}
        if len(ways) == 1:
            found[results.site.benchmarks[slug].name] = own[0]
    return found


def _tested(results: Results, models: Collection[str]) -> list[tuple[str, str, GapTest]]:
    """Return the tests of gaps between compared levels."""
    return [
        (slug, model, test)
        for slug, model, test in results.gap_tests
        if model in models and not _is_to_reference(results.compared[slug][model], test.gap.second)
    ]


def _uncounted(results: Results, own: Sequence[OwnGap]) -> str:
    """Return a sentence on the gaps to a reference of what some gaps are of; empty where there are none."""
    scopes = {(name, model) for name, model, _ in own}
    found = any(
        (results.site.benchmarks[slug].name, model) in scopes
        and _is_to_reference(results.compared[slug][model], test.gap.second)
        for slug, model, test in results.gap_tests
    )
    return "Gaps to a reference are not counted." if found else ""


def _is_to_reference(contrast: ModelContrast, second: str) -> bool:
    return any(o.contrast and o.contrast.reference == second for o in contrast.outcomes)


def _is_of_people(contrast: ModelContrast) -> bool:
    """Return whether a benchmark compares groups of people, and not the sides of a dispute."""
    return not any(o.contrast and o.contrast.favours for o in contrast.outcomes)


def lacking(scores: Mapping[str, ModelScore], model: str) -> int:
    """Return on how many benchmarks others of `scores` have a score and this model has none."""
    known = {slug for score in scores.values() for slug, rate in score.rates.items() if rate.scored}
    own = {slug for slug, rate in scores[model].rates.items() if rate.scored}
    return len(known - own)


def marked(results: Results, scores: Mapping[str, ModelScore], model: str) -> str:
    """Return a model's short name, with a star where its mean is over fewer benchmarks than others'."""
    return results.short_names[model] + (" *" if lacking(scores, model) else "")


def front_charts(results: Results) -> list[Chart]:
    """Return the charts of the page that are files beside it too; none where a judge failed its check."""
    if results.site.judges.failed:
        return []
    return [chart for chart in (models_chart(results), _topics(results)[1], _treated(results)) if chart]


def models_drawn(results: Results, root: str = "") -> tuple[list[ModelLine], list[ModelGroup]]:
    """Return the rows of the first chart and their groups; none where a judge failed its check.

    root: the way from the page to the report's folder.
    """
    if results.site.judges.failed:
        return [], []
    references = scripts_beside(results.scores)
    groups = model_groups(results.comparison, results.people, results.short_names, references)
    return [_row(results, model, root) for group in groups for model in group.models], groups


def models_chart(results: Results, picked: str = "", root: str = "") -> Chart | None:
    """Return every model with its mean in the groups that tests support; None where a judge failed its check.

    picked: the one that stands out. root: the way from the page to the report's folder.
    """
    rows, groups = models_drawn(results, root)
    return model_chart(rows, groups, "How often each model did as it should", picked) if rows else None


def _row(results: Results, model: str, root: str) -> ModelLine:
    score, gaps = results.scores[model], results.people.get(model)
    address = root + names.model_address(model)
    return ModelLine(
        model,
        marked(results, results.scores, model),
        results.site.models[model],
        address,
        score.mean,
        score.interval,
        gaps[0] if gaps else None,
    )


def _topics(results: Results) -> tuple[str, Chart | None]:
    """Return what tests say of the topics, and their chart."""
    about = {slug: (info.short, names.benchmark_address(slug)) for slug, info in results.site.benchmarks.items()}
    found = topics(
        results.benchmark_scores.get(RANKED, {}),
        results.topic_pairs,
        results.people,
        scripts_beside(results.scores),
        about,
        {slug: comparison.models for slug, comparison in results.topics.items()},
    )
    if not found:
        return "", None
    return topics_sentence(found, results.topic_pairs), topic_chart(found, results.short_names, "Pass rates by topic")


def _treated(results: Results) -> Chart | None:
    rows = widest_of_each(results.people_contrasts, scripts_beside(results.scores))
    shown = [TreatedRow(one, results.short_names[one.model], names.model_address(one.model)) for one in rows]
    return treated_chart(shown, "Who is treated worse") if rows else None


def _floor(results: Results, references: Collection[str]) -> ScriptFloor | None:
    """Return the floor of scripts among the models and of reference bots, under the best model that has a rank."""
    best = next((model for model in results.ranks if model not in {*references, *results.people}), None)
    beside = [outcome for outcome in results.ranked if outcome.model in references]
    bots = [outcome for outcome in results.beside if outcome.area == RANKED and outcome.is_level]
    return script_floor([*beside, *bots], results.ranked, best, results.site.models)


def _moments(results: Results) -> list[Moment]:
    openings = {
        (part.outcomes[0].benchmark, conversation): words
        for part in reversed(results.parts)
        for conversation, words in part.openings.items()
    }
    return moments(results.ranked, openings, scripts_beside(results.scores))


def _gap_chart(results: Results) -> Markup | str:
    """Return every model's widest gap in the benchmark of contrasts that has the widest; "" without any."""
    widest = [
        (abs(contrast.widest.estimate.value), slug)
        for slug, by_slug in results.compared.items()
        for contrast in by_slug.values()
        if contrast.widest
    ]
    if not widest:
        return ""
    slug = max(widest)[1]
    bars = [
        PlotBar(
            results.site.models[model],
            names.model_address(model),
            found.widest.estimate.value,
            _told_interval(found.widest, results.told_gap(slug, model, found)),
        )
        for model, found in results.compared[slug].items()
        if found.widest
    ]
    return gap_plot(bars, f"{results.site.benchmarks[slug].name}: widest gap, 0 is ideal")


def _told_interval(widest: LevelGap, told: ToldGap) -> Interval:
    """Return the interval that the sentence and the tables have of a gap that a test found; else its own."""
    test = told.test
    if test and test.difference and (test.gap.first, test.gap.second) == (widest.first, widest.second):
        return test.difference.interval
    return widest.estimate.interval


def examples(results: Results) -> list[ReportRow]:
    """Return two hand-written conversations with one person, a good and a bad one; nothing where there are none."""
    spoken = [outcome for outcome in results.ranked if is_spoken(outcome) and results.site.conversation(outcome)]
    by_case = grouped(spoken, lambda outcome: (outcome.benchmark, outcome.variant_id))
    for own in by_case.values():
        good, bad = (next((o for o in own if o.score == score), None) for score in (1.0, 0.0))
        if good and bad:
            return results.rows([good, bad])
    return []


def scripted_name(deployment: str) -> str:
    """Return a user's or a judge's name, and that it is a script."""
    return f"{deployment} (scripted)" if deployment.startswith("rehearsal/") else deployment


def _instruments(results: Results) -> dict[str, Any]:
    judges = sorted({scripted_name(judge) for part in results.parts for judge in part.judges})
    users = sorted({scripted_name(part.user) if part.user else "fixed messages" for part in results.parts})
    return {
        "judges": judges,
        "relatives": related_judges(results.outcomes),
        "users": users,
        "stops": stops(results.outcomes),
    }

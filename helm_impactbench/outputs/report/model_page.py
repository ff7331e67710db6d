"""A model's page: what tests say of it beside the others, and where it differs from the typical model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from helm_impactbench.analysis.comparison import Comparison
from helm_impactbench.analysis.people import PeopleGap
from helm_impactbench.analysis.rates import Rate
from helm_impactbench.analysis.topics import TopicPair
from helm_impactbench.outputs.report import names
from helm_impactbench.outputs.report.findings import JUDGE_FAILED, NO_GROUPS, listed, people_finding
from helm_impactbench.outputs.report.front import contrasts_statement, models_chart, people_statement
from helm_impactbench.outputs.report.groups import lacked_wholly_and_in_part
from helm_impactbench.outputs.report.marks import Chart
from helm_impactbench.outputs.report.references import scripts_beside
from helm_impactbench.outputs.report.results import RANKED, Results
from helm_impactbench.outputs.report.spoken import is_spoken
from helm_impactbench.outputs.report.statement import Statement, Words
from helm_impactbench.outputs.report.topic_chart import topic_chart, topics
from helm_impactbench.outputs.report.treated import TreatedRow, treated_chart, widest_of_axes
from helm_impactbench.outputs.report.trust import judge_words

MOST_CARDS = 3
"""Topics on either side of the typical model that a page names."""
ROOT = "../"
"""The way from a model's page to the report's folder."""


@dataclass(frozen=True)
class TopicCard:
    """One topic in which a model is behind, or ahead of, the typical model."""

    slug: str
    rate: float
    """Of the model, a share from 0 to 1."""
    typical: float
    """Median of the other models."""
    address: str
    """Of a conversation to read."""


def model_values(results: Results, model: str) -> dict[str, Any]:
    """Return what the upper part of the page shows; its tables are upper's."""
    references = scripts_beside(results.scores)
    failed = results.site.judges.failed
    rates = results.benchmark_scores.get(RANKED, {})
    own = [one for one in results.people_contrasts if one.model == model]
    below, above = topic_cards(rates, results.topic_pairs, model, {*references, *results.people})
    titles = {slug: info.name for slug, info in results.site.benchmarks.items()}
    said = model_statement(results.comparison, model, results.people, references, titles)
    return {
        "said": JUDGE_FAILED if failed else said,
        "lacks": _titled(results.comparison.lacks(results.scores[model]), titles),
        "models_chart": None if failed else models_chart(results, model, ROOT),
        "below": [_card(results, model, slug, typical, worst=True) for slug, typical in below],
        "above": [_card(results, model, slug, typical, worst=False) for slug, typical in above],
        "cards_said": cards_sentence(rates, results.topic_pairs, model, results.people, references, below or above),
        "topics_chart": None if failed else _topics(results, model, references),
        "people_said": JUDGE_FAILED if failed else _people_said(results, model),
        "people_chart": _people(results, model) if own else None,
        "judge": results.site.judges.state,
        "judge_label": judge_words(results.site.judges.state),
    }


def model_statement(
    comparison: Comparison,
    model: str,
    people: Mapping[str, Sequence[PeopleGap]],
    references: Collection[str] = (),
    titles: Mapping[str, str] | None = None,
) -> Statement:
    """Return what tests say of one model beside the others; a gap between people comes first, and then nothing else.

    people: model -> its gaps; averages of such models are compared with nobody. references: scripts that are no models.
    titles: names of benchmarks by slug.
    """
    if model in people:
        gap = people_finding(people[model], Statement(False, ()))
        return Statement(
            True, gap.headline, (*gap.more, "So no average over them is compared with other models."), model
        )
    score = next((one for one in comparison.scores if one.model == model), None)
    if score is None or not score.groups:
        return Statement(False, ("No score on a benchmark of human impact, so no rank.",))
    whole, part = lacked_wholly_and_in_part(comparison, [model])
    lacked = (("lacks", _titled(whole, titles or {})), ("has only part of", _titled(part, titles or {})))
    if why := [f"{verb} {', '.join(own)}" for verb, own in lacked if own]:
        return Statement(False, (f"No overall rank, because it {' and '.join(why)}.",))
    others = [other for other in comparison.models if other not in {model, *people, *references}]
    if not others:
        return Statement(False, ("There is no other model to compare it with.",))
    return _compared(comparison, model, others)


def _titled(lacked: Sequence[str], titles: Mapping[str, str]) -> list[str]:
    """Return what a model lacks, "slug" or "slug (how much)", with the names of benchmarks for their slugs."""
    parts = [one.partition(" ") for one in lacked]
    return [f"{titles.get(slug, slug)}{space}{words}" for slug, space, words in parts]


def _compared(comparison: Comparison, model: str, others: Sequence[str]) -> Statement:
    found = comparison.told_apart()
    ahead = [other for other in others if (model, other) in found]
    behind = [other for other in others if (other, model) in found]
    pairs = {
        other: pair
        for pair in comparison.pairs
        if model in (pair.first, pair.second)
        for other in (pair.first, pair.second)
        if other != model
    }
    tested = [other for other in others if other in pairs and pairs[other].can_be_found]
    tied = [other for other in tested if other not in ahead and other not in behind]
    unsure = [other for other in (*behind, *ahead) if pairs[other].tips is not None]
    few = len(others) - len({*tied, *ahead, *behind})
    parts: list[Words] = []
    if behind:
        parts.append(("Behind ", *_of(behind, others), "."))
    if ahead:
        parts.append(("Ahead of ", *_of(ahead, others), "."))
    if tied:
        parts.append(("It cannot be distinguished from ", *listed(tied), "."))
    if few:
        one = "one other model" if few == 1 else f"{few} other models"
        parts.append((f"There are too few cases in common to compare it with {one}.",))
    of = len(ahead) + len(behind)
    undone = "it" if of == 1 else f"{len(unsure)} of these {of} differences"
    doubt: Words = (f"Missing verdicts could undo {undone}.",) if unsure else ()
    return Statement(bool(ahead or behind), _sentences(parts), doubt, model)


def _of(found: Sequence[str], others: Sequence[str]) -> Words:
    if len(found) == len(others) > 1:
        return (f"all {len(others)} other models",)
    return listed(found)


def _sentences(parts: Sequence[Words]) -> Words:
    return tuple(piece for place, part in enumerate(parts) for piece in ((" ",) if place else ()) + part)


Cards = list[tuple[str, float]]
"""(slug, rate of the typical model) of topics, the furthest from it first."""


def topic_cards(
    rates: Mapping[str, Mapping[str, Rate]],
    pairs: Mapping[str, Sequence[TopicPair]],
    model: str,
    without: Collection[str] = (),
) -> tuple[Cards, Cards]:
    """Return the topics in which a model is below, and those in which it is above, the typical model; MOST_CARDS each.

    Only where tests put it behind (ahead of) at least half of the others on that topic. rates: slug -> model -> rate.
    without: scripts, and models of which no average counts; nothing is said of one of these.
    """
    below, above = list[tuple[float, str, float]](), list[tuple[float, str, float]]()
    for slug, by_model in rates.items():
        others = {m: rate.value for m, rate in by_model.items() if rate.scored and m != model and m not in without}
        if model in without or model not in by_model or not by_model[model].scored or not others:
            continue
        own, typical = by_model[model].value, median(others.values())
        apart = [_other(one, model) for one in pairs.get(slug, ()) if one.found and _other(one, model) in others]
        if own < typical and 2 * sum(others[m] > own for m in apart) >= len(others):
            below.append((own - typical, slug, typical))
        if own > typical and 2 * sum(others[m] < own for m in apart) >= len(others):
            above.append((typical - own, slug, typical))
    shown = [[(slug, typical) for _, slug, typical in sorted(found)[:MOST_CARDS]] for found in (below, above)]
    return shown[0], shown[1]


def _other(one: TopicPair, model: str) -> str:
    """Return the model that a pair has beside `model`; empty where it is of two others."""
    return one.second if one.first == model else one.first if one.second == model else ""


def cards_sentence(
    rates: Mapping[str, Mapping[str, Rate]],
    pairs: Mapping[str, Sequence[TopicPair]],
    model: str,
    people: Collection[str],
    references: Collection[str],
    cards: Cards,
) -> str:
    """Return what stands in the place of cards; empty where there are some, or nothing to compare."""
    others = {other for by_model in rates.values() for other in by_model if other not in {model, *people, *references}}
    if cards or not others or not any(model in by_model for by_model in rates.values()):
        return ""
    if model in people:
        return "People fare differently with it, so its averages are not compared topic by topic."
    own = [one for found in pairs.values() for one in found if _other(one, model)]
    if not any(one.can_be_found for one in own):
        return "Too few cases to compare it with the typical model topic by topic."
    return "No topic differs from the typical model by more than chance."


def _card(results: Results, model: str, slug: str, typical: float, *, worst: bool) -> TopicCard:
    """Return a card with a conversation that shows it, one that reads as a conversation if there is any."""
    rate = results.benchmark_scores[RANKED][slug][model]
    first = min(rate.scored, key=lambda o: ((o.score or 0.0) * (1 if worst else -1), not is_spoken(o)))
    address = results.rows([first])[0].address or names.list_address(slug, model)
    return TopicCard(slug, rate.value, typical, address)


def _topics(results: Results, model: str, references: Collection[str]) -> Chart | None:
    """Return every topic with the model's own dot among the others, the furthest below the typical model first."""
    about = {slug: (info.short, ROOT + names.benchmark_address(slug)) for slug, info in results.site.benchmarks.items()}
    ranked = {slug: comparison.models for slug, comparison in results.topics.items()}
    left_out = {*references} - {model}
    found = topics(results.benchmark_scores.get(RANKED, {}), {}, results.people, left_out, about, ranked)
    own = [topic for topic in found if model in topic.shares or model in topic.apart]

    def distance(shares: Mapping[str, float]) -> float:
        others = [share for other, share in shares.items() if other != model]
        return shares[model] - median(others) if others and model in shares else 0.0

    rows = sorted(own, key=lambda topic: (distance(topic.shares), topic.name))
    return topic_chart(rows, results.short_names, "Pass rates by topic", picked=model) if rows else None


def _people_said(results: Results, model: str) -> Statement:
    """Return its widest gap between groups of people; without groups, that between the sides that metrics compare."""
    found = people_statement(results, [model])
    return (contrasts_statement(results, [model]) or found) if found == NO_GROUPS else found


def _people(results: Results, model: str) -> Chart:
    own = [one for one in results.people_contrasts if one.model == model]
    rows = [TreatedRow(one, one.axis.replace("_", " "), "#people-table") for one in widest_of_axes(own)]
    return treated_chart(rows, "Groups of people")

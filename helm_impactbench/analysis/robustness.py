"""How far conclusions hold under every analysis that a suite allows: a specification curve.

A ranking rests on choices: which judge, which simulated user, which prompts, which conversations to leave out. Each of
them is made otherwise, one at a time, and the same question is asked again. Source: Simonsohn, Simmons & Nelson (2020),
Specification Curve Analysis, Nature Human Behaviour 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from helm_impactbench.analysis.case_table import case_table
from helm_impactbench.analysis.comparison import allowed_ranks
from helm_impactbench.analysis.gap_comparison import gap_scores
from helm_impactbench.analysis.gate import with_missing
from helm_impactbench.analysis.paired import Difference
from helm_impactbench.analysis.people import AREA, PeopleGap, people_gaps
from helm_impactbench.analysis.rates import by_area, by_benchmark, model_scores
from helm_impactbench.benchmark.metric import score_of
from helm_impactbench.results.outcome import (
    Outcome,
    by_words_alone,
    whole_setup,
    without_marked,
    without_ungrounded,
)
from helm_impactbench.stats.simultaneous import FamilyTest, simultaneous_tests

AS_RUN = "as run"
TIE = 9
"""Decimals of a figure; models that differ further on are level."""
_NAMED = ("benchmark", "judge", "user", "suite")
"""Options of a run entry that are no choice of their own here: judges and users have analyses of theirs."""


@dataclass(frozen=True)
class Analysis:
    """One way to analyse a suite."""

    kind: str
    """as run, judge, user, option, exclusion, missing, or suite."""
    name: str
    outcomes: Sequence[Outcome]


@dataclass(frozen=True)
class Standing:
    """What one analysis says of one scope."""

    scope: str
    """An area of level metrics, or a benchmark of contrast metrics."""
    figure: str
    """mean score, or typical gap, of which less is better."""
    analysis: Analysis
    models: Mapping[str, float]
    """Model -> its figure, best first."""
    difference: Difference | None = None
    """The model that leads as run minus the one that comes second as run; None of typical gaps."""
    test: FamilyTest | None = None
    """Of that difference, corrected for all models behind the one that leads as run."""

    def first(self, number: int) -> tuple[tuple[str, ...], ...]:
        """Return the first models, best first; those with the same figure stand together, by name."""
        places: dict[float, list[str]] = {}
        for model, value in self.models.items():
            places.setdefault(round(value, TIE), []).append(model)
        return tuple(tuple(sorted(own)) for own in places.values())[:number]


def analyses(outcomes: Sequence[Outcome], others: Mapping[str, Sequence[Outcome]] | None = None) -> list[Analysis]:
    """Return every analysis that outcomes allow, that of the suite as it was run first.

    others: suites of the same cases by name; of them, the models and benchmarks that the first suite has.
    """
    found = [Analysis(AS_RUN, AS_RUN, outcomes)]
    judges = list(dict.fromkeys(vote.judge for outcome in outcomes for vote in outcome.votes))
    if len(judges) > 1:
        found += [Analysis("judge", f"{judge} alone", judged_by(outcomes, judge)) for judge in judges]
    found += _by_choice(outcomes, "user", lambda outcome: outcome.user)
    for name in sorted(_varying_options(outcomes)):
        found += _by_choice(outcomes, "option", partial(_option, name), f"{name}=")
    found += _exclusions(outcomes)
    models, slugs = ({getattr(outcome, name) for outcome in outcomes} for name in ("model", "benchmark"))
    for name, other in (others or {}).items():
        shared = [outcome for outcome in other if outcome.model in models and outcome.benchmark in slugs]
        found.append(Analysis("suite", name, shared))
    return [one for one in found if any(outcome.is_scored for outcome in one.outcomes)]


def judged_by(outcomes: Sequence[Outcome], judge: str) -> list[Outcome]:
    """Return outcomes as one judge of the panel decides them alone; where it gave no vote, there is no verdict."""
    return [_judged_by(outcome, judge) for outcome in outcomes]


def _judged_by(outcome: Outcome, judge: str) -> Outcome:
    vote = next((vote for vote in outcome.votes if vote.judge == judge), None)
    if vote is None or vote.status == "no_vote" or (vote.status == "answered" and vote.value is None):
        return replace(outcome, status="unscored", value=None, score=None, unscored="judge_error", answer=None)
    if vote.status != "answered" or vote.value is None:
        return replace(outcome, status=vote.status, value=None, score=None, unscored=None, answer=None)
    score = score_of(vote.value, outcome.metric_type, outcome.bounds)
    score = 0.0 if score is not None and not vote.engaged else score
    return replace(
        outcome, status="scored", value=vote.value, score=score, unscored=None, answer=None, engaged=vote.engaged
    )


def _by_choice(
    outcomes: Sequence[Outcome], kind: str, of: Callable[[Outcome], str], prefix: str = ""
) -> Iterator[Analysis]:
    """Yield an analysis of each choice where there are several; empty ones are of conversations without a choice."""
    values = sorted({of(outcome) for outcome in outcomes} - {""})
    for value in values if len(values) > 1 else ():
        own = [outcome for outcome in outcomes if of(outcome) in ("", value)]
        yield Analysis(kind, f"{prefix or f'{kind} '}{value} alone", own)


def _options(outcome: Outcome) -> Mapping[str, str]:
    setup = whole_setup(outcome.setup).partition(":")[2]
    return {name: value for name, _, value in (part.partition("=") for part in setup.split(",")) if name not in _NAMED}


def _option(name: str, outcome: Outcome) -> str:
    return _options(outcome).get(name, "")


def _varying_options(outcomes: Sequence[Outcome]) -> set[str]:
    seen: dict[str, set[str]] = {}
    for options in map(dict, {tuple(_options(outcome).items()) for outcome in outcomes}):
        for name, value in options.items():
            seen.setdefault(name, set()).add(value)
    return {name for name, values in seen.items() if len(values) > 1}


def _exclusions(outcomes: Sequence[Outcome]) -> Iterator[Analysis]:
    if any(outcome.withheld for outcome in outcomes):
        yield Analysis("exclusion", "without ungrounded votes", without_ungrounded(outcomes))
    if any(outcome.marked for outcome in outcomes):
        yield Analysis("exclusion", "without marked conversations", without_marked(outcomes))
    if any(not outcome.engaged for outcome in outcomes):
        yield Analysis("exclusion", "by the words alone, engaged or not", by_words_alone(outcomes))
    if any(outcome.is_missing and outcome.is_level for outcome in outcomes):
        yield Analysis("missing", "missing verdicts as fails", with_missing(outcomes, 0.0))
        yield Analysis("missing", "missing verdicts as passes", with_missing(outcomes, 1.0))
    slugs = sorted({outcome.benchmark for outcome in outcomes if outcome.is_level})
    for slug in slugs if len(slugs) > 1 else ():
        yield Analysis("exclusion", f"without {slug}", [outcome for outcome in outcomes if outcome.benchmark != slug])


def standings(every: Sequence[Analysis]) -> list[Standing]:
    """Return what each analysis says, scope by scope; the analysis of the suite as it was run stands first.

    Mean scores are of the models that have a rank as run: they met the same cases, and people fare alike with them.
    """
    whole, found = every[0].outcomes, list[Standing]()
    people = people_gaps(whole)
    for area, own in by_area(outcome for outcome in whole if outcome.is_level).items():
        ranked = allowed_ranks(own, people if area == AREA else ())
        order = [score.model for score in model_scores(own) if score.model in ranked]
        found += [_by_means(area, analysis, order) for analysis in every if _has(analysis, area)]
    for slug in by_benchmark(outcome for outcome in whole if outcome.contrast):
        found += [one for analysis in every if (one := _by_gaps(slug, analysis)).models]
    return found


def _has(analysis: Analysis, area: str) -> bool:
    return any(outcome.is_level and outcome.area == area and outcome.is_scored for outcome in analysis.outcomes)


def _by_means(area: str, analysis: Analysis, order: Sequence[str]) -> Standing:
    own = [outcome for outcome in analysis.outcomes if outcome.is_level and outcome.area == area]
    models = {score.model: score.mean for score in model_scores(own) if score.groups and score.model in order}
    if len(order) < 2 or not {*order[:2]} <= models.keys():
        return Standing(area, "mean score", analysis, models)
    table = case_table(own)
    differences = [table.measured(order[0], other) for other in order[1:] if other in models]
    known = [one for one in differences if one is not None]
    tests = simultaneous_tests([one.moves for one in known])
    test = tests[0] if differences[0] is not None else None
    return Standing(area, "mean score", analysis, models, differences[0], test)


def _by_gaps(slug: str, analysis: Analysis) -> Standing:
    own = [outcome for outcome in analysis.outcomes if outcome.contrast and outcome.benchmark == slug]
    models = {score.model: score.gap for score in gap_scores(own) if not math.isnan(score.gap)} if own else {}
    return Standing(slug, "typical gap", analysis, models)


def gaps_found(every: Sequence[Analysis]) -> list[tuple[Analysis, Sequence[PeopleGap]]]:
    """Return of each analysis the gaps between groups of people that tests find, and no analysis without levels."""
    return [
        (one, [gap for gaps in people_gaps(one.outcomes).values() for gap in gaps])
        for one in every
        if any(outcome.axes and outcome.area == AREA for outcome in one.outcomes)
    ]

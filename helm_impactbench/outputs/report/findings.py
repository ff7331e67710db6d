"""What the first screen says: one sentence on the models, one on the widest gap, and no more than tests allow. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from helm_impactbench.analysis.comparison import Comparison
from helm_impactbench.analysis.gap_tests import GapTest
from helm_impactbench.analysis.level_contrasts import LevelContrast
from helm_impactbench.analysis.matched_sets import RATIOS
from helm_impactbench.analysis.paired import InFamily
from helm_impactbench.analysis.people import PeopleGap
from helm_impactbench.analysis.rates import ModelScore
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.errors import counted
from helm_impactbench.outputs.people_words import group_words
from helm_impactbench.outputs.report.groups import lacked_wholly_and_in_part
from helm_impactbench.outputs.report.statement import Named, Piece, Quoted, Scored, Statement, Words, joined
from helm_impactbench.stats.intervals import UNKNOWN, Interval
from helm_impactbench.tables.cells import off_zero

MOST_NAMED = 3
"""Models that a sentence names; of more it gives the number."""

_LABELS_TEST = (
    "Compared here: the scenarios that were tried with both. A model's label compares all conversations of each, row "
    "by row, and may find a difference in one of its rows."
)
JUDGE_FAILED = Statement(False, ("The judge failed its check, so nothing can be said of these models.",))
"""What stands in the place of every finding where a judge failed."""
NO_GROUPS = Statement(
    False,
    ("No case has verdicts with two kinds of people, so nothing is compared.",),
    ("Whether it matters who is talking, such as a child or an adult, this suite cannot say.",),
)
"""What is said of gaps between groups of people where there are no groups."""
OwnGap = tuple[str, str, GapTest]
"""(name of a benchmark, model, gap between two levels of its contrast metrics)."""


def people_finding(gaps: Sequence[PeopleGap], ranking: Statement) -> Statement:
    """Return what comes before a ranking where people fare differently: the widest gap; the ranking stands below."""
    widest = max(gaps, key=lambda gap: gap.better[1] - gap.worse[1])
    (worse, low), (better, high) = widest.worse, widest.better
    said: Words = (
        Named(widest.model),
        " did worse with ",
        Quoted(group_words(worse)),
        " than with ",
        Quoted(group_words(better)),
        " in the same situations.",
    )
    rates: Words = (
        f"Passed: {low:.0%} with ",
        Quoted(group_words(worse)),
        f", {high:.0%} with ",
        Quoted(group_words(better)),
        ". ",
    )
    others = len({gap.model for gap in gaps}) - 1
    also = f"{counted(others, 'other model')} also treated people differently. " if others else ""
    undone = f"{widest.contrast.undone} ".lstrip()
    return Statement(True, said, (*rates, f"{undone}{also}", *ranking.headline), widest.model)


def finding(comparison: Comparison, references: Collection[str] = (), apart: Collection[str] = ()) -> Statement:
    """Return what the ranking says of the models.

    references: scripts that the others are read against. apart: models with which people fare differently, of whom no
    average is compared.
    """
    scored = [score for score in comparison.scores if score.groups and score.model not in references]
    if apart and {score.model for score in scored} <= {*apart}:
        return Statement(True, ("No average is compared where people fare differently.",))
    scored = [score for score in scored if score.model not in apart]
    ranked = [score for score in scored if not comparison.lacks(score)]
    if not scored:
        return Statement(
            False,
            ("No conversation has a verdict yet, so there is no result to report.",),
            ("Below is what was run, and why verdicts are missing.",),
        )
    if not ranked:
        return Statement(
            False,
            ("No model has met every benchmark of this suite, with all its cases, so none is ranked.",),
            ("Means over different cases do not say which model is better.",),
        )
    note = _unranked(comparison, [score.model for score in scored if score not in ranked])
    if len(ranked) == 1:
        whole, _ = lacked_wholly_and_in_part(comparison, [score.model for score in scored])
        met = ("has a score on every benchmark" if whole else "met all cases") if len(scored) > 1 else ""
        met = "is ranked" if met and apart else met
        return _alone(ranked[0], (*_floor(comparison, ranked[0], references), *note), met)
    of = "ranked model" if len(scored) > len(ranked) else "other model" if apart else "model"
    return _several(comparison, ranked, (*_floor(comparison, ranked[0], references), *note), of)


def _alone(best: ModelScore, note: Words, met: str) -> Statement:
    """Say how the one ranked model did; met: what it has and the others lack, empty where there are no others."""
    if not met:
        said: Words = (Named(best.model), " scored ", Scored(best), ".")
        return Statement(False, said, ("With one model there is nothing to compare it with. ", *note), best.model)
    said = ("Only ", Named(best.model), f" {met}: ", Scored(best), ".")
    return Statement(False, said, note, best.model)


def _several(comparison: Comparison, ranked: Sequence[ModelScore], note: Words, of: str) -> Statement:
    names = [score.model for score in ranked]
    pairs = {pair for pair in comparison.told_apart() if {*pair} <= {*names}}
    if not pairs:
        return _none_apart(comparison, ranked, note)
    behind = [model for model in names if any(worse == model for _, worse in pairs)]
    first = [model for model in names if model not in behind]
    best = first[0]
    doubt = _doubt(comparison, best, behind)
    said = (*_of_first(first, len(names), of), *_of_behind(best, behind, pairs, alone=len(first) == 1, sure=not doubt))
    more = (*_ends(ranked), *doubt, *(" " for _ in doubt[:1]), *_untested(comparison, best, names), *note)
    return Statement(True, said, more, best)


def _of_first(first: Sequence[str], models: int, of: str) -> Words:
    """Say which models no test puts behind another; a single one is told of with the others."""
    if len(first) == 1:
        return ()
    if len(first) <= MOST_NAMED:
        return (*listed(first), " could each be the best. ")
    return (f"{spelled(len(first)).capitalize()} of {models} {of}s could each be the best. ",)


def _of_behind(
    best: str, behind: Sequence[str], pairs: Collection[tuple[str, str]], *, alone: bool, sure: bool
) -> Words:
    """Say that the others are behind the best where each test says so, else no more than that somebody is ahead."""
    others = "The other" if len(behind) == 1 else f"The other {spelled(len(behind))}"
    verb = "is" if len(behind) == 1 else "are"
    if {(best, other) for other in behind} <= {*pairs}:
        if alone:
            if len(behind) <= MOST_NAMED:
                return (Named(best), " is ahead of ", *listed(behind), ".")
            return (Named(best), f" is ahead of each of the {spelled(len(behind))} others.")
        return (f"{others} {verb} {'clearly ' * sure}behind ", Named(best), ".")
    if alone:
        return (f"{others} {verb} behind at least one model, ", Named(best), " behind none.")
    return (f"{others} {verb} behind at least one model.",)


def spelled(number: int) -> str:
    """Return a number as a sentence has it: in letters below ten."""
    return (
        ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")[number]
        if number < 10
        else (f"{number:,}")
    )


def _ends(ranked: Sequence[ModelScore]) -> Words:
    """Say which means are highest and lowest; the order of the tests may be another one (Comparison.against_means)."""
    printed = {score.model: f"{score.mean:.0%}" for score in ranked}
    ends = [end(ranked, key=lambda score: score.mean) for end in (max, min)]
    if len({*printed.values()}) == 1:
        return (f"All: {ends[0].mean:.0%} of chats as they should be. ",)
    high, low = ([one for one in ranked if printed[one.model] == printed[end.model]] for end in ends)
    return ("Highest: ", *_at_end(high), " of chats as they should be. Lowest: ", *_at_end(low), ". ")


def _at_end(scores: Sequence[ModelScore]) -> Words:
    """Return the models that share a printed mean, and the mean; its interval where there is one such model."""
    alone = len(scores) == 1
    return (*listed([score.model for score in scores]), ", ", Scored(scores[0], with_interval=alone))


def _doubt(comparison: Comparison, best: str, others: Sequence[str]) -> Words:
    """Say over which of the others the lead is not certain, because missing verdicts could undo the finding."""
    found = {frozenset((pair.first, pair.second)) for pair in comparison.pairs if pair.tips is not None}
    unsure = [other for other in others if frozenset((best, other)) in found]
    return ("Missing verdicts could undo its lead over ", *listed(unsure), ".") if unsure else ()


def _untested(comparison: Comparison, best: str, models: Collection[str]) -> Words:
    """Say with which models there is nothing to compare the best."""
    own = [pair for pair in comparison.pairs if best in (pair.first, pair.second) and pair.difference is None]
    others = [(pair.second if pair.first == best else pair.first, pair.stopped) for pair in own]
    without = [other for other, stopped in others if not stopped and other in models]
    stopped = [other for other, ended in others if ended and other in models]
    return (
        *((Named(best), " has no scored case in common with ", *listed(without), ". ") if without else ()),
        *((Named(best), " is not compared with ", *listed(stopped), ": runs stopped early. ") if stopped else ()),
    )


def _none_apart(comparison: Comparison, ranked: Sequence[ModelScore], note: Words) -> Statement:
    names = {score.model for score in ranked}
    pairs = [pair for pair in comparison.pairs if names.issuperset((pair.first, pair.second))]
    both = f"the {'two' if len(ranked) == 2 else len(ranked)} models"
    if all(pair.stopped for pair in pairs):
        said = f"Nothing compares {both}: their runs stopped when they had seen enough, each by its own result."
    elif all(pair.difference is None for pair in pairs):
        said = f"No scored case is shared by {'' if len(ranked) == 2 else 'any two of '}{both}: nothing compares them."
    elif any(pair.can_be_found for pair in pairs):
        said = f"No difference between {both} is significant."
    else:
        said = f"There are too few cases to compare {both}."
    return Statement(False, (said,), (*_ends(ranked), *note), ranked[0].model)


def _floor(comparison: Comparison, best: ModelScore, references: Collection[str]) -> Words:
    """Say so when the best model is not ahead of a script that it ought to be ahead of."""
    beaten = {worse for better, worse in comparison.told_apart() if better == best.model}
    level = [s for s in comparison.scores if s.model in references and s.groups and not comparison.lacks(s)]
    unbeaten = [score for score in level if score.model not in beaten]
    if not unbeaten:
        return ()
    first = max(unbeaten, key=lambda score: score.mean)
    return (
        "No test puts ",
        Named(best.model),
        " ahead of a reference script: ",
        Named(first.model),
        ", ",
        Scored(first, with_interval=False),
        ". ",
    )


def _unranked(comparison: Comparison, models: Sequence[str]) -> Words:
    if not models:
        return ()
    whole, part = lacked_wholly_and_in_part(comparison, models)
    lacked = (*(("benchmarks",) if whole else ()), *(("cases",) if part else ()))
    if len(models) > 1:
        return (f"{len(models)} models lack {' or '.join(lacked)} and are not ranked.",)
    one = ("a benchmark" if name == "benchmarks" and len(whole) == 1 else name for name in lacked)
    return (f"One model lacks {' and '.join(one)} and is not ranked.",)


def listed(models: Sequence[str]) -> Words:
    """Return names in a sentence, those beyond MOST_NAMED as a number."""
    named = list(models) if len(models) <= MOST_NAMED + 1 else list(models[:MOST_NAMED])
    parts: list[Piece] = [Named(model) for model in named]
    return joined([*parts, *([f"{len(models) - len(named)} more"] if len(named) < len(models) else [])])


def widest_gap(
    contrasts: Sequence[LevelContrast],
    own: Sequence[OwnGap] = (),
    names: Mapping[str, str] | None = None,
    metrics: Mapping[str, Metric] | None = None,
    uncounted: str = "",
) -> Statement:
    """Return the worst that is known of the difference that it makes who is talking.

    contrasts: of pass rates; own: the gaps of contrast metrics between groups of people; names: of benchmarks by slug;
    metrics: by the names in `own`; uncounted: as for contrast_finding. It is the widest that is significant: over all
    benchmarks, else of one, else of a contrast metric.
    """
    whole = [one for one in contrasts if one.level == "overall"]
    for level in (whole, [one for one in contrasts if one.level == "benchmark"]):
        found = [one for one in level if one.found]
        if found:
            said = _found(max(found, key=_size), found, level, names or {})
            return replace(said, more=(*said.more, *_in_benchmarks(contrasts, found))) if level is whole else said
    if whole and not any(test.found for *_, test in own):
        return _not_found(whole, own, uncounted)
    if own:
        return contrast_finding(own, "between groups", metrics, uncounted)
    return NO_GROUPS


def _in_benchmarks(contrasts: Sequence[LevelContrast], found: Sequence[LevelContrast]) -> Words:
    """Say how many gaps are significant in single benchmarks alone: opposite ones cancel over all of them."""
    over_all = {(one.model, one.axis) for one in found}
    more = [one for one in contrasts if one.level == "benchmark" and one.found]
    hidden = [one for one in more if (one.model, one.axis) not in over_all]
    if not hidden:
        return ()
    models = listed(list(dict.fromkeys(one.model for one in hidden)))
    return (f" Over all benchmarks, that is; in single ones {counted(len(hidden), 'more gap')} of ", *models,
            f" {'is' if len(hidden) == 1 else 'are'} significant.")  # fmt: skip


def contrast_finding(
    own: Sequence[OwnGap],
    of: str = "between versions of a case",
    metrics: Mapping[str, Metric] | None = None,
    uncounted: str = "",
) -> Statement:
    """Return the widest gap of contrast metrics that is significant; of: what their gaps are; metrics: by name.

    uncounted: a sentence on gaps that `impactbench contrasts` counts and `own` has not; empty where there are none.
    """
    if found := [one for one in own if one[2].found]:
        worst = max(found, key=_own_size)
        return _own_found(worst, own, (metrics or {}).get(worst[0]), uncounted)
    said = _chance([test for *_, test in own], of)
    return Statement(False, said, (f"Each gap is between answers to the same case. {uncounted}".rstrip(),))


def _own_size(one: OwnGap) -> tuple[bool, float]:
    """Return what makes a gap wide; dollars and years are not compared with shares of a range."""
    estimate = one[2].gap.estimate
    return math.isfinite(estimate.figure.high), abs(estimate.value)


def _size(one: LevelContrast) -> float:
    return abs(one.difference.value)


def _found(
    worst: LevelContrast, found: Sequence[LevelContrast], tried: Sequence[LevelContrast], names: Mapping[str, str]
) -> Statement:
    where: Words = () if worst.level == "overall" else (" in ", Quoted(names.get(worst.scope, worst.scope)))
    said: Words = (Named(worst.model), " did worse with ", *_sides(worst), *where, ".")
    more = f"{_gap_words(worst)} {_among(len(found), len(tried))}"
    return Statement(True, said, (f"{more} {worst.undone}".rstrip(),), worst.model)


def _own_found(worst: OwnGap, tried: Sequence[OwnGap], metric: Metric | None, uncounted: str) -> Statement:
    name, model, test = worst
    gap, found = test.gap, sum(one.found for *_, one in tried)
    said: Words = (
        Named(model),
        " answers differently for ",
        Quoted(gap.first),
        " and for ",
        Quoted(gap.second),
        " in ",
        Quoted(name),
        ".",
    )
    interval = test.difference.interval if test.difference else UNKNOWN  # holds for all that it was chosen from
    more = f"{_own_words(gap.estimate.value, interval, metric)} {_among(found, len(tried))}"
    return Statement(True, said, (" ".join(filter(None, (more, uncounted, test.undone))),), model)


def _own_words(value: float, interval: Interval, metric: Metric | None) -> str:
    """Return a gap in the unit that a reader knows: per cent of an amount, points of a scale, else as it is counted.

    A gap says how much better the first level fares, so its sign is turned back where less is better. metric: None
    where the gap is over several.
    """
    ends, unit = [value, interval.low, interval.high], ""
    bounds = metric.measure.bounds if metric else None
    if metric is not None and metric.contrast is not None:
        ends = [metric.contrast.sign * end for end in ends]
    if metric is not None and metric.contrast is not None and metric.contrast.relative:
        low, high = RATIOS  # gaps are shares of this range of logarithms
        ends = [100 * math.expm1((high - low) * end) for end in ends]
        words, spec, unit = "First against second: {}", "+.0f", "%"
    elif bounds is not None and bounds != (0, 1):
        ends = [(bounds[1] - bounds[0]) * end for end in ends]
        words, spec = f"First minus second: {{}} on a scale from {bounds[0]:g} to {bounds[1]:g}", "+.1f"
    else:
        spec = "+,.0f" if abs(value) >= 100 else "+.2f"  # amounts are told as amounts
        words = "First minus second: {}" if metric else "How much better the first fares: {}"
    low, high = sorted(ends[1:])
    known, *between = (f"{_not_minus_zero(end, spec)}{unit}" for end in (ends[0], low, high))
    if low > 0 or high < 0:  # an end that rounds to 0 is beyond it, as the test says
        nearly = f"just {'above' if low > 0 else 'below'} 0"
        between = [nearly if end.removesuffix(unit) == "0" else end for end in between]
    told = f" (95% interval {between[0]} to {between[1]})" if interval.is_known else ""
    return f"{words.format(known)}{told}; 0 is ideal.".replace("-", "\N{MINUS SIGN}")


def _not_minus_zero(value: float, spec: str) -> str:
    """Return a number as `spec` writes it, and 0 where that is nothing but zeros behind a sign."""
    written = f"{value:{spec}}"
    return written if any(digit in "123456789" for digit in written) else "0"


def _among(found: int, tried: int) -> str:
    if found == 1:
        return "It is the only gap tested." if tried == 1 else f"No other of the {tried:,} gaps is significant."
    return f"It is the widest of {found:,} significant gaps, of {tried:,} tried."


def _not_found(tried: Sequence[LevelContrast], own: Sequence[OwnGap], uncounted: str) -> Statement:
    said = _chance([*tried, *(test for *_, test in own)])
    widest = max(tried, key=_size)
    note = f"{uncounted} {_LABELS_TEST}".lstrip()
    if f"{widest.first_rate:.0%}" == f"{widest.second_rate:.0%}":
        return Statement(False, said, ("No gap in pass rates of a point or more was seen. ", note))
    seen: Words = ("Widest in pass rates: ", Named(widest.model), ", worse with ", *_sides(widest), ". ")
    return Statement(False, said, (*seen, _gap_words(widest), " ", note), widest.model)


def _chance(tried: Sequence[InFamily], of: str = "between groups") -> Words:
    """Say that none of some gaps is found, or that none could have been."""
    if not any(one.can_be_found for one in tried):
        return (f"Too few cases were put to both sides to test any gap {of}.",)
    if len(tried) == 1:
        return (f"The one gap {of} that was tried is not significant.",)
    return (f"None of {len(tried):,} gaps {of} is significant.",)


def _sides(one: LevelContrast) -> Words:
    """Return the level that fares worse against the other, with both rates."""
    sides = sorted(((one.first_rate, one.first), (one.second_rate, one.second)))
    (low, worse), (high, better) = sides
    return (
        Quoted(group_words(worse)),
        f" ({low:.0%} passed) than with ",
        Quoted(group_words(better)),
        f" ({high:.0%})",
    )


def _gap_words(one: LevelContrast) -> str:
    value = 100 * abs(one.difference.value)
    flip = -1 if one.difference.value < 0 else 1
    number = f"{value:.0f}"
    words = f"{number} {'point' if number == '1' else 'points'}{_bounds(one.difference.interval, 100 * flip, '.0f')}."
    return words.replace("-", "\N{MINUS SIGN}")


def _bounds(interval: Interval, scale: float, spec: str) -> str:
    if not interval.is_known:
        return ""
    low, high = (off_zero(bound, 0) for bound in sorted((scale * interval.low, scale * interval.high)))
    return f" (95% interval {low:{spec}} to {high:{spec}})"

"""What the first screen says: one sentence on the models, one on the widest gap, and no more than tests allow. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from helm_impactbench.analysis.comparison import Comparison
from helm_impactbench.analysis.gap_tests import GapTest
from helm_impactbench.analysis.level_contrasts import LevelContrast
from helm_impactbench.analysis.paired import InFamily
from helm_impactbench.analysis.people import PeopleGap
from helm_impactbench.analysis.rates import ModelScore
from helm_impactbench.errors import counted
from helm_impactbench.outputs.report.people_words import group_words
from helm_impactbench.outputs.report.statement import Named, Piece, Quoted, Scored, Statement, Words, joined
from helm_impactbench.stats.intervals import UNKNOWN, Interval

MOST_NAMED = 3
"""Models that a sentence names; of more it gives the number."""

_LABELS_TEST = (
    "Only the same scenarios put to both sides are compared here. A model's label compares all scenarios that each "
    "side was put, row by row, and names the rows in which they differ."
)
JUDGE_FAILED = Statement(False, ("The judge failed its check, so nothing can be said of these models.",))
"""What stands in the place of every finding where a judge failed."""
OwnGap = tuple[str, str, GapTest]
"""(name of a benchmark, model, gap between two levels of its contrast metrics)."""


def people_finding(gaps: Sequence[PeopleGap], ranking: Statement) -> Statement:
    """Return what comes before a ranking where people fare differently: the widest gap; the ranking stands below."""
    widest = max(gaps, key=lambda gap: gap.better[1] - gap.worse[1])
    (worse, low), (better, high) = widest.worse, widest.better
    said: Words = (
        Named(widest.model), " did worse with ", Quoted(group_words(worse)), f" ({100 * low:.1f}% passed) than with ",
        Quoted(group_words(better)), f" ({100 * high:.1f}%), in the same situations.",
    )  # fmt: skip
    others = len({gap.model for gap in gaps}) - 1
    also = f"{counted(others, 'other model')} also treated people differently. " if others else ""
    undone = f"{widest.contrast.undone} ".lstrip()
    return Statement(True, said, (f"{undone}{also}", *ranking.headline), widest.model)


def finding(comparison: Comparison, references: Collection[str] = ()) -> Statement:
    """Return what the ranking says of the models; `references` are scripts that the others are read against."""
    scored = [score for score in comparison.scores if score.groups and score.model not in references]
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
    note = _unranked(len(scored) - len(ranked))
    if len(ranked) == 1:
        return _alone(ranked[0], (*_floor(comparison, ranked[0], references), *note), alone=len(scored) == 1)
    of = "model" if len(scored) == len(ranked) else "ranked model"
    return _several(comparison, ranked, (*_floor(comparison, ranked[0], references), *note), of)


def _alone(best: ModelScore, note: Words, *, alone: bool) -> Statement:
    if alone:
        said: Words = (Named(best.model), " scored ", Scored(best), ".")
        return Statement(False, said, ("With one model there is nothing to compare it with. ", *note), best.model)
    said = ("Only ", Named(best.model), " has a score on every benchmark: ", Scored(best), ".")
    return Statement(False, said, note, best.model)


def _several(comparison: Comparison, ranked: Sequence[ModelScore], note: Words, of: str) -> Statement:
    best, *others = ranked
    names = {score.model for score in ranked}
    apart = {pair for pair in comparison.told_apart() if names.issuperset(pair)}
    if not apart:
        return _none_apart(comparison, ranked, note)
    head: Words = (Named(best.model), " scored highest: ", Scored(best))
    doubt = _doubt(comparison, best.model, [other.model for other in others])
    unbeaten = [other.model for other in others if (best.model, other.model) not in apart]
    if unbeaten:
        said = (*head, ".", *_unbeaten(comparison, best.model, unbeaten))
        return Statement(True, said, (*doubt, *((" ",) if doubt and note else ()), *note), best.model)
    rest = f"the only other {of}" if len(others) == 1 else f"each of the {len(others)} other {of}s"
    second: Words = ("The next is ", Named(others[0].model), " with ", Scored(others[0]), ". ")
    said = (*head, f", ahead of {rest}.", *((" ", *doubt) if doubt else ()))
    return Statement(True, said, (*second, *note), best.model)


def _doubt(comparison: Comparison, best: str, others: Sequence[str]) -> Words:
    """Say over which of the others the lead is not certain, because missing verdicts could undo the finding."""
    found = {frozenset((pair.first, pair.second)) for pair in comparison.pairs if pair.tips is not None}
    unsure = [other for other in others if frozenset((best, other)) in found]
    return ("Missing verdicts could undo its lead over ", *_listed(unsure), ".") if unsure else ()


def _unbeaten(comparison: Comparison, best: str, others: Sequence[str]) -> Words:
    """Say which models tests do not put behind the best, and with which there is nothing to test."""
    apart = {frozenset((pair.first, pair.second)): pair for pair in comparison.pairs if pair.difference is None}
    untested = {other: apart[pair].stopped for other in others if (pair := frozenset((best, other))) in apart}
    tied = [other for other in others if other not in untested]
    without = [other for other, stopped in untested.items() if not stopped]
    stopped = [other for other, ended in untested.items() if ended]
    return (
        *((" It is not significantly ahead of ", *_listed(tied), ".") if tied else ()),
        *((" It has no scored case in common with ", *_listed(without), ".") if without else ()),
        *((" It is not compared with ", *_listed(stopped), ": runs stopped early.") if stopped else ()),
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
    high, low = ranked[0], ranked[-1]
    more: Words = ("Highest: ", Named(high.model), ", ", Scored(high), ". Lowest: ", Named(low.model), ", ",
                   Scored(low), ". ")  # fmt: skip
    return Statement(False, (said,), (*more, *note), high.model)


def _floor(comparison: Comparison, best: ModelScore, references: Collection[str]) -> Words:
    """Say so when the best model is not ahead of a script that it ought to be ahead of."""
    beaten = {worse for better, worse in comparison.told_apart() if better == best.model}
    level = [s for s in comparison.scores if s.model in references and s.groups and not comparison.lacks(s)]
    unbeaten = [score for score in level if score.model not in beaten]
    if not unbeaten:
        return ()
    first = max(unbeaten, key=lambda score: score.mean)
    return ("No test puts ", Named(best.model), " ahead of a reference script: ", Named(first.model), ", ",
            Scored(first, with_interval=False), ". ")  # fmt: skip


def _unranked(number: int) -> Words:
    if not number:
        return ()
    return (f"{'One model lacks a benchmark and is' if number == 1 else f'{number} models lack benchmarks and are'} "
            "not ranked.",)  # fmt: skip


def _listed(models: Sequence[str]) -> Words:
    """Return names in a sentence, those beyond MOST_NAMED as a number."""
    named = list(models) if len(models) <= MOST_NAMED + 1 else list(models[:MOST_NAMED])
    parts: list[Piece] = [Named(model) for model in named]
    return joined([*parts, *([f"{len(models) - len(named)} more"] if len(named) < len(models) else [])])


def widest_gap(
    contrasts: Sequence[LevelContrast], own: Sequence[OwnGap] = (), names: Mapping[str, str] | None = None
) -> Statement:
    """Return the worst that is known of the difference that it makes who is talking.

    contrasts: of pass rates; own: the gaps of contrast metrics between groups of people; names: of benchmarks by slug.
    It is the widest that is significant: over all benchmarks, else of one, else of a contrast metric.
    """
    whole = [one for one in contrasts if one.level == "overall"]
    for level in (whole, [one for one in contrasts if one.level == "benchmark"]):
        found = [one for one in level if one.found]
        if found:
            return _found(max(found, key=_size), found, level, names or {})
    if whole and not any(test.found for *_, test in own):
        return _not_found(whole, own)
    if own:
        return contrast_finding(own, "between groups")
    return Statement(
        False,
        ("Not measured: no case has verdicts with two kinds of people.",),
        ("Whether it matters who is talking, such as a child or an adult, this suite cannot say.",),
    )


def contrast_finding(own: Sequence[OwnGap], of: str = "between versions of a case") -> Statement:
    """Return the widest gap of contrast metrics that is significant; of: what their gaps are."""
    if found := [one for one in own if one[2].found]:
        return _own_found(max(found, key=_own_size), own)
    said = _chance([test for *_, test in own], of)
    return Statement(False, said, ("They compare answers to the same case, benchmark by benchmark.",))


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
    more = f"{_gap_words(worst)} It is the widest of {counted(len(found), 'significant gap')}, "
    more += f"of {len(tried):,} tried."
    return Statement(True, said, (f"{more} {worst.undone}".rstrip(),), worst.model)


def _own_found(worst: OwnGap, tried: Sequence[OwnGap]) -> Statement:
    name, model, test = worst
    gap, found = test.gap, sum(one.found for *_, one in tried)
    said: Words = (Named(model), " answers differently for ", Quoted(gap.first), " and for ", Quoted(gap.second),
                   " in ", Quoted(name), ".")  # fmt: skip
    spec = "+,.0f" if abs(gap.estimate.value) >= 100 else "+.2f"  # amounts are told as amounts
    interval = test.difference.interval if test.difference else UNKNOWN  # holds for all that it was chosen from
    more = f"First minus second: {gap.estimate.value:{spec}}{_bounds(interval, 1, spec)}; 0 is ideal. "
    more = more.replace("-", "\N{MINUS SIGN}")
    more += f"It is the widest of {counted(found, 'significant gap')}, of {len(tried):,} tried."
    return Statement(True, said, (f"{more} {test.undone}".rstrip(),), model)


def _not_found(tried: Sequence[LevelContrast], own: Sequence[OwnGap]) -> Statement:
    said = _chance([*tried, *(test for *_, test in own)])
    widest = max(tried, key=_size)
    if not widest.difference.value:
        return Statement(False, said, ("No gap in pass rates was seen. ", _LABELS_TEST))
    seen: Words = ("Widest in pass rates: ", Named(widest.model), ", worse with ", *_sides(widest), ". ")
    return Statement(False, said, (*seen, _gap_words(widest), " ", _LABELS_TEST), widest.model)


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
    return (Quoted(group_words(worse)), f" ({100 * low:.1f}% passed) than with ", Quoted(group_words(better)),
            f" ({100 * high:.1f}%)")  # fmt: skip


def _gap_words(one: LevelContrast) -> str:
    value = 100 * abs(one.difference.value)
    flip = -1 if one.difference.value < 0 else 1
    words = f"{value:.1f} points{_bounds(one.difference.interval, 100 * flip, '.1f')}."
    return words.replace("-", "\N{MINUS SIGN}")


def _bounds(interval: Interval, scale: float, spec: str) -> str:
    if not interval.is_known:
        return ""
    low, high = sorted((scale * interval.low, scale * interval.high))
    return f" (95% interval {low:{spec}} to {high:{spec}})"

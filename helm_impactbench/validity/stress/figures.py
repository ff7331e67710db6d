"""Does an edit move verdicts that it must not move? Shares, directions, and tests against the judge's own noise. Pure.

Every transcript is judged plain, once more as it is, and edited. A judge that ignores an edit treats the edited
question like the repeated one: verdicts move as often, and as often up as down. So both tests flip signs: that of the
moves beyond those of the repetition, and that of the mean shift from the plain and the repeated verdict. Metrics are
clusters, as in validity.golden.figures; max-T over both tests of all edits keeps the risk of any false finding at 5%.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from helm_impactbench.errors import counted, listed
from helm_impactbench.stats.clusters import clustered, mean_variance
from helm_impactbench.stats.detectable import detectable_shift
from helm_impactbench.stats.simultaneous import FamilyTest, simultaneous_tests
from helm_impactbench.validity.golden.figures import JudgeFigure, over_metrics
from helm_impactbench.validity.records.answers import PLAIN, REPEAT, KnownAnswer, StressedItem
from helm_impactbench.validity.stress.kinds import KINDS, StressKind, Towards

PRESENCE = "presence"
UNCLEAR_LEVEL = 0.5
REFERENCE_NOISE = 0.75
"""Variance of a verdict less the mean of two others, over that of one less one other: (1 + 1/2) / 2."""
_LARGE = 20
"""Points of a mean shift that a test should be able to find, or nothing can be said."""
Triple = tuple[StressedItem, KnownAnswer, KnownAnswer, KnownAnswer]
"""An item, and what was said of it plain, repeated and edited."""


@dataclass(frozen=True)
class StressTest:
    """A difference, and its test among those of all edits."""

    figure: JudgeFigure
    test: FamilyTest


@dataclass(frozen=True)
class KindFigures:
    """What one edit does."""

    kind: str
    metrics: int
    """That these transcripts are of."""
    moved: JudgeFigure
    """Share of transcripts whose verdict is another one than the plain one's."""
    repeat: JudgeFigure
    """Share of the same transcripts whose verdict is another one when the same question is asked again."""
    more: StressTest
    """The first less the second."""
    towards: Towards
    shift: StressTest
    """Mean shift in the direction `towards`; of presence in shares of verdicts, of points in shares of the range."""
    by_measure: dict[str, JudgeFigure]
    """Mean shift upwards by measure."""
    to_present: int
    to_absent: int
    to_right: int
    to_wrong: int
    unclear: JudgeFigure
    """Change of the share of unclear verdicts."""
    failed: JudgeFigure
    """Change of the share of missing verdicts, over all transcripts that were edited."""
    left_out: dict[str, int]
    """Reason -> transcripts that were not edited."""
    detectable: float
    """Shift that would have been found in 80% of checks; nan where there is none."""

    @property
    def says_enough(self) -> bool:
        """Whether a large effect would have been found."""
        return self.shift.test.can_be_found and 100 * self.detectable <= _LARGE

    @property
    def found(self) -> bool:
        """Whether the edit moves verdicts: more of them than a repetition, or in one direction."""
        return (self.more.test.found and self.more.figure.value > 0) or self.shift.test.found


@dataclass(frozen=True)
class Believed:
    """How often a verdict in the transcript is taken over, of the transcripts whose plain verdict is another one."""

    form: str
    asked_for: str
    """Answer."""
    taken: JudgeFigure


@dataclass(frozen=True)
class Move:
    """One verdict that an edit moved."""

    item: StressedItem
    kind: str
    again: bool
    """Whether the repetition moved it too, so that the edit is not needed to explain it."""

    @property
    def before(self) -> str:
        """The plain verdict."""
        return self.item.said[PLAIN].words

    @property
    def after(self) -> str:
        """The verdict on the edited transcript."""
        return self.item.said[self.kind].words

    @property
    def right(self) -> str:
        """What became of a known verdict: "to right", "to wrong", or nothing."""
        if not self.item.is_known:
            return ""
        was, now = (self.item.said[version].right is True for version in (PLAIN, self.kind))
        return "to wrong" if was and not now else "to right" if now and not was else "wrong as before"


@dataclass(frozen=True)
class StressFigures:
    """All that stress says of a judge."""

    repeat: JudgeFigure
    """Share of all transcripts whose verdict is another one when the same question is asked again."""
    kinds: tuple[KindFigures, ...]
    believed: tuple[Believed, ...]
    """Empty without injections."""

    @property
    def holds(self) -> bool:
        """Whether no edit was found to move verdicts."""
        return not any(one.found for one in self.kinds)


def stress_figures(items: Sequence[StressedItem], names: Iterable[str]) -> StressFigures:
    """Return what these edits do."""
    kinds = [KINDS[name] for name in names]
    family = [
        {key: sum(found) for key, found in _grouped(triples, of).items()}
        for kind in kinds
        for triples in [_triples(items, kind.name)]
        for of in (_beyond, lambda one, kind=kind: _shift(one, kind.towards))
    ]
    tests = iter(simultaneous_tests(family))
    plain = [(one, one.said[PLAIN], one.said[REPEAT]) for one in items if _usable(one.said[PLAIN], one.said[REPEAT])]
    return StressFigures(
        over_metrics((one.cluster, float(not was.same(now))) for one, was, now in plain),
        tuple(_kind(items, kind, next(tests), next(tests), len(family)) for kind in kinds),
        tuple(_believed(items)),
    )


def moves(items: Iterable[StressedItem], names: Iterable[str]) -> list[Move]:
    """Return the verdicts that moved, edit by edit."""
    kept = list(items)
    return [
        Move(one, name, again=not one.said[PLAIN].same(one.said[REPEAT]))
        for name in names
        for one, plain, _, edited in _triples(kept, name)
        if not plain.same(edited)
    ]


def conclusions(figures: StressFigures) -> list[str]:
    """Return what may be concluded, a sentence each."""
    found = [one.kind for one in figures.kinds if one.found]
    others = [one for one in figures.kinds if not one.found]
    tested = [one for one in others if one.says_enough]
    said = list[str]()
    if found:
        said.append(f"Verdicts move with {listed(found)}, beyond what chance and the judge's own noise explain.")
    if tested:
        most = 100 * max(one.detectable for one in tested)
        said.append(
            f"No effect of {listed([one.kind for one in tested])} was found. That does not prove that there is none: "
            f"a mean shift of {most:.1f} points is found in 8 of 10 checks, a smaller one less often."
        )
    if few := [one for one in others if not one.says_enough]:
        sizes = [f"{one.kind} ({counted(one.moved.items, 'transcript')})" for one in few]
        said.append(f"Nothing can be said of {listed(sizes)}: so few cannot show an effect of {_LARGE} points.")
    return said


def _kind(
    items: Sequence[StressedItem], kind: StressKind, more: FamilyTest, shift: FamilyTest, tests: int
) -> KindFigures:
    triples = _triples(items, kind.name)

    def mean(of: Callable[[Triple], float], lowest: float = -1.0) -> JudgeFigure:
        return over_metrics(((one[0].cluster, of(one)) for one in triples), lowest)

    up = Counter(
        _step(plain, edited, one) > 0
        for one, plain, _, edited in triples
        if one.measure == PRESENCE and _step(plain, edited, one)
    )
    turned = Counter(move.right for move in moves(items, [kind.name]))
    asked = [one for one in items if kind.name in one.said]
    noise = clustered((one.cluster, _towards(plain, repeat, one, kind.towards)) for one, plain, repeat, _ in triples)
    return KindFigures(
        kind=kind.name,
        metrics=len({one.cluster for one, *_ in triples}),
        moved=mean(lambda one: float(not one[1].same(one[3])), 0.0),
        repeat=mean(lambda one: float(not one[1].same(one[2])), 0.0),
        more=StressTest(mean(_beyond), more),
        towards=kind.towards,
        shift=StressTest(mean(lambda one: _shift(one, kind.towards)), shift),
        by_measure={
            measure: over_metrics(
                ((one[0].cluster, _shift(one, "up")) for one in triples if one[0].measure == measure), -1.0
            )
            for measure in sorted({one[0].measure for one in triples})
        },
        to_present=up[True],
        to_absent=up[False],
        to_right=turned["to right"],
        to_wrong=turned["to wrong"],
        unclear=mean(lambda one: (one[3].status == "unclear") - float(one[1].status == "unclear")),
        failed=over_metrics(
            ((one.cluster, one.said[PLAIN].is_given - float(one.said[kind.name].is_given)) for one in asked), -1.0
        ),
        left_out=dict(Counter(one.left_out[kind.name] for one in items if kind.name in one.left_out)),
        detectable=detectable_shift(REFERENCE_NOISE * mean_variance(noise)[0], noise.values, tests)
        if noise.size > 1
        else math.nan,
    )


def _believed(items: Sequence[StressedItem]) -> Iterable[Believed]:
    groups = dict[tuple[str, str], list[tuple[tuple[str, str], float]]]()
    for one in items:
        said, wanted = one.said.get("injection"), one.injected
        if said is None or wanted is None or not _usable(one.said[PLAIN], said) or one.said[PLAIN].same(wanted):
            continue
        answer = wanted.answer if one.measure == PRESENCE else f"another {one.measure}"
        groups.setdefault((answer, one.forms["injection"]), []).append((one.cluster, float(said.same(wanted))))
    return [Believed(form, answer, over_metrics(groups[answer, form])) for answer, form in sorted(groups)]


def _triples(items: Iterable[StressedItem], kind: str) -> list[Triple]:
    return [
        (one, one.said[PLAIN], one.said[REPEAT], one.said[kind])
        for one in items
        if kind in one.said and _usable(one.said[PLAIN], one.said[REPEAT], one.said[kind])
    ]


def _usable(*said: KnownAnswer) -> bool:
    return all(one.is_given for one in said)


def _grouped(triples: Iterable[Triple], of: Callable[[Triple], float]) -> dict[tuple[str, str], list[float]]:
    groups = dict[tuple[str, str], list[float]]()
    for one in triples:
        groups.setdefault(one[0].cluster, []).append(of(one))
    return groups


def _beyond(one: Triple) -> float:
    _, plain, repeat, edited = one
    return float(not plain.same(edited)) - float(not plain.same(repeat))


def _shift(one: Triple, towards: Towards) -> float:
    item, plain, repeat, edited = one
    return (_towards(plain, edited, item, towards) + _towards(repeat, edited, item, towards)) / 2


def _towards(was: KnownAnswer, now: KnownAnswer, item: StressedItem, towards: Towards) -> float:
    """Return a move in the direction of interest, from -1 to 1; 0 where it has none."""
    if towards == "injected":
        wanted = item.injected
        return 0.0 if wanted is None else float(now.same(wanted)) - float(was.same(wanted))
    sign = {"positive": 1, "negative": -1}.get(item.type, 0) if towards == "better" else 1
    return sign * _step(was, now, item)


def _step(was: KnownAnswer, now: KnownAnswer, item: StressedItem) -> float:
    """Return a move upwards: of presence from 0 to 1, else as a share of the range, or its sign without one."""
    if item.measure == PRESENCE:
        return _level(now) - _level(was)
    if was.value is None or now.value is None or was.same(now):
        return 0.0
    change = now.value - was.value
    return change / item.span if item.span else math.copysign(1.0, change)


def _level(said: KnownAnswer) -> float:
    return UNCLEAR_LEVEL if said.status == "unclear" else said.value or 0.0

"""Anchors: the same few transcripts, read anew by the judges of every suite, so that a change of a judge shows.

They are a small part of the golden sets of the suite's own benchmarks, asked REPEATS times each: answers that differ
within one reading are the judge's noise, and only what goes beyond it is a change.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest

from helm_impactbench._version import __version__
from helm_impactbench.benchmark.golden import BORDERLINE, GoldenSet, golden_digest
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.judging.judge_conversation import Call, Panel, judge_conversation
from helm_impactbench.judging.question import judge_digest
from helm_impactbench.judging.verdict import Verdict, Vote
from helm_impactbench.llm.request import CallFailure, ModelRequest, Reply
from helm_impactbench.llm.usage import Usage, total
from helm_impactbench.results.anchors import AnchorAnswer, AnchorReading, Said
from helm_impactbench.results.judge_checks import Given
from helm_impactbench.validity.golden.run import GoldenCase, given_verdict, given_vote, golden_cases
from helm_impactbench.validity.threads import in_threads

MOST = 40
"""Anchors of a suite."""
KEPT_DAYS = 7
"""So long a reading speaks for a suite's judges: their provider may change them while a suite grows."""
PRESENCE = "presence"
REPEATS = 3
"""How often each is asked. With two, twice as many answers have to change before it shows."""


@dataclass(frozen=True)
class Anchor:
    """One transcript that every suite's judges read."""

    id: str
    """Hash of what is asked and of the known verdict."""
    golden: GoldenCase


def chosen_anchors(sets: Iterable[GoldenSet]) -> list[Anchor]:
    """Return the anchors of benchmarks: as many of each, MOST in all.

    Which of a benchmark's transcripts come first does not depend on the other benchmarks, so suites that share a
    benchmark share anchors.
    """
    queues = [_ordered(one) for one in sorted(sets, key=lambda one: one.benchmark.slug)]
    rounds = (anchor for round_ in zip_longest(*queues) for anchor in round_ if anchor is not None)
    return [anchor for anchor, _ in zip(rounds, range(MOST), strict=False)]


def _ordered(golden: GoldenSet) -> list[Anchor]:
    """Return a benchmark's transcripts, those first that differ most in verdict and metric.

    Verdicts take turns, the one first that the benchmark's name decides, and then the metrics that were taken least.
    """
    left = {
        golden_digest([GoldenSet(golden.benchmark, (case.item,))])[:16]: case for case in golden_cases([golden])
    }  # fmt: skip
    verdicts, metrics = Counter[str](), Counter[str]()
    ordered = []
    while left:
        chosen = min(
            left,
            key=lambda digest: (
                verdicts[_kind(left[digest])],
                left[digest].case.metric.measure.kind == PRESENCE,  # the rarer measures first
                _hash(golden.benchmark.slug, _kind(left[digest])),
                metrics[left[digest].item.metric],
                digest,
            ),
        )
        case = left.pop(chosen)
        verdicts[_kind(case)] += 1
        metrics[case.item.metric] += 1
        ordered.append(Anchor(chosen, case))
    return ordered


def _kind(case: GoldenCase) -> str:
    """Return what a transcript is an example of: its verdict on presence, or another measure."""
    measure = case.case.metric.measure.kind
    return str(case.item.verdict) if measure == PRESENCE or case.wanted is None else measure


def _hash(*parts: str) -> str:
    return hashlib.sha256("/".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Due:
    """What a judge or panel still has to read for a suite."""

    reading: AnchorReading
    """What is there of it: nothing in a new one."""
    anchors: list[Anchor]
    """Without an answer so far; none where everything is there."""


def due(
    judges: tuple[str, ...], anchors: Sequence[Anchor], newest: AnchorReading | None, judged: date, today: date
) -> Due:
    """Return what has to be read, if `newest` is there and the judges last read conversations of the suite on `judged`.

    A reading is made once. A new one is due when conversations were judged KEPT_DAYS after it, or with other prompts.
    """
    prompts = _prompts_digest(anchors)
    if newest is None or newest.prompts_digest != prompts or (judged - newest.began).days >= KEPT_DAYS:
        empty = AnchorReading(judges=judges, began=today, prompts_digest=prompts, helm_impactbench=__version__)
        return Due(empty, list(anchors))
    there = {answer.anchor for answer in newest.answers if answer.is_whole}
    return Due(newest, [anchor for anchor in anchors if anchor.id not in there])


def _prompts_digest(anchors: Sequence[Anchor]) -> str:
    instructions = {anchor.golden.case.metric.measure.instructions() for anchor in anchors}
    return content_digest([judge_digest(), *sorted(instructions)])


def read(asked: Due, suite: str, call: Call, threads: int) -> AnchorReading:
    """Return a reading with what was missing.

    The suite and the day enter what is asked: an answer comes from the cache only if the same suite had asked it that
    day. Raises FatalCallError when no call can succeed any more; what was answered is in the cache.
    """
    began, judges = asked.reading.began, asked.reading.judges
    served = {judge: set(names) for judge, names in asked.reading.served.items()}

    def one(place: tuple[Anchor, int]) -> Verdict:
        anchor, repeat = place

        def apart(request: ModelRequest) -> Reply | CallFailure:
            reply = call(replace(request, seed=f"anchors/{suite}/{began}/{anchor.id}/{repeat}"))
            if isinstance(reply, Reply) and reply.served:
                served.setdefault(request.deployment, set()).add(reply.served)
            return reply

        return judge_conversation(anchor.golden.case, anchor.golden.conversation, Panel(judges), apart)

    places = [(anchor, repeat) for anchor in asked.anchors for repeat in range(1, REPEATS + 1)]
    verdicts = list(in_threads(one, places, threads))
    answers = {answer.anchor: answer for answer in asked.reading.answers}
    for place, anchor in enumerate(asked.anchors):
        answers[anchor.id] = _answer(anchor, verdicts[place * REPEATS : (place + 1) * REPEATS])
    names = {judge: tuple(sorted(found)) for judge, found in sorted(served.items())}
    return asked.reading.model_copy(update={"answers": tuple(answers.values()), "served": names})


def _answer(anchor: Anchor, verdicts: Sequence[Verdict]) -> AnchorAnswer:
    golden = anchor.golden
    votes, usages = dict[str, list[Said]](), dict[str, list[Usage]]()
    for verdict in verdicts:
        for vote in verdict.votes:
            usages.setdefault(vote.judge, []).append(vote.usage)
        for vote in verdict.votes if len(verdict.votes) > 1 else ():
            votes.setdefault(vote.judge, []).append(_said(given_vote(golden.wanted, vote), vote))
    return AnchorAnswer(
        anchor=anchor.id,
        benchmark=golden.case.benchmark,
        metric=golden.case.metric.id,
        measure=golden.case.metric.measure.kind,
        wanted=BORDERLINE if golden.wanted is None else str(golden.item.verdict),
        said=tuple(_said(given_verdict(golden.wanted, verdict), _only_vote(verdict)) for verdict in verdicts),
        votes={judge: tuple(own) for judge, own in votes.items()},
        usage={judge: total(used) for judge, used in sorted(usages.items())},
    )


def _only_vote(verdict: Verdict) -> Vote | Verdict:
    """Return the vote of a single judge, which has more to say than the verdict that follows from it."""
    return verdict.votes[0] if len(verdict.votes) == 1 else verdict


def _said(given: Given, source: Vote | Verdict) -> Said:
    return Said(
        status=given.status,
        answer=given.answer,
        value=source.value,
        right=given.right,
        confidence=source.confidence if isinstance(source, Vote) else None,
    )

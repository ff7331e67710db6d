"""Anchors: the same few transcripts, read anew by the judges of every suite, so that a change of a judge shows.

They are a small part of the golden sets of the suite's own benchmarks, asked REPEATS times each: answers that differ
within one reading are the judge's noise, and only what goes beyond it is a change.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import zip_longest

from helm_impactbench._version import __version__
from helm_impactbench.benchmark.golden import GoldenSet, golden_digest
from helm_impactbench.errors import counted
from helm_impactbench.judging.judge_conversation import Call
from helm_impactbench.judging.verdict import Verdict
from helm_impactbench.llm.request import CallFailure, ModelRequest, Reply
from helm_impactbench.tables import Result
from helm_impactbench.validity.golden.run import GoldenCase, golden_cases
from helm_impactbench.validity.instrument import Plan, judge_prompts_digest, judges_plan, judging_expense
from helm_impactbench.validity.records.anchors import AnchorRecord

MOST = 40
"""Anchors of a suite."""
KEPT_DAYS = 7
"""So long a reading speaks for a suite's judges: their provider may change them while a suite grows."""
PRESENCE = "presence"
USUAL = (PRESENCE, "scale")
"""Measures of most metrics."""
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
    left = {golden_digest([GoldenSet(golden.benchmark, (case.item,))])[:16]: case for case in golden_cases([golden])}
    verdicts, metrics = Counter[str](), Counter[str]()
    ordered = []
    while left:
        chosen = min(
            left,
            key=lambda digest: (
                verdicts[_kind(left[digest])] + left[digest].item.is_borderline,
                left[digest].case.metric.measure.kind in USUAL,  # the rarer measures first
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


def due(
    judges: tuple[str, ...], anchors: Sequence[Anchor], newest: AnchorRecord | None, judged: date, today: date
) -> tuple[AnchorRecord, list[Anchor]]:
    """Return the record that is to be completed, and the anchors without an answer in it; none where it is whole.

    `newest` is the record that is there, and `judged` the day on which the judges last read conversations of the suite.
    Anchors are read once. They are read anew when conversations were judged KEPT_DAYS later, or with other prompts.
    """
    prompts = judge_prompts_digest(anchor.golden.case.metric for anchor in anchors)
    if newest is None or newest.prompts_digest != prompts or (judged - newest.began).days >= KEPT_DAYS:
        empty = AnchorRecord(judges=judges, began=today, prompts_digest=prompts, helm_impactbench=__version__)
        return empty, list(anchors)
    answered = {item.item for item in newest.items if item.is_whole}
    return newest, [anchor for anchor in anchors if anchor.id not in answered]


@dataclass(frozen=True)
class AnchorSet:
    """An instrument: what a suite's judges say of a few known transcripts, so that a change of a judge shows.

    The suite and the day enter what is asked: an answer comes from the cache only if the same suite had asked it that
    day.
    """

    suite: str
    started: AnchorRecord
    """What is there of the record: nothing in a new one."""
    anchors: Sequence[Anchor]
    """Those without an answer so far."""
    served: dict[str, set[str]] = field(default_factory=dict)
    """Deployment -> what its provider called the model that answered; grows while it asks."""
    noun: str = "anchor"

    @cached_property
    def items(self) -> list[tuple[Anchor, int]]:
        """Each anchor, REPEATS times."""
        return [(anchor, repeat) for anchor in self.anchors for repeat in range(1, REPEATS + 1)]

    @property
    def plan(self) -> Plan:
        """What it is going to ask."""
        each = judging_expense((anchor.golden.messages for anchor in self.anchors), REPEATS)
        return judges_plan(f"{counted(len(self.anchors), 'anchor')}, {REPEATS} times", self.started.judges, each)

    def ask(self, item: tuple[Anchor, int], call: Call) -> Verdict:
        """Return what the judges say of an anchor once more. Raises FatalCallError."""
        anchor, repeat = item

        def apart(request: ModelRequest) -> Reply | CallFailure:
            seed = f"anchors/{self.suite}/{self.started.began}/{anchor.id}/{repeat}"
            reply = call(replace(request, seed=seed))
            if isinstance(reply, Reply) and reply.served:
                self.served.setdefault(request.deployment, set()).add(reply.served)
            return reply

        return anchor.golden.judged_by(self.started.judges, apart)

    def record(self, answers: Sequence[Verdict]) -> AnchorRecord:
        """Return the record with what was missing."""
        items = {item.item: item for item in self.started.items}
        for place, anchor in enumerate(self.anchors):
            verdicts = answers[place * REPEATS : (place + 1) * REPEATS]
            items[anchor.id] = anchor.golden.judged_item(verdicts, anchor.id)
        return self.started.model_copy(update={"items": tuple(items.values()), "served": self._names()})

    def figures(self, record: AnchorRecord) -> Result:
        """Return what the record says of its judges."""
        from helm_impactbench.validity.commands.anchors import anchors

        return anchors([record])

    def _names(self) -> Mapping[str, tuple[str, ...]]:
        before = self.started.served
        return {
            judge: tuple(sorted({*before.get(judge, ()), *self.served.get(judge, ())}))
            for judge in sorted({*before, *self.served})
        }

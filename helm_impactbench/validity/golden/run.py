"""Ask a judge or panel about golden sets, through the same path as conversations of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from helm_impactbench._version import __version__
from helm_impactbench.analysis.costs.forecast import MESSAGE_OVERHEAD, Assumptions, Expense, tokens
from helm_impactbench.benchmark.golden import GoldenItem, GoldenSet, golden_digest
from helm_impactbench.benchmark.measures.base import Reading
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.benchmark.scenario import Scenario
from helm_impactbench.conversation.plan import ConversationCase, plan_case
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.judging.judge_conversation import Call, Panel, judge_conversation, question_of
from helm_impactbench.judging.question import judge_digest
from helm_impactbench.judging.verdict import UNSCORED_REASONS, Unscored, Verdict, VerdictStatus, Vote
from helm_impactbench.results.judge_checks import Given, GoldenAnswer, JudgeCheck
from helm_impactbench.results.judge_stress import NUMBERS_ALIKE
from helm_impactbench.validity.threads import in_threads


@dataclass(frozen=True)
class GoldenCase:
    """One item as a judge meets it."""

    number: int
    """From 1, in the order of golden.yaml."""
    item: GoldenItem
    case: ConversationCase
    conversation: Conversation
    wanted: Reading | None
    """What a judge should say; None for a borderline item."""


def golden_cases(sets: Sequence[GoldenSet]) -> list[GoldenCase]:
    """Return all items of golden sets as cases."""
    return [case for one in sets for case in _cases(one)]


def _cases(golden: GoldenSet) -> Iterator[GoldenCase]:
    digest = golden.benchmark.digest()
    for number, item in enumerate(golden.items, start=1):
        own = golden.benchmark.metric(item.metric).measure.presentation.in_own_words
        scenario = Scenario(
            id=f"golden_{number:03d}",
            metric_id=item.metric,
            messages=[own(turn.user) for turn in item.transcript],
            axes=item.axes,
            facts=item.facts,
        )
        turns = tuple(
            Turn(number=place, user=own(turn.user), assistant=own(turn.assistant))
            for place, turn in enumerate(item.transcript, start=1)
        )
        yield GoldenCase(
            number,
            item,
            plan_case(golden.benchmark, digest, scenario, 0),
            Conversation(status=Status.COMPLETE, turns=turns),
            item.wanted(golden.benchmark.metric(item.metric)),
        )


def expected(cases: Sequence[GoldenCase], assumed: Assumptions) -> Expense:
    """Return what one judge takes for all items if every answer can be read; the length of answers is assumed."""
    expense = Expense()
    for one in cases:
        messages = question_of(one.case, one.conversation).messages
        prompt = sum(tokens(message.content) + MESSAGE_OVERHEAD for message in messages)
        expense.add(1, prompt, assumed.judge_answer)
    return expense


def check_judge(
    sets: Sequence[GoldenSet], judges: tuple[str, ...], call: Call, threads: int, step: Callable[[], None]
) -> JudgeCheck:
    """Return what a judge or panel says of golden sets, calling `step` after each item.

    Raises FatalCallError when no call can succeed any more; what was answered is in the cache.
    """
    cases, panel = golden_cases(sets), Panel(judges)

    def one(golden: GoldenCase) -> Verdict:
        return judge_conversation(golden.case, golden.conversation, panel, call)

    answers = []
    for golden, verdict in zip(cases, in_threads(one, cases, threads), strict=True):
        answers.append(_answer(golden, verdict))
        step()
    return JudgeCheck(
        judges=judges,
        golden_digest=golden_digest(sets),
        prompts_digest=content_digest(
            [judge_digest(), *sorted({golden.case.metric.measure.instructions() for golden in cases})]
        ),
        helm_impactbench=__version__,
        answers=tuple(answers),
    )


def _answer(golden: GoldenCase, verdict: Verdict) -> GoldenAnswer:
    metric = golden.case.metric
    return GoldenAnswer(
        benchmark=golden.case.benchmark,
        metric=metric.id,
        type=metric.type,
        measure=metric.measure.kind,
        item=golden.number,
        wanted=str(golden.item.verdict),
        severity=metric.measure.severities.get(golden.item.severity or ""),
        given=given_verdict(golden.wanted, verdict),
        votes={vote.judge: given_vote(golden.wanted, vote) for vote in verdict.votes},
        usage=verdict.usage,
        usages={vote.judge: vote.usage for vote in verdict.votes},
    )


def given_verdict(wanted: Reading | None, verdict: Verdict) -> Given:
    """Return what a panel said of a transcript whose verdict is known, or None where nobody can tell."""
    reason = UNSCORED_REASONS[verdict.unscored] if verdict.unscored else ""
    given = _given(wanted, verdict.status, verdict.value, verdict.answer or reason)
    return given.model_copy(update={"severity": verdict.severity})


def given_vote(wanted: Reading | None, vote: Vote) -> Given:
    """Return what a single judge said of one."""
    status: VerdictStatus = (
        "scored" if vote.status == "answered" else "unscored" if vote.status == "no_vote" else vote.status
    )
    reason = UNSCORED_REASONS[Unscored(vote.no_vote.value)] if vote.no_vote else ""
    given = _given(wanted, status, vote.value, vote.answer or reason)
    return given.model_copy(update={"confidence": vote.confidence, "severity": vote.severity})


def _given(wanted: Reading | None, status: VerdictStatus, value: float | None, answer: str) -> Given:
    """Return an answer with whether it is the known verdict."""
    right: bool | None = None
    if wanted is not None and status in ("scored", "not_applicable"):
        right = (
            status == "not_applicable"
            if wanted.status == "not_applicable"
            else value is not None and wanted.value is not None
            and math.isclose(value, wanted.value, rel_tol=NUMBERS_ALIKE, abs_tol=1e-12)
        )  # fmt: skip
    return Given(status=status, answer=answer, right=right)

"""What runs will take, before they take it: conversations, calls and tokens by role and model.

Prompts are the real ones, filled for every case; the lengths of answers are assumptions, and shown as such. Of suites
whose prompts are not at hand, lengths are assumed too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from helm_impactbench.conversation.loop import target_messages
from helm_impactbench.conversation.paraphrase import paraphrase_messages
from helm_impactbench.conversation.plan import UNTOLD, ConversationCase, ConversationPlan
from helm_impactbench.conversation.record import Turn
from helm_impactbench.conversation.simulator import simulator_messages
from helm_impactbench.judging.checks import check_question
from helm_impactbench.judging.question import metric_question
from helm_impactbench.llm.request import Message
from helm_impactbench.llm.tokenizer import tokens
from helm_impactbench.results.files import run_folders
from helm_impactbench.suites.planned_prompts import PlannedPrompts

ROLES = ("target", "user", "judge")
MESSAGE_OVERHEAD = 4
"""Tokens that a chat format adds to a message, about."""
SCORE_TOKENS = 50
"""Of a judge's answer to a single prompt: a sentence and a score."""


@dataclass(frozen=True)
class Assumptions:
    """How long answers are, in tokens. Typical of chat models; a pilot run measures your own (see --against)."""

    user_message: int = 45
    user_thought: int = 30
    target_reply: int = 220
    judge_answer: int = 140


@dataclass(frozen=True)
class PlannedRun:
    """Cases with one target."""

    cases: Sequence[ConversationCase]
    target: str
    judges: tuple[str, ...] = ()
    """Deployments; none where conversations are judged later."""
    checks: tuple[str, ...] = ()
    target_tokens: int | None = None
    """That a reply of the target may have; the usual number when unset."""
    temperature: float | None = None
    """Of the target; the usual one when unset."""
    validate: str | None = None
    """Deployment that also judges the held-out cases."""


@dataclass
class Expense:
    """What one role of one model takes."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, calls: int, prompt_tokens: int, completion_tokens: int) -> None:
        """Add calls and their tokens."""
        self.calls += calls
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens


@dataclass
class CostEstimate:
    """What runs take in all."""

    conversations: int = 0
    prompts: int = 0
    """Single prompts whose lengths are assumed."""
    expenses: dict[tuple[str, str], Expense] = field(default_factory=dict)
    """(role, deployment) -> expense."""

    def of(self, role: str, deployment: str) -> Expense:
        """Return the expense of a role and a deployment, to be added to."""
        return self.expenses.setdefault((role, deployment), Expense())

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(expense.calls for expense in self.expenses.values())


def estimate(runs: Iterable[PlannedRun], assumed: Assumptions, *, share_openings: bool = True) -> CostEstimate:
    """Return what runs take when all conversations are whole and every answer can be read.

    Targets of one benchmark with the same user share opening messages and their paraphrases, which are paid for once.
    Statistics of runs count them for every target: compare those with `share_openings=False`.
    """
    result = CostEstimate()
    opened: set[str] = set()
    paraphrased: set[str] = set()
    for run in runs:
        for case in run.cases:
            result.conversations += 1
            opening = case.plan.model_dump_json(exclude=UNTOLD)
            turns = _assumed_turns(case.plan, assumed)
            _add_speakers(result, case.plan, turns, run.target, assumed, shared=share_openings and opening in opened)
            if case.plan.is_paraphrased and not (share_openings and opening in paraphrased):
                _add_paraphrase(result, case.plan, turns[0].user)
                paraphrased.add(opening)
            _add_judges(result, run, case, turns, assumed)
            opened.add(opening)
    return result


def add_prompts(result: CostEstimate, planned: PlannedPrompts, target: str) -> None:
    """Add single prompts that are put to a target."""
    count = planned.prompts
    result.prompts += count
    result.of("target", target).add(count, count * planned.prompt_tokens, count * planned.answer_tokens)
    read = planned.judge_tokens + planned.prompt_tokens + planned.answer_tokens
    for judge in planned.judges:
        result.of("judge", judge).add(count, count * read, count * SCORE_TOKENS)


def actual(suite_folder: Path) -> dict[str, dict[str, float]]:
    """Return what the runs of a finished suite took: role -> prompt_tokens, completion_tokens, cost_usd (sums).

    Raises ResultsError when there is no finished run.
    """
    totals: dict[str, dict[str, float]] = {role: {} for role in ROLES}
    for run in run_folders(suite_folder):
        for stat in run.stats:
            _add_stat(totals, stat)
    return totals


def _add_stat(totals: dict[str, dict[str, float]], stat: Mapping[str, Any]) -> None:
    role, _, what = stat["name"]["name"].partition("_")
    if role in totals and what in ("prompt_tokens", "completion_tokens", "cost_usd"):
        totals[role][what] = totals[role].get(what, 0.0) + (stat.get("sum") or 0.0)


def _assumed_turns(plan: ConversationPlan, assumed: Assumptions) -> tuple[Turn, ...]:
    """Return the turns of a conversation: fixed messages as they are, all else by length."""
    fixed = dict(enumerate(plan.messages, start=1))
    return tuple(
        Turn(
            number=number,
            user=fixed.get(number) or _words(assumed.user_message),
            thought="" if number in fixed else _words(assumed.user_thought),
            assistant=_words(assumed.target_reply),
        )
        for number in range(1, plan.turns + 1)
    )


def _add_speakers(
    result: CostEstimate,
    plan: ConversationPlan,
    turns: tuple[Turn, ...],
    target: str,
    assumed: Assumptions,
    *,
    shared: bool,
) -> None:
    """Add the calls to user and target. Fixed messages take no call.

    shared: the opening message was paid for with another target.
    """
    given = len(plan.messages) or int(shared)
    simulated = _prompt_sizes(simulator_messages(plan, turns[:-1]))[given:] if plan.turns > given else []
    if simulated:
        written = assumed.user_message + assumed.user_thought + MESSAGE_OVERHEAD
        result.of("user", plan.user).add(len(simulated), sum(simulated), written * len(simulated))
    prompts = _prompt_sizes(target_messages(plan, turns)[:-1])
    result.of("target", target).add(len(prompts), sum(prompts), assumed.target_reply * len(prompts))


def _add_paraphrase(result: CostEstimate, plan: ConversationPlan, message: str) -> None:
    """Add the call in which the user's model puts the first message in other words."""
    (asked,) = _prompt_sizes(paraphrase_messages(message, plan.cues))
    result.of("user", plan.user).add(1, asked, tokens(message) + MESSAGE_OVERHEAD)


def _add_judges(
    result: CostEstimate, run: PlannedRun, case: ConversationCase, turns: tuple[Turn, ...], assumed: Assumptions
) -> None:
    if not run.judges or case.metric.measure.decided([]) is not None:
        return
    questions = [
        metric_question(case.metric, turns, case.scenario.facts, case.context, tuple(case.plan.tools)),
        *(question for name in run.checks if (question := check_question(name, case, turns)) is not None),
    ]
    prompts = [sum(_prompt_sizes(question.messages)) for question in questions]
    for judge in run.judges:
        result.of("judge", judge).add(len(questions), sum(prompts), assumed.judge_answer * len(questions))
    if run.validate and case.scenario.is_held_out:
        result.of("judge", run.validate).add(1, prompts[0], assumed.judge_answer)


def _prompt_sizes(messages: Sequence[Message]) -> list[int]:
    """Return the tokens of each request of a dialogue that grows: one request ends with each message of role user."""
    sizes, total = [], 0
    for message in messages:
        total += tokens(message.content) + MESSAGE_OVERHEAD
        if message.role == "user":
            sizes.append(total)
    return sizes


@cache
def _words(count: int) -> str:
    """Return a text of about `count` tokens."""
    return " ".join(["word"] * count)

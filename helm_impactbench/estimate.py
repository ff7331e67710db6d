"""What a run will take, before it takes it: conversations, calls, tokens and US dollars by role and model.

Prompts are the real ones, filled for every variant; what models will answer is assumed by length, and said so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.selection import selected_scenarios
from helm_impactbench.conversation.loop import target_messages
from helm_impactbench.conversation.plan import ConversationCase, plan_case
from helm_impactbench.conversation.record import Turn
from helm_impactbench.conversation.simulator import simulator_messages
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.judging.checks import check_messages
from helm_impactbench.judging.prompt import judge_messages
from helm_impactbench.models.request import Message
from helm_impactbench.run_entry import RunOptions
from helm_impactbench.scoring import names

MESSAGE_OVERHEAD = 4
"""Tokens that a chat format adds to a message, about."""


@dataclass(frozen=True)
class Assumptions:
    """How long answers are, in tokens. Typical of chat models; a pilot run tells your own (see --against)."""

    user_message: int = 45
    user_thought: int = 30
    target_reply: int = 220
    judge_answer: int = 140


@dataclass(frozen=True)
class PlannedRun:
    """One benchmark with one target."""

    options: RunOptions
    target: str


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
class Estimate:
    """What runs take in all."""

    conversations: int = 0
    expenses: dict[tuple[str, str], Expense] = field(default_factory=dict)
    """(role, deployment) -> expense."""

    def of(self, role: str, deployment: str) -> Expense:
        """Return the expense of a role and a deployment, to be added to."""
        return self.expenses.setdefault((role, deployment), Expense())


def estimate(runs: Iterable[PlannedRun], assumed: Assumptions, *, share_openings: bool = True) -> Estimate:
    """Return what runs take when all conversations are whole and every answer can be read.

    Targets of one benchmark with the same user share the opening messages, which are then paid for once. Statistics of
    runs count them for every target: compare those with `share_openings=False`.
    """
    result = Estimate()
    opened: set[tuple[str, str]] = set()
    for run in runs:
        for case in _cases(run.options):
            result.conversations += 1
            opening_key = (run.options.user, case.plan.model_dump_json())
            _add_case(result, run, case, assumed, shared_opening=share_openings and opening_key in opened)
            opened.add(opening_key)
    return result


def price(deployment: str, expense: Expense) -> float | None:
    """Return US dollars, None when no price is known."""
    import litellm

    if deployment.startswith("rehearsal/"):
        return 0.0
    try:
        costs = litellm.cost_per_token(
            model=_priced_name(deployment),
            prompt_tokens=expense.prompt_tokens,
            completion_tokens=expense.completion_tokens,
        )
    except Exception:  # litellm raises bare Exception for a model without a price
        return None
    return float(sum(costs)) or None


def actual(suite_folder: Path) -> dict[str, dict[str, float]]:
    """Return what the runs of a finished suite took: role -> prompt_tokens, completion_tokens, cost_usd (sums).

    Raises ImpactBenchError when there is no finished run.
    """
    totals: dict[str, dict[str, float]] = {role: {} for role in names.ROLES}
    paths = sorted(suite_folder.glob("impactbench*/stats.json"))
    if not paths:
        raise ImpactBenchError(f"No finished run of impactbench in {suite_folder}")
    for path in paths:
        for stat in json.loads(path.read_text(encoding="utf-8")):
            _add_stat(totals, stat)
    return totals


def _add_stat(totals: dict[str, dict[str, float]], stat: Mapping[str, Any]) -> None:
    role, _, what = stat["name"]["name"].partition("_")
    if role in totals and what in ("prompt_tokens", "completion_tokens", "cost_usd"):
        totals[role][what] = totals[role].get(what, 0.0) + stat["sum"]


def _cases(options: RunOptions) -> Iterable[ConversationCase]:
    benchmark = load_benchmark(options.benchmark)
    for scenario in selected_scenarios(benchmark, options.metric, options.split, options.part):
        for sample in range(options.samples):
            yield plan_case(
                benchmark,
                "",
                scenario,
                sample,
                user=options.user,
                turns=options.turns,
                landmarks=options.landmarks,
                perfunctory=options.perfunctory,
            )


def _add_case(
    result: Estimate, run: PlannedRun, case: ConversationCase, assumed: Assumptions, *, shared_opening: bool
) -> None:
    turns = tuple(
        Turn(
            number=number,
            user=_words(assumed.user_message),
            thought=_words(assumed.user_thought),
            assistant=_words(assumed.target_reply),
        )
        for number in range(1, case.plan.turns + 1)
    )
    written = assumed.user_message + assumed.user_thought + MESSAGE_OVERHEAD
    user_prompts = _prompt_sizes(simulator_messages(case.plan, turns[:-1]))[int(shared_opening) :]
    result.of("user", run.options.user).add(len(user_prompts), sum(user_prompts), written * len(user_prompts))
    target_prompts = _prompt_sizes(target_messages(case.plan, turns)[:-1])
    result.of("target", run.target).add(
        len(target_prompts), sum(target_prompts), assumed.target_reply * len(target_prompts)
    )
    (judge_prompt,) = _prompt_sizes(judge_messages(case.metric, turns))
    check_prompts = sum(sum(_prompt_sizes(check_messages(name, turns))) for name in run.options.checks)
    calls = 1 + len(run.options.checks)
    for judge in run.options.judge:
        result.of("judge", judge).add(calls, judge_prompt + check_prompts, assumed.judge_answer * calls)


def _prompt_sizes(messages: Sequence[Message]) -> list[int]:
    """Return the tokens of each request of a dialogue that grows: one request ends with each message of role user."""
    sizes, total = [], 0
    for message in messages:
        total += tokens(message.content) + MESSAGE_OVERHEAD
        if message.role == "user":
            sizes.append(total)
    return sizes


@cache
def tokens(text: str) -> int:
    """Return the tokens of a text, by the tokenizer that litellm uses for models it has none for."""
    import litellm

    return int(litellm.token_counter(model="", text=text))


@cache
def _words(count: int) -> str:
    """Return a text of about `count` tokens."""
    return " ".join(["word"] * count)


def _priced_name(deployment: str) -> str:
    """Return what litellm's price list may call a deployment."""
    from helm.benchmark.model_deployment_registry import ModelDeploymentNotFoundError, get_model_deployment

    try:
        arguments = get_model_deployment(deployment).client_spec.args
    except ModelDeploymentNotFoundError:
        return deployment
    return str(arguments.get("litellm_model", deployment))

"""What a run will take, before it takes it: conversations, calls, tokens and US dollars by role and model.

Prompts are the real ones, filled for every variant; what models will answer is assumed by length, and said so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from helm_impactbench.benchmark.files import load_benchmark
from helm_impactbench.benchmark.selection import selected_scenarios
from helm_impactbench.conversation.loop import target_messages
from helm_impactbench.conversation.plan import ConversationCase, ConversationPlan, plan_case
from helm_impactbench.conversation.record import Turn
from helm_impactbench.conversation.simulator import simulator_messages
from helm_impactbench.errors import ImpactBenchError
from helm_impactbench.helm import stat_names
from helm_impactbench.helm.run_entry import RunOptions
from helm_impactbench.judging.checks import check_messages
from helm_impactbench.judging.prompt import judge_messages
from helm_impactbench.llm.request import Message
from helm_impactbench.sycophancy.cells import cells_of
from helm_impactbench.sycophancy.files import disputes_of, load_grid
from helm_impactbench.sycophancy.model import ARMS
from helm_impactbench.sycophancy.plan import TellingCase, plan_telling
from helm_impactbench.sycophancy.question import guess_messages, party_names, stance_messages
from helm_impactbench.sycophancy.question import shown_turns as stance_turns
from helm_impactbench.sycophancy.run_entry import NAME, SycophancyOptions

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
    """One benchmark, or the grid of moral sycophancy, with one target."""

    options: RunOptions | SycophancyOptions
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
        if isinstance(run.options, SycophancyOptions):
            for telling in _tellings(run.options):
                result.conversations += 1
                _add_telling(result, run.options, run.target, telling, assumed)
            continue
        for case in _cases(run.options):
            result.conversations += 1
            opening_key = (run.options.user, case.plan.model_dump_json())
            shared = share_openings and opening_key in opened
            _add_case(result, run.options, run.target, case, assumed, shared_opening=shared)
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
    totals: dict[str, dict[str, float]] = {role: {} for role in stat_names.ROLES}
    paths = [path for kind in ("impactbench", NAME) for path in sorted(suite_folder.glob(f"{kind}:*/stats.json"))]
    if not paths:
        raise ImpactBenchError(f"No finished run of impactbench or {NAME} in {suite_folder}")
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


def _tellings(options: SycophancyOptions) -> Iterable[TellingCase]:
    grid = load_grid()
    for dispute in disputes_of(grid, options.dispute):
        for cell, arm, sample in product(cells_of(dispute), ARMS, range(options.samples)):
            yield plan_telling(grid, "", cell, arm, sample, options.user or "", options.turns)


def _add_case(
    result: Estimate,
    options: RunOptions,
    target: str,
    case: ConversationCase,
    assumed: Assumptions,
    *,
    shared_opening: bool,
) -> None:
    turns = _assumed_turns(case.plan, assumed)
    _add_speakers(result, case.plan, turns, target, assumed, openings=int(shared_opening))
    (judge_prompt,) = _prompt_sizes(judge_messages(case.metric, turns))
    checks = [sum(_prompt_sizes(check_messages(name, turns))) for name in options.checks]
    _add_judges(result, options.judge, [judge_prompt, *checks], assumed)


def _add_telling(
    result: Estimate, options: SycophancyOptions, target: str, case: TellingCase, assumed: Assumptions
) -> None:
    first, *others = _assumed_turns(case.plan, assumed)
    turns = (first.model_copy(update={"user": case.plan.opening, "thought": ""}), *others)
    _add_speakers(result, case.plan, turns, target, assumed, openings=1)  # the telling is given, not written
    names = party_names(case, swap=options.swap)
    shown = stance_turns(case, turns, names)
    questions = [stance_messages(case, shown, names)]
    if options.guess and case.arm != "neutral":
        questions.append(guess_messages(case, shown, names))
    _add_judges(result, options.judge, [sum(_prompt_sizes(question)) for question in questions], assumed)


def _assumed_turns(plan: ConversationPlan, assumed: Assumptions) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            number=number,
            user=_words(assumed.user_message),
            thought=_words(assumed.user_thought),
            assistant=_words(assumed.target_reply),
        )
        for number in range(1, plan.turns + 1)
    )


def _add_speakers(
    result: Estimate,
    plan: ConversationPlan,
    turns: tuple[Turn, ...],
    target: str,
    assumed: Assumptions,
    *,
    openings: int,
) -> None:
    """Add the calls to user and target; the user's first `openings` are not called for."""
    written = assumed.user_message + assumed.user_thought + MESSAGE_OVERHEAD
    user_prompts = _prompt_sizes(simulator_messages(plan, turns[:-1]))[openings:]
    if user_prompts:
        result.of("user", plan.user).add(len(user_prompts), sum(user_prompts), written * len(user_prompts))
    prompts = _prompt_sizes(target_messages(plan, turns)[:-1])
    result.of("target", target).add(len(prompts), sum(prompts), assumed.target_reply * len(prompts))


def _add_judges(result: Estimate, judges: Sequence[str], prompts: Sequence[int], assumed: Assumptions) -> None:
    for judge in judges:
        result.of("judge", judge).add(len(prompts), sum(prompts), assumed.judge_answer * len(prompts))


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

"""Instruments: what asks judges, models or people about known or chosen material. One protocol, one loop, one plan.

    items -> ask -> record -> figures

The judge check, anchors, stress, the review of simulated people and their fidelity, and annotation are instruments.
Rewriting transcripts and judging stored conversations again ask in the same loop, but their record has no figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol, TypedDict, TypeVar

from helm_impactbench.analysis.costs.forecast import MESSAGE_OVERHEAD, Assumptions, Expense
from helm_impactbench.benchmark.metric import Metric
from helm_impactbench.benchmark.parts import content_digest
from helm_impactbench.errors import counted, dollars
from helm_impactbench.judging.judge_conversation import Call
from helm_impactbench.judging.question import judge_digest
from helm_impactbench.llm.request import Message
from helm_impactbench.llm.tokenizer import tokens
from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.validity.threads import in_threads

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Record = TypeVar("Record")
RecordMade = TypeVar("RecordMade", covariant=True)
Price = Callable[[str, Expense], float | None]
"""What a deployment takes for so much, in US dollars; None where its price is unknown."""


class Asks(Protocol[Item, Answer, RecordMade]):
    """Something that is asked item by item."""

    @property
    def noun(self) -> str:
        """What an item is called."""

    @property
    def items(self) -> Sequence[Item]:
        """What is asked about, in order."""

    def ask(self, item: Item, call: Call) -> Answer:
        """Return what is said of one item. Raises FatalCallError when no call can succeed any more."""

    def record(self, answers: Sequence[Answer]) -> RecordMade:
        """Return what is kept of the answers, one for each item."""


class Instrument(Asks[Item, Answer, Record], Protocol[Item, Answer, Record]):
    """What tells from answers how far something can be relied on."""

    def figures(self, record: Record) -> Result:
        """Return what a record says, for every output."""


def ask_all(
    instrument: Asks[Item, Answer, RecordMade], call: Call, threads: int, step: Callable[[], None] = lambda: None
) -> RecordMade:
    """Return the record of an instrument that has asked about all of its items, calling `step` after each.

    Raises FatalCallError when no call can succeed any more, and what the budget or a shutdown raises: nothing new is
    asked then, and what was answered is in the cache.
    """
    answers = []
    for answer in in_threads(lambda item: instrument.ask(item, call), instrument.items, threads):
        answers.append(answer)
        step()
    return instrument.record(answers)


@dataclass(frozen=True)
class Plan:
    """What is going to be asked of models."""

    material: str
    """What it is about: "1 golden set, 44 transcripts"."""
    expenses: Mapping[tuple[str, str], Expense]
    """(role, deployment) -> calls and tokens, if every answer can be read."""

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(expense.calls for expense in self.expenses.values())


class PlanRow(TypedDict):
    """What one model takes."""

    role: Annotated[str, Column("Role", "text", "judge, reviewer or rewriter.", "wide")]
    model: Annotated[str, Column("Model", "model", "Deployment.", "wide")]
    calls: Annotated[int, Column("Calls", "count", "If every answer can be read.", "wide")]
    prompt_tokens: Annotated[int, Column("Prompt tokens", "count", "Estimated from characters.", "wide")]
    completion_tokens: Annotated[int, Column("Completion tokens", "count", "Assumed.", "wide")]
    usd: Annotated[float | None, Column("US$", "money", "Empty where the price is unknown.", "wide")]


def plan_result(plan: Plan, price: Price, budget: float | None = None) -> Result:
    """Return a plan with its price, as people are shown it before the first call. budget: US dollars."""
    rows: list[PlanRow] = [
        {
            "role": role,
            "model": model,
            "calls": expense.calls,
            "prompt_tokens": expense.prompt_tokens,
            "completion_tokens": expense.completion_tokens,
            "usd": price(model, expense),
        }
        for (role, model), expense in plan.expenses.items()
        if expense.calls
    ]
    costs = [row["usd"] for row in rows]
    worth = "of unknown price" if None in costs else f"about {dollars(sum(cost or 0.0 for cost in costs))}"
    within = "" if budget is None else f", {dollars(budget)} at most"
    sentence = (
        f"{plan.material}: {counted(plan.calls, 'call')}, {worth}{within}. Answers in the cache are not paid for again."
    )
    return Result((Table.of("plan", PlanRow, rows, view="wide"),), (sentence,))


def judging_expense(questions: Iterable[Sequence[Message]], repeats: int = 1) -> Expense:
    """Return what one judge takes for questions if every answer can be read; the length of answers is assumed."""
    expense, length = Expense(), Assumptions().judge_answer
    for messages in questions:
        expense.add(repeats, repeats * prompt_tokens(messages), repeats * length)
    return expense


def prompt_tokens(messages: Iterable[Message]) -> int:
    """Return about how many tokens messages have."""
    return sum(tokens(message.content) + MESSAGE_OVERHEAD for message in messages)


def judges_plan(material: str, judges: Sequence[str], each: Expense) -> Plan:
    """Return the plan of a judge or panel, of which every judge takes the same."""
    return Plan(
        f"{material}, {counted(len(judges), 'judge')}",
        {("judge", judge): Expense(each.calls, each.prompt_tokens, each.completion_tokens) for judge in judges},
    )


def judge_prompts_digest(metrics: Iterable[Metric]) -> str:
    """Return the SHA-256 (hex) of the judge's templates and of what the measures of metrics add to them."""
    return content_digest([judge_digest(), *sorted({metric.measure.instructions() for metric in metrics})])

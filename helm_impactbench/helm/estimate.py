"""`estimate`: what run entries will cost, without any call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Annotated, TypedDict

from helm_impactbench.analysis.costs.forecast import (
    Assumptions,
    CostEstimate,
    Expense,
    PlannedRun,
    add_prompts,
    estimate,
)
from helm_impactbench.errors import RunEntryError, counted, did_you_mean, listed
from helm_impactbench.helm.own_names import RUN_SPECS
from helm_impactbench.helm.planned import Planned, entries_in, planned_runs, price
from helm_impactbench.tables import Column, Result, Table
from helm_impactbench.tables.cells import NOTHING

MOST_PROMPTS = 1000
"""Of a HELM suite, where nobody says how many: the size of HELM Safety and HELM Lite."""
Sums = Mapping[str, Mapping[str, float]]
"""Role -> prompt_tokens, completion_tokens and cost_usd that a finished suite took."""


@dataclass(frozen=True)
class EstimateRequest:
    """What is to be estimated."""

    entries: Sequence[str]
    """Run entries, files of them, and targets for entries without model=."""
    models: Sequence[str] = ()
    most: int | None = None
    """Instances of a run at most, as helm-run -m; without it MOST_PROMPTS of a HELM suite, and all conversations."""
    assumed: Assumptions = field(default_factory=Assumptions)


class ExpenseRow(TypedDict):
    """What one role of one model will take."""

    role: Annotated[str, Column("Role", "text", "target, user or judge.", "default")]
    model: Annotated[str, Column("Model", "model", "Deployment.", "default")]
    calls: Annotated[int, Column("Calls", "count", "Calls.", "default")]
    prompt_tokens: Annotated[int, Column("Tokens in", "count", "Prompt tokens.", "default")]
    completion_tokens: Annotated[int, Column("Tokens out", "count", "Completion tokens.", "default")]
    cost_usd: Annotated[
        float | None,
        Column(
            "US$",
            "money",
            "Empty where the price is unknown.",
            "default",
            text=lambda row: "unknown" if row["cost_usd"] is None else f"{row['cost_usd']:.2f}",
        ),
    ]


def _amount(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:,.4f}" if value < 100 else f"{value:,.0f}"


class ComparedRow(TypedDict):
    """An estimate beside what a finished suite took."""

    role: Annotated[str, Column("Role", "text", "target, user or judge.", "default")]
    what: Annotated[str, Column("What", "text", "Tokens, or US dollars.", "default")]
    estimated: Annotated[
        float | None,
        Column("Estimated", "number", "The estimate.", "default", text=lambda row: _amount(row["estimated"])),
    ]
    actual: Annotated[
        float | None, Column("Actual", "number", "What it took.", "default", text=lambda row: _amount(row["actual"]))
    ]
    ratio: Annotated[
        float | None,
        Column(
            "Estimated / actual",
            "number",
            "The ratio.",
            "default",
            text=lambda row: NOTHING if row["ratio"] is None else f"{row['ratio']:.2f}",
        ),
    ]


def estimated(asked: EstimateRequest, taken: Sums | None = None, suite: str = "") -> Result:
    """Return what run entries will take; with `taken`, beside what a finished suite took.

    Raises ImpactBenchError for an entry that cannot be read, and RunEntryError where the size of none is known.
    """
    planned, unknown = _planned(asked)
    runs = [run for run in planned if isinstance(run, PlannedRun)]
    whole = estimate(runs, asked.assumed)
    for run in planned:
        if not isinstance(run, PlannedRun):
            add_prompts(whole, *run)
    rows = _rows(whole)
    size = f"{counted(len(planned), 'run')}, {counted(whole.conversations, 'conversation')}"
    title = f"{size}, {counted(whole.calls, 'call')}: {_total(rows)}"
    tables = [Table.of("estimate", ExpenseRow, rows, title)]
    if taken is not None:
        about = f"Compared with suite {suite}, whose figures count shared opening messages for every target"
        unshared = estimate(runs, asked.assumed, share_openings=False)
        tables.append(Table.of("against", ComparedRow, list(_compared(unshared, taken)), about))
    notes = [f"Not in this estimate, because its size is unknown: {entry}" for entry in unknown]
    return Result(tuple(tables), (*notes, *_notes(asked, whole, rows)))


def _planned(asked: EstimateRequest) -> tuple[list[Planned], list[str]]:
    """Return the runs that run entries, or conf files of them, stand for, and the entries of unknown size."""
    targets = [*asked.models, *filter(_is_model, asked.entries)]
    runs, unknown = list[Planned](), list[str]()
    for word in asked.entries:
        for entry in entries_in(word) if word.endswith(".conf") else [word] if not _is_model(word) else []:
            planned = planned_runs(entry, targets, asked.most or MOST_PROMPTS, asked.most)
            runs += planned
            unknown += [] if planned else [entry]
    if not runs:
        names = [entry.partition(":")[0] for entry in unknown]
        near = next(filter(None, (did_you_mean(name, RUN_SPECS) for name in names)), "")
        raise RunEntryError(
            f"No entry here is one of impactbench, or of a HELM suite whose size is known; there is {listed(names, 3)}."
            f"{near} An entry of ours is impactbench:benchmark=SLUG,user=...,judge=..."
            if names
            else "There is no run entry here. Name a conf file, or an entry with --run-entries"
        )
    return runs, unknown


def _is_model(word: str) -> bool:
    """Return whether an argument is one more model after --models-to-run, of which click takes the first alone."""
    return "/" in word and ":" not in word and not word.endswith(".conf")


def _rows(whole: CostEstimate) -> list[ExpenseRow]:
    return [
        {
            "role": role,
            "model": deployment,
            "calls": expense.calls,
            "prompt_tokens": expense.prompt_tokens,
            "completion_tokens": expense.completion_tokens,
            "cost_usd": price(deployment, expense),
        }
        for (role, deployment), expense in whole.expenses.items()
    ]


def _total(rows: Sequence[ExpenseRow]) -> str:
    unknown = " + unknown" if any(row["cost_usd"] is None for row in rows) else ""
    return f"{sum(row['cost_usd'] or 0.0 for row in rows):,.2f}{unknown} US$"


def _notes(asked: EstimateRequest, whole: CostEstimate, rows: Sequence[ExpenseRow]) -> Iterator[str]:
    known = all(row["cost_usd"] is not None for row in rows)
    if whole.conversations and not whole.prompts and known:
        each = sum(row["cost_usd"] or 0.0 for row in rows) / whole.conversations
        yield f"US$ per conversation: {each:.4f} (impactbench power --usd-each)"
    if any("until_" in entry for entry in asked.entries):
        yield "Runs with until_decided= or until_width= may stop early: this is the most that they can use."
    if whole.prompts:
        yield f"Includes {counted(whole.prompts, 'prompt')} of HELM's suites, from published sizes and rough lengths"
    message, thought, reply, answer = astuple(asked.assumed)
    yield f"Assumed tokens: user {message} (thought {thought}), target {reply}, judge {answer}"


def _compared(unshared: CostEstimate, taken: Sums) -> Iterator[ComparedRow]:
    for role, sums in taken.items():
        expenses = {name: expense for (of, name), expense in unshared.expenses.items() if of == role}
        for what, amount in _amounts(expenses).items():
            actual = sums.get(what)
            ratio = amount / actual if amount is not None and actual else None
            yield {"role": role, "what": what, "estimated": amount, "actual": actual, "ratio": ratio}


def _amounts(expenses: Mapping[str, Expense]) -> dict[str, float | None]:
    costs = [price(name, expense) for name, expense in expenses.items()]
    return {
        "prompt_tokens": float(sum(expense.prompt_tokens for expense in expenses.values())),
        "completion_tokens": float(sum(expense.completion_tokens for expense in expenses.values())),
        "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs),
    }

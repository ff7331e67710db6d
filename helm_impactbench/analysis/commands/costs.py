"""`costs`: what a suite cost, by role, model, benchmark and target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypedDict

from helm_impactbench.analysis.costs.recorded import FIELDS, Axis, Cost, Spent, SuiteCosts, cost_rows, notes
from helm_impactbench.analysis.latency import latency_tables
from helm_impactbench.llm.usage import Usage
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.tables import Column, Result, Row, Table, columns_of

ROLES = ("user", "target", "judge")


def dollars(usage: Usage) -> str:
    """Return US dollars, and that they are not all where a price is unknown."""
    return _sum(f"{usage.cost_usd:.2f}", usage.calls, usage.unpriced_calls)


def _sum(known: str, calls: int, unknown_calls: int) -> str:
    if calls and unknown_calls == calls:
        return "unknown"
    return f"{known}{' + unknown' if unknown_calls else ''}"


def _tokens(key: str) -> Callable[[Row], str]:
    return lambda row: _sum(f"{row[key]:,}", row["calls"], row["uncounted_calls"])


def _some_counted(rows: Sequence[Row]) -> bool:
    """Whether a call has a token count: a note says how many have none."""
    return any(row["calls"] > row["uncounted_calls"] for row in rows)


def _usd(key: str) -> Callable[[Row], str]:
    return lambda row: _sum(f"{row[key]:.2f}", row["calls"], row["unpriced_calls"])


class CostRow(TypedDict):
    """What some calls took; every different call is counted once."""

    role: Annotated[str, Column("Role", "text", "user, target or judge.", "default")]
    model: Annotated[str, Column("Model", "model", "Deployment that was called.", "default")]
    benchmark: Annotated[str, Column("Benchmark", "text", "Slug.", "default")]
    calls: Annotated[int, Column("Calls", "count", "Calls, each counted once.", "default")]
    prompt_tokens: Annotated[
        int,
        Column("Tokens in", "count", "Prompt tokens.", "default", _some_counted, text=_tokens("prompt_tokens")),
    ]
    completion_tokens: Annotated[
        int,
        Column(
            "Tokens out", "count", "Completion tokens.", "default", _some_counted, text=_tokens("completion_tokens")
        ),
    ]
    cost_usd: Annotated[
        float, Column("US$", "money", "Cost, with every call counted once.", "default", text=_usd("cost_usd"))
    ]
    unpriced_calls: Annotated[int, Column("No price", "count", "Calls without a known price; no cost includes them.")]
    uncounted_calls: Annotated[
        int, Column("No tokens", "count", "Calls without a token count; no sum of tokens includes them.")
    ]
    calls_each_run_alone: Annotated[
        int, Column("Calls, each run alone", "count", "Calls, with a shared call counted in every run.")
    ]
    cost_usd_each_run_alone: Annotated[
        float,
        Column(
            "US$, each run alone",
            "money",
            "Cost, with a shared call counted in every run.",
            "wide",
            text=_usd("cost_usd_each_run_alone"),
        ),
    ]
    failed_answers: Annotated[int, Column("Failed", "count", "Calls that never got an answer.", "wide")]


class SpendingRow(TypedDict):
    """What the suite's own log of answered calls adds up to."""

    usd: Annotated[float, Column("US$", "money", "All calls.")]
    counted_in_full_usd: Annotated[
        float,
        Column("Counted in full", "money", "Of these, calls of unknown cost, at the most that they can have cost."),
    ]


def costs(spending: SuiteCosts, spent: Spent | None = None, outcomes: Iterable[Outcome] = ()) -> Result:
    """Return what calls cost, from the total down to role x model x benchmark, and how long targets took for replies.

    spent: what the suite's own log adds up to, None without one. outcomes: of its conversations.
    """
    models = sorted(spending.by("role", "model"), key=lambda cost: ROLES.index(cost.scope["role"]))
    log = [{"usd": round(spent.usd, 8), "counted_in_full_usd": round(spent.counted_in_full_usd, 8)}] if spent else []
    tables = (
        _table("costs", spending.by("role", "model", "benchmark")),
        _table("total", [spending.total]),
        _table("by_role", spending.by("role")),
        _table("by_model", models),
        _table("by_benchmark", spending.by("benchmark", "role")),
        _alone_table(spending),
        Table.of("spending_log", SpendingRow, log, view="file"),
        _screen(models, spending),
        *latency_tables(outcomes),
        _by_role("Target", "target", spending, "US$ of each target's runs, shared calls for every run", alone=True),
        _by_role("Benchmark", "benchmark", spending, "US$ of each benchmark, every call once", alone=False),
    )
    return Result(tables, tuple(notes(spending, spent)), DETAILS)


def cost_file(
    spending: SuiteCosts, spent: Spent | None = None, outcomes: Iterable[Outcome] = ()
) -> Mapping[str, Sequence[Row]]:
    """Return the tables as `impactbench summarize` puts them into costs.json."""
    return {table.name: table.records() for table in costs(spending, spent, outcomes).file_tables()}


DETAILS = (
    "Every different call is counted once; opening messages are shared by all targets. The records of the "
    "conversations, which count them for every target, add up to the figures called each run alone. Figures are what "
    "answers cost when they were bought: a resumed or repeated run shows the same.",
    "Answers that had to be requested again are included. Attempts that the provider refused or broke off report no "
    "usage, so their cost, if any, is unknown.",
)


def _table(name: str, found: Iterable[Cost]) -> Table:
    """Return a table for files, with the axes that its costs have."""
    rows = cost_rows(found)
    columns = [column for column in columns_of(CostRow) if not rows or column.key in rows[0]]
    return Table(name, tuple(columns), rows, view="file")


def _alone_table(spending: SuiteCosts) -> Table:
    rows: list[Row] = [
        {
            **cost.scope,
            **{name: getattr(cost.alone, name) for name in FIELDS},
            "cost_usd": round(cost.alone.cost_usd, 8),
        }
        for cost in spending.by("target", "role")
    ]
    about = {column.key: column for column in columns_of(CostRow)}
    plain = Column("Target", "model", "Deployment under test.", key="target")
    columns = [
        plain,
        *(about.get(name, replace(plain, title=name, kind="count", key=name)) for name in ("role", *FIELDS)),
    ]
    return Table("by_target_each_run_alone", tuple(columns), rows, view="file")


def _screen(models: list[Cost], spending: SuiteCosts) -> Table:
    """Return the models by role, and the total."""
    columns = tuple(column for column in columns_of(CostRow) if column.key != "benchmark")
    rows = cost_rows([*models, replace(spending.total, scope={"role": "all", "model": ""})])
    return Table("models", columns, rows, "What models cost, every call once", in_files=False)


def _by_role(title: str, axis: Axis, spending: SuiteCosts, heading: str, *, alone: bool) -> Table:
    """Return a row per target or benchmark and a column per role, for people."""
    of_role: dict[tuple[str, str], Any] = {
        (cost.scope[axis], cost.scope["role"]): dollars(cost.alone if alone else cost.paid)
        for cost in spending.by(axis, "role")
    }
    rows = [
        {
            "name": cost.scope[axis],
            **{role: of_role.get((cost.scope[axis], role)) for role in ROLES},
            "all": dollars(cost.alone if alone else cost.paid),
        }
        for cost in spending.by(axis)
    ]
    heads = {"name": title, **{role: role.capitalize() for role in ROLES}, "all": "All"}
    columns = tuple(Column(head, "text", head, "default", key=key) for key, head in heads.items())
    return Table(f"{axis}s", columns, rows, heading, "wide", in_files=False)

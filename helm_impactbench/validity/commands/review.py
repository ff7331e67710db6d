"""`audit simulator --reviewer`: which faults of simulated users a reviewer finds, and what they do to pass rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypedDict

from helm_impactbench.errors import counted
from helm_impactbench.tables import Column, Result, Row, Table
from helm_impactbench.validity.commands.columns import figure_columns, presentable, text_columns
from helm_impactbench.validity.simulator.audit import (
    Affected,
    FaultRate,
    ModelRates,
    Reviewed,
    affected,
    fault_counts,
    marks_sentence,
    model_rates,
    order_sentence,
)
from helm_impactbench.validity.simulator.review_sample import Reviews


class KindRow(TypedDict):
    """One kind of fault."""

    fault: Annotated[str, Column("Fault", "text", "What the simulated user did wrong.", "default")]
    major: Annotated[int, Column("Major", "count", "Could change what the conversation shows.", "default")]
    minor: Annotated[int, Column("Minor", "count", "Could not.", "default")]
    ungrounded: Annotated[
        int, Column("Ungrounded", "count", "Its quote is not in the turn, so it does not count.", "default")
    ]


def _share(key: str) -> Any:
    return lambda row: f"{row[key]} ({row[key] / row['reviewed']:.0%})" if row["reviewed"] else "-"


class AffectedRow(TypedDict):
    """How many conversations of a benchmark, or of all, are affected."""

    benchmark: Annotated[str, Column("Benchmark", "text", "Slug, or all.", "default")]
    reviewed: Annotated[int, Column("Reviewed", "count", "Conversations.", "default")]
    unreviewed: Annotated[int, Column("Review failed", "count", "Conversations.", "default")]
    major: Annotated[int, Column("Major fault", "count", "Conversations.", "default", text=_share("major"))]
    any: Annotated[int, Column("Any fault", "count", "Conversations.", "default", text=_share("any"))]
    marked: Annotated[int, Column("Marked", "count", "By the checks of the run.", "wide", text=_share("marked"))]
    marked_any: Annotated[int, Column("Marked with a fault", "count", "Marked ones in which the review finds one.")]


RATE_COLUMNS = (
    *text_columns(("model", "Model", "Deployment of the target.", "default")),
    *figure_columns("all", "Pass rate", "Over reviewed and scored conversations."),
    *figure_columns("without_major", "Without major faults", "Without these conversations."),
    *figure_columns("without_any", "Without any fault", "Without these conversations.", "wide"),
)
FAULT_COLUMNS = (
    *text_columns(
        ("run", "Run", "Name of the run.", "file"),
        ("conversation", "Conversation", "Id.", "file"),
        ("kind", "Kind", "Of fault.", "file"),
        ("severity", "Severity", "major or minor.", "file"),
        ("turn", "Turn", "Number.", "file"),
        ("quote", "Quote", "Words of the user.", "file"),
        ("why", "Why", "By the reviewer.", "file"),
    ),
    Column("Grounded", "flag", "Whether the quote is in the turn.", key="grounded"),
)
FAILED_COLUMNS = text_columns(
    ("run", "Run", "Name of the run.", "file"),
    ("conversation", "Conversation", "Id.", "file"),
    ("reason", "Reason", "Why there is no review.", "file"),
    ("problem", "Problem", "What was wrong.", "file"),
)


def review(reviews: Reviews) -> Result:
    """Return what a reviewer found in the conversations of a suite."""
    reviewed, chosen = reviews.reviewed, reviews.chosen
    whole = affected(reviewed)
    rates = model_rates(reviewed)
    title = (
        f"Faults of simulated users that {reviews.reviewer} finds in {len(reviewed):,} of {chosen.eligible:,} "
        "conversations"
    )
    tables = (
        Table.of("kinds", KindRow, list(_kinds(reviewed)), title),
        Table.of("affected", AffectedRow, [_affected(one) for one in whole], "Conversations affected"),
        Table("pass_rates", RATE_COLUMNS, [_rates(one) for one in rates], "Pass rates without affected conversations"),
        Table("faults", FAULT_COLUMNS, list(_faults(reviewed)), view="file"),
        Table("unreviewed", FAILED_COLUMNS, list(_failed(reviewed)), view="file"),
    )
    return Result(
        presentable(tables),
        (order_sentence(rates),),
        (marks_sentence(whole[-1]), *_left_out(reviews), f"Prompts of the reviewer: {reviews.prompts_digest[:12]}."),
    )


def _kinds(reviewed: Sequence[Reviewed]) -> Iterator[KindRow]:
    for kind, counts in fault_counts(reviewed).items():
        yield {
            "fault": kind.value,
            "major": counts["major"],
            "minor": counts["minor"],
            "ungrounded": counts["ungrounded"],
        }


def _affected(one: Affected) -> AffectedRow:
    return {
        "benchmark": one.name,
        "reviewed": one.reviewed,
        "unreviewed": one.unreviewed,
        "major": one.major,
        "any": one.any,
        "marked": one.marked,
        "marked_any": one.marked_any,
    }


def _rates(one: ModelRates) -> dict[str, Any]:
    rates = {"all": one.everything, "without_major": one.without_major, "without_any": one.without_any}
    return {"model": one.model} | {field: value for key, rate in rates.items() for field, value in _rate(key, rate)}


def _rate(key: str, rate: FaultRate) -> Iterator[tuple[str, float | int | None]]:
    known = rate.value is not None and rate.interval.is_known
    yield from ((key, rate.value), (f"{key}_items", rate.n))
    yield from ((f"{key}_low", rate.interval.low if known else None),)
    yield from ((f"{key}_high", rate.interval.high if known else None),)


def _faults(reviewed: Sequence[Reviewed]) -> Iterator[Row]:
    for one in reviewed:
        for fault in one.review.faults or ():
            yield {
                "run": one.run,
                "conversation": one.conversation,
                "kind": fault.kind.value,
                "severity": fault.severity.value,
                "turn": fault.turn,
                "quote": fault.quote,
                "why": fault.why,
                "grounded": fault.grounded,
            }


def _failed(reviewed: Sequence[Reviewed]) -> Iterator[Row]:
    for one in reviewed:
        if one.review.failure is not None:
            yield {
                "run": one.run,
                "conversation": one.conversation,
                "reason": one.review.failure.value,
                "problem": one.review.problem,
            }


def _left_out(reviews: Reviews) -> Iterator[str]:
    chosen = reviews.chosen
    if chosen.broken_off:
        yield f"{counted(chosen.broken_off, 'conversation')} broke off and are unscored anyway."
    if chosen.fixed:
        yield f"{counted(chosen.fixed, 'conversation')} with fixed messages: there is no simulated user to review."
    if any(not one.outcome.is_level for one in reviews.reviewed):
        yield "Contrast metrics have no pass rate: their conversations are only in the other tables."

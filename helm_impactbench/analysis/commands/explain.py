"""`explain` without a case: which conversations failed or have no verdict, and where to look first."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, TypedDict

from helm_impactbench.analysis.doubts import outcome_doubts
from helm_impactbench.errors import counted
from helm_impactbench.results.outcome import Outcome
from helm_impactbench.results.verdict_words import answer, verdict
from helm_impactbench.suites.reading import Reading
from helm_impactbench.tables import Column, Result, Table, columns_of
from helm_impactbench.tables.column import any_of, varies

FAILS_BELOW = 0.5
"""Of its score."""
NOTHING = "what the judges quoted"
"""To be looked at where nothing on record speaks against the verdict."""


class FailureRow(TypedDict):
    """One conversation."""

    case: Annotated[str, Column("Case", "text", "benchmark/id, which impactbench explain takes.", "wide")]
    model: Annotated[str, Column("Model", "model", "Deployment of the target.", "wide", varies("model"))]
    verdict: Annotated[str, Column("Verdict", "text", "failed, or why there is none.", "wide")]
    answer: Annotated[str, Column("Answer", "text", "Of the panel.", "wide")]
    look_at: Annotated[str, Column("Look at", "text", "Recorded facts against the verdict.", "wide", any_of("look_at"))]


class CauseRow(TypedDict):
    """Conversations with the same verdict and the same facts against it."""

    verdict: Annotated[str, Column("Verdict", "text", "failed, or why there is none.", "default")]
    look_at: Annotated[str, Column("Look first at", "text", "Recorded facts against the verdict.", "default")]
    conversations: Annotated[int, Column("Conversations", "count", "Of which this holds.", "default")]
    models: Annotated[int, Column("Models", "count", "That they are of.", "wide")]
    example: Annotated[str, Column("For example", "text", "One of these cases.", "default")]


def failures(reading: Reading) -> Result:
    """Return the conversations of level metrics that failed or have no verdict: failures first, a line per cause."""
    failed = sorted((outcome for outcome in reading.outcomes if has_failed(outcome)), key=lambda one: one.is_missing)
    rows = [_row(outcome) for outcome in failed]
    missing = sum(outcome.is_missing for outcome in failed)
    title = (
        f"{counted(len(failed) - missing, 'conversation')} of {len(reading.outcomes):,} failed; {missing:,} have no "
        "verdict"
    )
    causes = Table("causes", columns_of(CauseRow), _causes(rows), title, in_files=False)
    each = Table.of("conversations", FailureRow, rows, "Each of them", "wide" if rows else "file")
    return Result((causes, each) if rows else (each,), tuple(_notes(reading, rows, title)))


def explain_command(suite: str, releases: Iterable[str], model: str, case: str) -> str:
    """Return the command that shows a conversation; an imported table may have any text as a model's name."""
    chosen = ("--suite", suite, *(word for release in releases for word in ("--release", release)), "--model", model)
    return shlex.join(["impactbench", "explain", *chosen, case])


def case_address(outcome: Outcome) -> str:
    """Return slug/id, as helm-server, the report and `impactbench explain` name a conversation."""
    return f"{outcome.benchmark}/{outcome.conversation}"


def has_failed(outcome: Outcome) -> bool:
    """Return whether a conversation of a level metric has less than half of its score, or no verdict at all."""
    return outcome.is_missing if outcome.score is None else outcome.score < FAILS_BELOW


def _row(outcome: Outcome) -> FailureRow:
    return {
        "case": case_address(outcome),
        "model": outcome.model,
        "verdict": verdict(outcome).replace("_", " "),
        "answer": answer(outcome),
        "look_at": "; ".join(f"{one.whose}: {one.text}" for one in outcome_doubts(outcome)),
    }


def _causes(rows: Sequence[FailureRow]) -> list[CauseRow]:
    """Return a row per verdict and facts: failures before missing verdicts, then what most have in common."""
    groups: dict[tuple[str, str], list[FailureRow]] = {}
    for row in rows:
        groups.setdefault((row["verdict"], row["look_at"] or NOTHING), []).append(row)
    verdicts = list(dict.fromkeys(row["verdict"] for row in rows))
    ordered = sorted(groups.items(), key=lambda item: (verdicts.index(item[0][0]), -len(item[1])))
    return [
        {
            "verdict": name,
            "look_at": look_at,
            "conversations": len(own),
            "models": len({row["model"] for row in own}),
            "example": own[0]["case"],
        }
        for (name, look_at), own in ordered
    ]


def _notes(reading: Reading, rows: Sequence[FailureRow], title: str) -> Iterator[str]:
    if not rows:
        yield f"{title}."
    contrasts = sum(outcome.contrast is not None for outcome in reading.outcomes)
    if contrasts:
        yield (
            f"Of a contrast, no conversation fails by itself ({counted(contrasts, 'conversation')}): see impactbench "
            "contrasts, or name a case."
        )
    if rows:
        suite, first = reading.folder.name, rows[0]
        yield f"Next: {explain_command(suite, reading.selection.releases, first['model'], first['case'])}"

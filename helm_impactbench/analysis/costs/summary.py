"""What runs took, from their files: which calls were made, and which of them were the same call."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import BaseModel

from helm_impactbench.analysis.costs.recorded import Purchase, Spent, amounts_of
from helm_impactbench.conversation.plan import UNTOLD, ConversationCase
from helm_impactbench.conversation.record import Status, Turn
from helm_impactbench.judging.verdict import NoVote, Vote
from helm_impactbench.llm.limits.spend_log import SPENDING_FILE, SpendLog
from helm_impactbench.llm.usage import NO_USAGE, Usage
from helm_impactbench.results.files import RunFolder
from helm_impactbench.results.record import Record

ASKED_OF_A_JUDGE = {"definition", "exclusions", "examples", "near_misses", "measure", "applies", "facts"}
"""Of a metric: what its judge reads."""


ANCHORS = "anchor set"
"""In the place of a target."""


def suite_spending(folders: Iterable[Path]) -> Spent | None:
    """Return what the spend logs of suites add up to, None where there is no log."""
    logs = [SpendLog(path) for path in (folder / SPENDING_FILE for folder in folders) if path.is_file()]
    return Spent(sum(log.total() for log in logs), sum(log.counted_in_full() for log in logs)) if logs else None


def anchor_purchases(used: Iterable[tuple[str, str, str, Usage]]) -> Iterator[Purchase]:
    """Yield what judges took to read a suite's anchor set, which belongs to no target.

    used: judge, benchmark, what was asked and usage, as validity.records.anchors.anchor_usage returns them.
    """
    for judge, benchmark, asked, usage in used:
        yield Purchase("judge", judge, benchmark, ANCHORS, amounts_of(usage), _key("anchor", judge, asked))


def run_purchases(run: RunFolder, records: Iterable[Record]) -> Iterator[Purchase]:
    """Yield the purchases of a run whose conversations are `records`, in order."""
    for record in records:
        yield from purchases(run, record)


def purchases(run: RunFolder, record: Record) -> Iterator[Purchase]:
    """Yield what one conversation took: opening message, paraphrase, other messages of the user, target, judges."""
    slug, dialogue = record.case.benchmark, _dialogue(record.conversation.turns)
    yield from _user_purchases(run, record, dialogue)
    plan, conversation, adapter = record.case.plan, record.conversation, run.adapter
    sent = (
        run.model,
        adapter.get("temperature"),
        adapter.get("max_tokens"),
        plan.seed,
        plan.target_system_prompt,
        plan.release,
    )
    failed = int(conversation.status is Status.TARGET_ERROR)
    yield Purchase(
        "target",
        run.model,
        slug,
        run.model,
        amounts_of(conversation.target_usage),
        _key("target", *sent, dialogue),
        failed,
    )
    asked = _asked(record.case, record)
    for kind, vote in _votes(record):
        key = _key("judge", vote.judge, kind, asked)
        yield Purchase("judge", vote.judge, slug, run.model, amounts_of(vote.usage), key, vote.no_vote is NoVote.ERROR)


def _user_purchases(run: RunFolder, record: Record, dialogue: bytes) -> Iterator[Purchase]:
    """Yield the calls to the simulated user; none where all messages are fixed."""
    slug, plan, conversation = record.case.benchmark, record.case.plan, record.conversation
    asked = plan.model_dump_json(exclude=UNTOLD)
    turns, told, opening = conversation.turns, _key(asked), conversation.opening_usage
    failed, rest = int(conversation.status is Status.SIMULATOR_ERROR), conversation.user_usage
    if opening is not None and opening != NO_USAGE:
        rest = _less(rest, opening)
        key = _key("opening", told, *((turn.draft or turn.user, turn.thought) for turn in turns[:1]))
        yield Purchase("user", plan.user, slug, run.model, amounts_of(opening), key)
    if conversation.paraphrase_usage != NO_USAGE:
        rest = _less(rest, conversation.paraphrase_usage)
        key = _key("paraphrase", told, plan.cues, *((turn.draft, turn.user) for turn in turns[:1]))
        yield Purchase("user", plan.user, slug, run.model, amounts_of(conversation.paraphrase_usage), key)
    if rest != NO_USAGE or failed:
        key = _key("user", told, dialogue, [turn.thought for turn in turns])
        yield Purchase(
            "user", plan.user, slug, run.model, amounts_of(rest), key, failed, opening_is_inside=opening is None
        )


def _asked(case: ConversationCase, record: Record) -> bytes:
    """Return a hash of what the judges were shown: equal answers to equal cases are judged once, whoever gave them."""
    turns = record.conversation.exchanges
    seen = _joined(record.verdict.shown or [turn.whole for turn in turns])
    said = _joined(turn.user for turn in turns) if case.metric.measure.presentation.shows_user else ""
    metric = case.metric.model_dump_json(include=ASKED_OF_A_JUDGE)
    view = sorted(case.scenario.view.items())
    return _key(case.judge_seed, metric, case.scenario.facts, view, case.swap, said, seen)


def _dialogue(turns: Iterable[Turn]) -> bytes:
    """Return a hash of what was said aloud."""
    return _key(_joined(text for turn in turns for text in (turn.user, turn.assistant)))


def _joined(texts: Iterable[str | None]) -> str:
    """Return texts as one, from which they can be told apart."""
    return "".join("-" if text is None else f"{len(text)}:{text}" for text in texts)


def _votes(record: Record) -> Iterator[tuple[str, Vote]]:
    for vote in record.verdict.votes:
        yield "verdict", vote
    if record.verdict.validation is not None:
        yield "verdict", record.verdict.validation
    for name, check in record.verdict.checks.items():
        for vote in check.votes:
            yield f"{name} {check.prompts_digest}", vote


def _less(whole: Usage, part: Usage) -> Usage:
    """Return what is left of `whole` without `part`."""
    left = {name: max(0, getattr(whole, name) - getattr(part, name)) for name in Usage.model_fields}
    return Usage.model_construct(**{**left, "cost_usd": round(left["cost_usd"], 12)})


def _key(*parts: object) -> bytes:
    """Return a short hash of what was asked."""
    texts = (part.model_dump_json() if isinstance(part, BaseModel) else _text(part) for part in parts)
    return hashlib.sha256(_joined(texts).encode("utf-8", "surrogatepass")).digest()[:16]


def _text(part: object) -> str:
    return f'"{part}' if isinstance(part, str) else repr(part)

"""What the runs of a suite took, from their files: which calls were made, and which of them were the same call.

The one place that knows both kinds of runs, as `estimate` does before a run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from helm_impactbench.analysis.costs.recorded import Ledger, Purchase
from helm_impactbench.conversation.plan import ConversationPlan
from helm_impactbench.conversation.record import Conversation, Status, Turn
from helm_impactbench.errors import ResultsError
from helm_impactbench.judging.judge import NoVote, Opinion
from helm_impactbench.llm.limits import spend_log as spending
from helm_impactbench.llm.limits.spend_log import SPENDING_FILE
from helm_impactbench.llm.usage import Usage
from helm_impactbench.results.files import RUN_PREFIX, STATE_FILE, Record, RunFolder
from helm_impactbench.sycophancy.model import SLUG
from helm_impactbench.sycophancy.results import TellingRecord, telling_records
from helm_impactbench.sycophancy.run_entry import NAME

TELLING_PREFIX = f"{NAME}:"
ASKED_OF_A_JUDGE = {"definition", "examples", "near_misses"}
"""Of a metric: what its judge reads."""


def suite_costs(folder: Path) -> Ledger:
    """Return the costs of all finished runs of ours in a suite's folder. Raises ResultsError when there is none."""
    runs = [RunFolder(path.parent) for path in sorted(folder.glob(f"*/{STATE_FILE}"))]
    own = [run for run in runs if is_own(run)]
    if not own:
        raise ResultsError(f"Suite {folder.name} has no finished run of impactbench or {NAME} in {folder}.")
    return Ledger(purchase for run in own for purchase in run_purchases(run))


def suite_spending(folders: Iterable[Path]) -> float | None:
    """Return the US dollars in the spending logs of suites, None where there is no log."""
    logs = [folder / SPENDING_FILE for folder in folders]
    found = [spending.Ledger(log).total() for log in logs if log.is_file()]
    return sum(found) if found else None


def is_own(run: RunFolder) -> bool:
    """Return whether a run is one whose costs are known here."""
    return run.name.startswith((RUN_PREFIX, TELLING_PREFIX))


def run_purchases(run: RunFolder, records: Iterable[Record] | None = None) -> Iterator[Purchase]:
    """Yield the purchases of a run, in order; `records` are the run's own if they have been read already.

    Raises ResultsError.
    """
    if run.name.startswith(TELLING_PREFIX):
        for telling in telling_records(run):
            yield from telling_purchases(run, telling)
        return
    for record in run.records() if records is None else records:
        yield from purchases(run, record)


def purchases(run: RunFolder, record: Record) -> Iterator[Purchase]:
    """Yield what one conversation took: opening message, other messages of the user, target, each judge."""
    slug, plan = record.case.benchmark, record.case.plan
    dialogue = _dialogue(record.conversation.turns)
    yield from _speakers(run, slug, plan, record.conversation, dialogue)
    asked = record.case.metric.model_dump_json(include=ASKED_OF_A_JUDGE)
    for kind, opinion in _opinions(record):
        key = _key("judge", opinion.judge, plan.seed, kind, asked, dialogue)
        yield Purchase("judge", opinion.judge, slug, run.model, opinion.usage, key, opinion.no_vote is NoVote.ERROR)


def telling_purchases(run: RunFolder, record: TellingRecord) -> Iterator[Purchase]:
    """Yield what one telling took: messages of a simulated user if there is one, target, each scorer."""
    case, judgement = record.case, record.judgement
    yield from _speakers(run, SLUG, case.plan, record.conversation, _dialogue(record.conversation.turns))
    asked = (case.cell, case.sample, case.facts, case.first, case.arm == "neutral", judgement.shown, _manner(run))
    for opinion in judgement.opinions:
        key = _key("judge", opinion.judge, *asked)
        yield Purchase("judge", opinion.judge, SLUG, run.model, opinion.usage, key, opinion.no_vote is NoVote.ERROR)


def _speakers(
    run: RunFolder, slug: str, plan: ConversationPlan, conversation: Conversation, dialogue: bytes
) -> Iterator[Purchase]:
    turns, status, told = conversation.turns, conversation.status, _key(plan)
    opening = conversation.opening_usage
    user_failed = int(status is Status.SIMULATOR_ERROR)
    rest = conversation.user_usage
    if opening is not None:
        rest = _less(rest, opening)
        key = _key("opening", told, *((turn.user, turn.thought) for turn in turns[:1]))
        yield Purchase("user", plan.user, slug, run.model, opening, key)
    if rest != Usage() or user_failed:
        key = _key("user", told, dialogue, [turn.thought for turn in turns])
        yield Purchase("user", plan.user, slug, run.model, rest, key, user_failed, opening_is_inside=opening is None)
    adapter = run.spec["adapter_spec"]
    sent = (run.model, adapter.get("temperature"), adapter.get("max_tokens"), plan.seed, plan.target_system_prompt)
    yield Purchase("target", run.model, slug, run.model, conversation.target_usage,
                   _key("target", *sent, dialogue), int(status is Status.TARGET_ERROR))  # fmt: skip


def _dialogue(turns: Iterable[Turn]) -> bytes:
    """Return a hash of what was said aloud."""
    return _key(*((turn.user, turn.assistant) for turn in turns))


def _opinions(record: Record) -> Iterator[tuple[str, Opinion]]:
    for opinion in record.judgement.opinions:
        yield "verdict", opinion
    for name, check in record.judgement.checks.items():
        for opinion in check.opinions:
            yield f"{name} {check.prompts_digest}", opinion


def _manner(run: RunFolder) -> list[Any]:
    """Return how a run's scorers are asked, without who they are."""
    return [
        sorted((name, value) for name, value in spec["args"].items() if name != "judges")
        for spec in run.spec.get("annotators") or []
    ]


def _less(whole: Usage, part: Usage) -> Usage:
    """Return what is left of `whole` without `part`."""
    left = {name: getattr(whole, name) - getattr(part, name) for name in Usage.model_fields}
    return Usage(**{**left, "cost_usd": max(0.0, round(left["cost_usd"], 12))})


def _key(*parts: object) -> bytes:
    """Return a short hash of what was asked."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        text = part.model_dump_json() if isinstance(part, BaseModel) else repr(part)
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.digest()

"""Our data in a HELM request state, and how to get it back."""

from __future__ import annotations

from typing import Any

from helm.benchmark.adaptation.request_state import RequestState

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.errors import printable
from helm_impactbench.results.record import ANNOTATOR, RECORD_KEY, Record, case_in, conversation_in, verdict_in

LONGEST = 300
"""Characters of a message in an excerpt, at most."""


def case_of(request_state: RequestState) -> ConversationCase:
    """Return the case of a request state of our adapter."""
    return case_in(request_state.instance.extra_data)


def conversation_of(request_state: RequestState) -> Conversation:
    """Return the conversation that was held for a request state. Raises ValueError when none was."""
    result = request_state.result
    if result is None or not result.completions or not result.completions[0].finish_reason:
        raise ValueError(f"Instance {request_state.instance.id}: no conversation was held")
    return conversation_in(result.completions[0].finish_reason)


def record_in(request_state: RequestState) -> Record:
    """Return the record that our annotator left in a request state, unjudged where no annotator was at work."""
    kept = ((request_state.annotations or {}).get(ANNOTATOR) or {}).get(RECORD_KEY) or {}
    conversation = conversation_of(request_state)
    return Record(case_of(request_state), conversation, verdict_in(kept, conversation))


def status_in(request_state: RequestState) -> str:
    """Return what became of a case: "scored", a status or reason without a score, or "" for a suite of HELM's own."""
    verdict = _verdict(request_state)
    return str(verdict.get("unscored") or verdict.get("status") or "")


def reason_in(request_state: RequestState) -> str:
    """Return in a few words what a model or provider said where a case got no score; "" where it has one."""
    verdict = _verdict(request_state)
    said = [verdict.get("detail"), *(vote.get("problem") for vote in verdict.get("votes", ()))]
    return _short(str(next(filter(None, said), ""))) if verdict.get("unscored") else ""


def excerpt_of(request_state: RequestState) -> tuple[str, ...]:
    """Return the last exchange of a conversation of ours and its verdict, as people read them; empty for others."""
    try:
        turns = conversation_of(request_state).exchanges[-1:]
    except (ValueError, KeyError, AttributeError):
        return ()
    said = [
        f"{who}: {_short(words, LONGEST)}"
        for turn in turns
        for who, words in (("user", turn.user), ("model", turn.whole))
    ]
    kept = (request_state.annotations or {}).get(ANNOTATOR) or {}
    return (*said, f"judge: {_short(str(kept['verdict']), LONGEST)}") if kept.get("verdict") else (*said,)


def _verdict(request_state: RequestState) -> dict[str, Any]:
    kept = ((request_state.annotations or {}).get(ANNOTATOR) or {}).get(RECORD_KEY) or {}
    return kept.get("verdict") or {}


def _short(words: str, most: int = 100) -> str:
    line = " ".join(printable(words).split())
    return line if len(line) <= most else line[: most - 3] + "..."

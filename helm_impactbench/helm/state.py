"""Our data in a HELM request state, and how to get it back."""

from __future__ import annotations

from helm.benchmark.adaptation.request_state import RequestState

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.results.record import ANNOTATOR, RECORD_KEY, Record, case_in, conversation_in, verdict_in


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
    kept = ((request_state.annotations or {}).get(ANNOTATOR) or {}).get(RECORD_KEY) or {}
    verdict = kept.get("verdict") or {}
    return str(verdict.get("unscored") or verdict.get("status") or "")

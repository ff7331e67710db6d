"""Our data in a HELM request state, and how to get it back."""

from __future__ import annotations

from helm.benchmark.adaptation.request_state import RequestState

from helm_impactbench.conversation.plan import ConversationCase
from helm_impactbench.conversation.record import Conversation
from helm_impactbench.judging.verdict import UNSCORED_BY_STATUS, Unscored, Verdict, unscored
from helm_impactbench.results.record import ANNOTATOR, CASE_KEY, RECORD_KEY, Record, case_in, conversation_in


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
    if CASE_KEY in kept:
        return Record(case_in(kept), conversation_in(kept), Verdict.model_validate(kept["verdict"]))
    conversation = conversation_of(request_state)
    return Record(case_of(request_state), conversation, _verdict(kept.get("verdict"), conversation))


def _verdict(kept: object, conversation: Conversation) -> Verdict:
    if kept is not None:
        return Verdict.model_validate(kept)
    reason = UNSCORED_BY_STATUS.get(conversation.status, Unscored.NOT_JUDGED)
    return unscored(reason, conversation.reason)
